package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// Text writes the report for a person to read, as plain text that is fit to be pasted: on one screen, unless r asks for
// all details or for one finding. The error is the writer's, or says that there is no such finding.
func Text(w io.Writer, r *Run) error {
	p := &page{spec: r.Spec}
	switch {
	case r.Show != "":
		shown, err := r.Find(r.Show)
		if err != nil {
			return err
		}
		p.findings(shown)
		_, err = io.WriteString(w, strings.TrimPrefix(p.String(), "\n"))
		return err
	case r.Verbose:
		p.details(r)
	default:
		p.summary(r)
	}
	_, err := io.WriteString(w, p.String())
	return err
}

// details writes everything there is to say.
func (p *page) details(r *Run) {
	p.compared(r)
	p.scope(r)
	p.explored(r)
	p.coverage(r)
	p.fields(r)
	p.properties(r)
	p.findings(r.Result.Findings)
	p.notCovered(r)
	p.conclusion(r)
}

// compared says what was compared with what.
func (p *page) compared(r *Run) {
	p.line("kube-scheduler %s, compared decision by decision with the formal model of placement (reading %q)",
		r.KubernetesVersion, r.Spec.Reading())
	p.profiles(r.profiles())
}

// Profiles writes which plugins the profiles run: that of the model, and the others of the same kube-scheduler. The
// error is the writer's.
func Profiles(w io.Writer, s *spec.Scheduler) error {
	p := &page{spec: s}
	p.profiles((&Run{Spec: s}).profiles())
	_, err := io.WriteString(w, strings.TrimPrefix(p.String(), "\n"))
	return err
}

// profiles lists the plugins of profiles, and says what a mark means if there is one.
func (p *page) profiles(models []*spec.Scheduler) {
	var unmodelled bool
	for _, model := range models {
		filters, scorePlugins := model.Unmodelled()
		p.profile(model.Profile, filters, scorePlugins)
		unmodelled = unmodelled || len(filters)+len(scorePlugins) > 0
	}
	if unmodelled {
		p.line("  * runs in kube-scheduler, but the model has no predicate for it")
	}
}

// profile lists the plugins of a profile, and marks those that are not modelled.
func (p *page) profile(profile *spec.Profile, filters, scorePlugins []string) {
	var words []string
	for _, plugin := range profile.Filters {
		words = append(words, marked(plugin, filters))
	}
	p.section("Profile " + profile.SchedulerName)
	p.items("  filters  ", ", ", words)
	words = nil
	for _, w := range profile.ScorePlugins {
		words = append(words, marked(fmt.Sprintf("%s x%d", w.Plugin, w.Weight), scorePlugins))
	}
	p.items("  scores   ", ", ", words)
	p.line("  preempts %s", map[bool]string{true: "yes (DefaultPreemption)", false: "no"}[profile.Preempts])
}

// marked marks what is not modelled. The plugin is the first word.
func marked(text string, unmodelled []string) string {
	plugin, _, _ := strings.Cut(text, " ")
	for _, name := range unmodelled {
		if name == plugin {
			return text + "*"
		}
	}
	return text
}

// scope says what was explored.
func (p *page) scope(r *Run) {
	p.section("Scope")
	p.wrapped("  ", scopeSentence(r))
	if r.Scope.Random == nil {
		p.actions(r)
	}
}

func scopeSentence(r *Run) string {
	s := r.Scope
	if s.Random != nil {
		return randomSentence(s)
	}
	if s.Scenario != "" {
		text := fmt.Sprintf("the Scenario %s in %s: ", s.Scenario, strings.Join(s.Files, ", "))
		if doc := r.Result.Scenarios[0].Scenario.Doc; doc != "" {
			text += strings.TrimRight(strings.Join(strings.Fields(doc), " "), ".:") + "; "
		}
		text += "a cluster of "
		least := len(
			slices.MinFunc(
				r.Result.Scenarios[0].Scenario.Initial,
				func(a, b model.Cluster) int { return len(a.Nodes) - len(b.Nodes) },
			).Nodes,
		)
		if least < s.Nodes {
			text += fmt.Sprintf("%d to ", least)
		}
		text += plural(int64(s.Nodes), "node")
		if s.Pods > 0 {
			text += fmt.Sprintf(", in which up to %s may arrive", plural(int64(s.Pods), "more pod"))
		}
		return text
	}
	if len(s.Files) > 0 {
		text := fmt.Sprintf("the cluster of %s in %s", plural(int64(s.Nodes), "node"), strings.Join(s.Files, ", "))
		if s.Pods > 0 {
			text += fmt.Sprintf(", in which up to %s more may arrive, each like one of its pods",
				plural(int64(s.Pods), "pod"))
		}
		return text
	}
	templates := "templates"
	if s.Thorough {
		templates = "templates, and the thorough ones,"
	}
	return fmt.Sprintf("every cluster of 1 to %s, in which up to %s arrive, all drawn from the %s of each theme",
		plural(int64(s.Nodes), "node"), plural(int64(s.Pods), "pod"), templates)
}

// explored has one line per scenario, and the totals.
func (p *page) explored(r *Run) {
	if r.Scope.Random != nil {
		p.drawn(r)
		return
	}
	p.section("Explored")
	p.themes(r)
	p.totals(r)
}

// themes is a table with a line per theme or cluster, and their sum.
func (p *page) themes(r *Run) {
	what := "theme"
	if len(r.Scope.Files) > 0 {
		what = "cluster"
	}
	rows := table{
		{what, "node templates", "pod templates", "states", "transitions", "depth", "questions", "ended with"},
	}
	for i, s := range r.Result.Scenarios {
		rows = append(rows, []string{s.Scenario.Name, count(int64(len(s.Scenario.Nodes))),
			count(int64(len(s.Scenario.Pods))), count(s.Distinct), count(s.Generated), count(int64(s.Depth)),
			count(r.Result.Questions(i)), ends(s)})
	}
	total := r.Result
	if len(total.Scenarios) > 1 {
		rows = append(rows, []string{
			"total", "", "", count(total.Distinct), count(total.Generated), count(int64(total.Depth)),
			count(total.Asked + total.CacheHits), "",
		})
	}
	p.table("  ", rows)
}

// totals counts decisions, what they led to, and the states in which nothing can happen any more.
func (p *page) totals(r *Run) {
	p.line("  distinct decisions: %s, cache hits: %s; outcomes: %s", count(r.Result.Asked), count(r.Result.CacheHits),
		outcomeCounts(r))
	p.terminalStates(r)
	p.behaviours(r)
}

func outcomeCounts(r *Run) string {
	outcomes := r.Result.Outcomes
	return fmt.Sprintf("bind %s, preempt %s, wait %s", count(outcomes[spec.Bind]), count(outcomes[spec.Preempt]),
		count(outcomes[spec.Wait]))
}

// ends says how the exploration of a scenario ended.
func ends(s decisions.ScenarioResult) string {
	if s.Complete {
		return "every state"
	}
	if s.Distinct == 0 {
		return "not begun"
	}
	return s.Stopped.String()
}

// terminalStates counts the states in which nothing can happen any more.
func (p *page) terminalStates(r *Run) {
	var words []string
	for _, end := range endCounts(r) {
		words = append(words, fmt.Sprintf("%s in %s", end.Label, count(end.Count)))
	}
	if len(words) > 0 {
		p.items("  terminal states: ", ", ", words)
	}
}

// endCounts adds the end states of all scenarios, in the order in which labels first come up.
func endCounts(r *Run) []checker.EndCount {
	sums := []checker.EndCount{
		{Label: decisions.TerminalBound},
		{Label: decisions.TerminalUnschedulable},
		{Label: decisions.TerminalNominated},
	}
	for _, s := range r.Result.Scenarios {
		for _, end := range s.Ends {
			for i := range sums {
				if sums[i].Label == end.Label {
					sums[i].Count += end.Count
				}
			}
		}
	}
	return sums
}

// properties lists every property with its verdict.
func (p *page) properties(r *Run) {
	p.section("Properties")
	rows := table{{"property", "verdict", "exercised", "of", "broken"}}
	for _, property := range r.Result.Properties {
		broken := ""
		if property.Broken > 0 {
			broken = count(property.Broken)
		}
		rows = append(rows, []string{property.Name, property.Verdict(), count(property.Exercised),
			occasions(property.Kind()), broken})
	}
	p.table("  ", rows)
	for _, property := range r.Result.Properties {
		if property.Broken > 0 {
			p.wrapped("  "+property.Name+": ", brokenBy(property))
		}
	}
}

// brokenBy says what explains that a property is broken, with the defects it takes, each named once.
func brokenBy(p decisions.PropertyResult) string {
	var known, design, unexplained int64
	var names []string
	for _, by := range p.By {
		switch by.Class {
		case decisions.New:
			unexplained += by.Count
		case decisions.ByDesign:
			design += by.Count
		default:
			known += by.Count
			for _, quirk := range by.Quirks {
				if !slices.Contains(names, quirk.Name) {
					names = append(names, quirk.Name)
				}
			}
		}
	}
	what := "by known defects"
	if p.Verdict() == "erratum" {
		what = "by errata of the model"
	} else if slices.ContainsFunc(p.By, decisions.Breakage.Erratum) {
		what = "by known defects and errata of the model"
	}
	var parts []string
	add := func(n int64, text string) {
		switch n {
		case 0:
		case p.Broken:
			parts = append(parts, "all "+text)
		default:
			parts = append(parts, count(n)+" "+text)
		}
	}
	add(unexplained, "by nothing known")
	add(known, what+" ("+strings.Join(names, ", ")+")")
	add(design, "by design")
	return "broken " + plural(p.Broken, "time") + ", " + strings.Join(parts, ", ")
}

// occasions is what a property of the kind is asked of.
func occasions(kind string) string {
	return map[string]string{"node": "nodes of states", "state": "states", "step": "steps",
		"decision": "distinct decisions", "behaviour": "states or steps"}[kind]
}

// notCovered says what the run tells nothing about.
func (p *page) notCovered(r *Run) {
	p.section("Not covered")
	for _, text := range notCovered(r) {
		p.wrapped("  - ", text)
	}
}

// conclusion ends the report.
func (p *page) conclusion(r *Run) {
	p.section("Verdict: " + verdictSentence(r))
	if r.Expected != nil && len(r.Surprises()) == 0 {
		p.line("Expected: it is so")
	}
	for _, surprise := range r.Surprises() {
		p.line("Not as expected: %s", surprise)
	}
	busy := 0.0
	if r.Elapsed > 0 && r.Workers > 0 {
		busy = 100 * r.Result.InProduction.Seconds() / (r.Elapsed.Seconds() * float64(r.Workers))
	}
	p.line("Time: %s with %s, %.0f%% of it inside kube-scheduler", rounded(r.Elapsed),
		plural(int64(r.Workers), "worker"), busy)
}

// verdictSentence is the verdict in words; of a user's cluster, in those of its pods.
func verdictSentence(r *Run) string {
	text := r.Verdict().String() + outsideExpectation(r)
	if r.Verdict() == decisions.Holds {
		text += fate(r)
	}
	if known := countOf(r, decisions.Known) + countOf(r, decisions.ByDesign); known > 0 {
		text += fmt.Sprintf("; %s known or by design", plural(known, "finding"))
	}
	if r.Verdict() == decisions.Violated && !r.Result.Complete {
		text += "; not everything was explored"
	}
	return text
}

func countOf(r *Run, class decisions.Class) int64 {
	n := int64(0)
	for _, f := range r.Result.Findings {
		if f.Class == class {
			n++
		}
	}
	return n
}

// outsideExpectation says why the verdict is none that holds.
func outsideExpectation(r *Run) string {
	text, missing := "", r.Result.Unreached()
	switch {
	case r.Verdict() != decisions.Violated || len(missing) == 0 || !r.Result.Complete:
	case len(missing) == 1:
		text += fmt.Sprintf(", %s is not reachable", missing[0])
	default:
		text += fmt.Sprintf(", %s are not reachable", strings.Join(missing, ", "))
	}
	switch fresh := countOf(r, decisions.New); {
	case r.Verdict() == decisions.Unfinished:
		text += "; what was explored so far holds"
	case r.Verdict() == decisions.Violated && fresh > 0:
		text += fmt.Sprintf(", %s that nothing known explains", plural(fresh, "finding"))
	case r.Verdict() == decisions.Violated && r.Strict &&
		countOf(r, decisions.Known)+countOf(r, decisions.ByDesign) > 0:
		text += ", as --strict lets nothing pass"
	}
	return text
}

// fate says what becomes of the pods of the user's cluster, where that is not what the user wants: that they are never
// placed, or evicted again and again. It is empty if all is well, and for clusters of themes.
func fate(r *Run) string {
	if len(r.Scope.Files) == 0 || r.Scope.Random != nil {
		return ""
	}
	var text string
	if victims := evictedForEver(r.Result.Findings); len(victims) > 0 {
		text += fmt.Sprintf(", but %s evicted again and again", subject(victims, "is", "are"))
	}
	var all decisions.Unplaced
	for i := range r.Result.Scenarios {
		u := r.Result.Unplaced(i)
		all.Never, all.Left = append(all.Never, u.Never...), append(all.Left, u.Left...)
		all.Sometimes = append(all.Sometimes, u.Sometimes...)
	}
	if len(all.Never) > 0 {
		text += fmt.Sprintf("; %s never be placed", subject(all.Never, "can", "can"))
	}
	if len(all.Left) > 0 {
		text += fmt.Sprintf("; %s left pending in the end, whatever happens", subject(all.Left, "is", "are"))
	}
	if len(all.Sometimes) > 0 {
		text += fmt.Sprintf("; %s placed in some orders of events, and left pending in others",
			subject(all.Sometimes, "is", "are"))
	}
	return text
}

// evictedForEver names the pods that steps which go on for ever evict.
func evictedForEver(findings []decisions.Finding) []string {
	var victims []string
	for _, f := range findings {
		stages := f.Example.Stages
		for i := len(stages) - 1 - f.Example.Loop; f.Example.Loop > 0 && i < len(stages)-1; i++ {
			for _, victim := range stages[i].Step.Victims {
				if !slices.Contains(victims, name(victim)) {
					victims = append(victims, name(victim))
				}
			}
		}
	}
	return victims
}

// mostNamed is how many pods a verdict names.
const mostNamed = 5

// subject joins names with the verb that fits them.
func subject(names []string, one, several string) string {
	switch n := len(names); {
	case n == 1:
		return names[0] + " " + one
	case n > mostNamed:
		return fmt.Sprintf("%s and %d more %s", strings.Join(names[:mostNamed], ", "), n-mostNamed, several)
	default:
		return fmt.Sprintf("%s and %s %s", strings.Join(names[:n-1], ", "), names[n-1], several)
	}
}

// rounded is a time to two or three digits.
func rounded(t time.Duration) time.Duration {
	if t < time.Second {
		return t.Round(time.Millisecond)
	}
	return t.Round(100 * time.Millisecond)
}
