package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/spec"
)

const (
	// screen is the number of lines that a summary of a run without new findings takes at most.
	screen = 60
	// wide is the number of columns of its tables.
	wide = 120
	// mostNotes is how many notes on what was read it shows.
	mostNotes = 3
)

// summary says what was checked, what came out and what was not covered, on one screen.
func (p *page) summary(r *Run) {
	p.wrapped("", headline(r))
	p.line("")
	p.results(r)
	rest := &page{spec: r.Spec}
	rest.notSeen(r)
	rest.gaps(r)
	rest.conclusion(r)
	p.found(r, screen-strings.Count(p.String(), "\n")-strings.Count(rest.String(), "\n"))
	p.WriteString(rest.String())
}

// headline says what was run against which version and profile.
func headline(r *Run) string {
	against := "the formal model of what Kubernetes documents"
	if r.Spec.Reading() == spec.Literal {
		against = "the formal model as first written"
	}
	return fmt.Sprintf("kube-scheduler %s, %s, beside %s: %s", r.KubernetesVersion, r.profileWords(),
		against, scopeSentence(r))
}

// results has a line per theme or cluster, and the totals.
func (p *page) results(r *Run) {
	if r.Scope.Random != nil {
		p.drawnLines(r)
		return
	}
	p.themes(r)
	p.totals(r)
	p.surveyed(r)
}

// found has a line per finding, as many as there is room for, new ones always, and the counterexample of the first that
// makes the run fail.
func (p *page) found(r *Run, room int) {
	findings := r.Result.Findings
	if len(findings) == 0 {
		p.section("Findings: none")
		return
	}
	all := ranked(findings)
	lines := r.listed(all, len(all))
	for n := len(all) - 1; strings.Count(lines, "\n") > room && n > 0 && all[n].Class != decisions.New; n-- {
		lines = r.listed(all, n)
	}
	p.WriteString(lines)
	if i := slices.IndexFunc(findings, func(f decisions.Finding) bool { return f.Fails(r.Strict) }); i >= 0 {
		p.section("Finding " + findings[i].ID)
		p.finding(&findings[i])
		p.example(&findings[i])
	}
}

// listed is a table of the first n findings, below which the others are named.
func (r *Run) listed(all []*decisions.Finding, n int) string {
	p := &page{spec: r.Spec}
	p.line("")
	p.wrapped("Findings: ", classCounts(r.Result.Findings)+" (--show ID shows its counterexample, -v all of them)")
	return p.String() + r.tableOf(all, n)
}

// tableOf is listed without its heading.
func (r *Run) tableOf(all []*decisions.Finding, n int) string {
	p := &page{spec: r.Spec}
	rows := table{{"class", "seen", "id", "upstream", "what is wrong"}}
	ids := r.shortIDs()
	for _, f := range all[:n] {
		rows = append(rows, []string{f.Class.String(), count(f.Count), ids[f.ID], upstreamOf(f), ""})
	}
	if rows.level(3) && rows[1][3] == "" {
		for i := range rows {
			rows[i] = slices.Delete(rows[i], 3, 4)
		}
	}
	last := len(rows[0]) - 1
	space := wide - rows.width() + len("what is wrong")
	for i, f := range all[:n] {
		rows[i+1][last] = shortened(whatIsWrong(f), space)
	}
	p.table("  ", rows)
	if left := all[n:]; len(left) > 0 {
		var names []string
		for _, f := range left {
			names = append(names, ids[f.ID])
		}
		p.items(fmt.Sprintf("  and %d more: ", len(left)), ", ", names)
	}
	return p.String()
}

// ranked orders findings by class, within one by how often they were seen.
func ranked(findings []decisions.Finding) []*decisions.Finding {
	var all []*decisions.Finding
	for i := range findings {
		all = append(all, &findings[i])
	}
	slices.SortStableFunc(all, func(a, b *decisions.Finding) int {
		if a.Class == b.Class && a.Count != b.Count {
			return int(max(-1, min(1, b.Count-a.Count)))
		}
		return 0 // findings are in the order of their classes
	})
	return all
}

// classCounts says how many findings there are of each class.
func classCounts(findings []decisions.Finding) string {
	counts := map[decisions.Class]int64{}
	var classes []decisions.Class
	for _, f := range findings {
		if counts[f.Class]++; counts[f.Class] == 1 {
			classes = append(classes, f.Class)
		}
	}
	var words []string
	if counts[decisions.New] == 0 {
		words = append(words, "none new")
	}
	for _, class := range classes {
		words = append(words, count(counts[class])+" "+class.String())
	}
	return strings.Join(words, ", ")
}

// upstreamOf names the upstream issue of what explains a finding; empty if there is none.
func upstreamOf(f *decisions.Finding) string {
	var numbers []string
	for _, quirk := range f.Quirks {
		if _, number, found := strings.Cut(quirk.Upstream, "#"); found {
			end := strings.IndexFunc(number, func(c rune) bool { return c < '0' || c > '9' })
			if end < 0 {
				end = len(number)
			}
			numbers = append(numbers, "#"+number[:end])
		}
	}
	return strings.Join(numbers, " ")
}

// shortIDs returns for the ID of each finding what --show takes for it: the names of what explains it, unless other
// findings are explained by the same; else the ID.
func (r *Run) shortIDs() map[string]string {
	explained := map[string]int{}
	for i := range r.Result.Findings {
		explained[explanations(&r.Result.Findings[i])]++
	}
	ids := map[string]string{}
	for i := range r.Result.Findings {
		f := &r.Result.Findings[i]
		if ids[f.ID] = explanations(f); ids[f.ID] == "" || explained[ids[f.ID]] > 1 {
			ids[f.ID] = f.ID
		}
	}
	return ids
}

// explanations joins the names of what explains a finding; it is empty if nothing does.
func explanations(f *decisions.Finding) string {
	var names []string
	for _, quirk := range f.Quirks {
		names = append(names, quirk.Name)
	}
	return strings.Join(names, "+")
}

// whatIsWrong says so in a sentence.
func whatIsWrong(f *decisions.Finding) string {
	var titles []string
	for _, quirk := range f.Quirks {
		titles = append(titles, quirk.Title)
	}
	if len(titles) > 0 {
		return strings.Join(titles, "; ")
	}
	if all := reasons(f); len(all) > 0 {
		return all[0]
	}
	return f.Property.Doc
}

// leastColumns is what a text gets even where the names beside it take the whole line.
const leastColumns = 20

// shortened cuts a text that takes more than so many columns, at the end of a word.
func shortened(text string, columns int) string {
	columns = max(columns, leastColumns)
	runes := []rune(text)
	if len(runes) <= columns {
		return text
	}
	cut := string(runes[:columns-2])
	if i := strings.LastIndex(cut, " "); i > columns/2 {
		cut = cut[:i]
	}
	return strings.TrimRight(cut, " ,;:") + " …"
}

// Find returns the findings of an ID, or those that what it names explains.
func (r *Run) Find(id string) ([]decisions.Finding, error) {
	var found []decisions.Finding
	var known []string
	ids := r.shortIDs()
	for _, f := range r.Result.Findings {
		if f.ID == id || explanations(&f) == id {
			found = append(found, f)
		}
		known = append(known, ids[f.ID])
	}
	switch {
	case len(found) > 0:
		return found, nil
	case len(known) == 0:
		return nil, fmt.Errorf("--show %s: the run has no findings", id)
	default:
		return nil, fmt.Errorf("--show %s: no finding of the run has this ID; those that have been found are: %s", id,
			strings.Join(known, ", "))
	}
}

// gaps says in three lines what the run tells nothing about, and which limits were reached.
func (p *page) gaps(r *Run) {
	p.section("Not covered (-v says more)")
	for _, text := range unfinished(r) {
		p.wrapped("  ", text)
	}
	for i, text := range r.NotRead {
		if i == mostNotes && len(r.NotRead) > mostNotes+1 {
			p.line("  and %s not read", plural(int64(len(r.NotRead)-i), "more part"))
			break
		}
		p.wrapped("  ", text)
	}
	for i, note := range r.Notes {
		if i == mostNotes && len(r.Notes) > mostNotes+1 {
			p.line("  and %s on what was read", plural(int64(len(r.Notes)-i), "more note"))
			break
		}
		p.wrapped("  ", note)
	}
	var gaps []string
	add := func(lead string, words []string) {
		if len(words) > 0 {
			gaps = append(gaps, lead+strings.Join(words, ", "))
		}
	}
	add("plugins that the model has no predicate for: ", unmodelledPlugins(r))
	if r.Scope.Random != nil {
		gaps = append(gaps, "other clusters than those drawn", "what follows a decision")
	} else {
		if len(r.Scope.Files) == 0 {
			gaps = append(gaps, "larger clusters and other templates")
		}
		add("actions that are off: ", actionsNowhere(r))
		if !asksForBehaviours(r) {
			gaps = append(gaps, "what goes on for ever (--liveness)")
		}
	}
	gaps = append(gaps, "the queue, wake-ups and binding cycles (modelcheck loop)")
	p.items("  ", "; ", gaps)
}

// unmodelledPlugins names the plugins that the model has no predicate for.
func unmodelledPlugins(r *Run) []string {
	filters, scorePlugins := r.Spec.Unmodelled()
	plugins := slices.Concat(filters, scorePlugins)
	slices.Sort(plugins)
	return slices.Compact(plugins)
}

// actionsNowhere names the actions that no scenario has.
func actionsNowhere(r *Run) []string {
	var names []string
	for _, action := range optionalActions() {
		if !slices.ContainsFunc(r.Result.Scenarios, func(s decisions.ScenarioResult) bool {
			on, _ := action.on(s.Scenario.Actions)
			return on
		}) {
			names = append(names, action.name)
		}
	}
	return names
}
