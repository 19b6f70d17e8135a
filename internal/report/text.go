package report

import (
	"fmt"
	"io"
	"slices"
	"strconv"
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
	p.notSeen(r)
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
		if s.PlainNodes != "" {
			text = fmt.Sprintf("the pods in %s on %s (%s), which %s in as no Node is given", strings.Join(s.Files, ", "),
				plural(int64(s.Nodes), "plain node"), s.PlainNodes,
				map[bool]string{true: "stands", false: "stand"}[s.Nodes == 1])
		}
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
	return fmt.Sprintf("every cluster of 1 to %s, in which up to %s arrive, fewer where a theme has fewer, all drawn "+
		"from the %s of each theme",
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
	p.surveyed(r)
}

// mostThemes is how many themes have a line each on one screen. Of more those have one that did not come to their end.
const mostThemes = 12

// themes is a table with a line per theme or cluster, and their sum.
func (p *page) themes(r *Run) {
	total := r.Result
	if len(total.Scenarios) == 0 {
		return
	}
	what, nodes, pods := "theme", "nodes of templates", "pods of templates"
	if len(r.Scope.Files) > 0 {
		what, nodes, pods = "cluster", "node templates", "pod templates"
	}
	sum := "total"
	var together []string
	rows := table{{what, nodes, pods, "states", "transitions", "depth", "questions", "search"}}
	for i, s := range total.Scenarios {
		if !r.Verbose && len(total.Scenarios) > mostThemes && s.Complete {
			together = append(together, s.Scenario.Name)
			continue
		}
		nodes, pods := count(int64(len(s.Scenario.Nodes))), count(int64(len(s.Scenario.Pods)))
		if len(r.Scope.Files) == 0 { // themes have bounds of their own
			arrivals := strconv.Itoa(s.Scenario.Actions.Arrivals)
			if least := s.Scenario.LeastArrivals(); least < s.Scenario.Actions.Arrivals {
				arrivals = fmt.Sprintf("%d-%s", least, arrivals) // where there are more nodes, fewer arrive
			}
			nodes, pods = fmt.Sprintf("%d of %s", s.Scenario.MaxNodes(), nodes), fmt.Sprintf("%s of %s", arrivals, pods)
		}
		rows = append(rows, []string{s.Scenario.Name, nodes, pods, count(s.Distinct), count(s.Generated),
			count(int64(s.Depth)), count(total.Questions(i)), ends(s)})
	}
	if len(together) > 0 {
		together[len(together)-1] += " (-v has a line for each)"
		p.items("  complete: ", ", ", together)
		rows[0][1], rows[0][2], sum = "", "", fmt.Sprintf("all %d", len(total.Scenarios))
	}
	if len(total.Scenarios) > 1 {
		rows = append(rows, []string{
			sum, "", "", count(total.Distinct), count(total.Generated), count(int64(total.Depth)),
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
	bind, preempt, wait := r.Result.Outcomes[spec.Bind], r.Result.Outcomes[spec.Preempt], r.Result.Outcomes[spec.Wait]
	text := fmt.Sprintf("bind %s, preempt %s, wait %s", count(bind), count(preempt), count(wait))
	if none := r.Result.Asked - bind - preempt - wait; none > 0 {
		text += ", error " + count(none)
	}
	return text
}

// ends says how the exploration of a scenario ended.
func ends(s decisions.ScenarioResult) string {
	if s.Complete {
		return "complete"
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

// brokenBy says what explains that a property is broken: by class, how often, and by which deviations, each named once.
func brokenBy(p decisions.PropertyResult) string {
	counts, names := map[decisions.Class]int64{}, map[decisions.Class][]string{}
	for _, by := range p.By {
		counts[by.Class] += by.Count
		for _, quirk := range by.Quirks {
			if !slices.Contains(names[by.Class], quirk.Name) {
				names[by.Class] = append(names[by.Class], quirk.Name)
			}
		}
	}
	var parts []string
	for _, class := range decisions.Classes() {
		text := class.String()
		if class == decisions.New {
			text = "by nothing known"
		}
		if len(names[class]) > 0 {
			text += " (" + strings.Join(names[class], ", ") + ")"
		}
		switch n := counts[class]; n {
		case 0:
		case p.Broken:
			parts = append(parts, "all "+text)
		default:
			parts = append(parts, count(n)+" "+text)
		}
	}
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

// rounded is a time to two or three digits.
func rounded(t time.Duration) time.Duration {
	if t < time.Second {
		return t.Round(time.Millisecond)
	}
	return t.Round(100 * time.Millisecond)
}
