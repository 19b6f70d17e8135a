package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/explore"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// Text writes the report for a person to read: plain text, about 110 columns wide, fit to be pasted. The error is the writer's.
func Text(w io.Writer, r *Run) error {
	p := &page{spec: r.Spec}
	p.compared(r)
	p.scope(r)
	p.explored(r)
	p.coverage(r)
	p.fields(r)
	p.properties(r)
	p.findings(r)
	p.notCovered(r)
	p.verdict(r)
	_, err := io.WriteString(w, p.String())
	return err
}

// compared says what was compared with what.
func (p *page) compared(r *Run) {
	p.line("kube-scheduler %s, compared decision by decision with the formal model of placement (reading %q)", r.KubernetesVersion, r.Spec.Reading())
	filters, raters := r.Spec.Unmodelled()
	profile := r.Spec.Profile
	var words []string
	for _, plugin := range profile.Filters {
		words = append(words, marked(plugin, filters))
	}
	p.section("Profile " + profile.SchedulerName)
	p.items("  filters  ", ", ", words)
	words = nil
	for _, w := range profile.Raters {
		words = append(words, marked(fmt.Sprintf("%s x%d", w.Plugin, w.Weight), raters))
	}
	p.items("  scores   ", ", ", words)
	p.line("  preempts %s", map[bool]string{true: "yes (DefaultPreemption)", false: "no"}[profile.Preempts])
	if len(filters)+len(raters) > 0 {
		p.line("  * runs in kube-scheduler, but the model has no predicate for it")
	}
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
	if len(s.Files) > 0 {
		text := fmt.Sprintf("the cluster of %s in %s", plural(int64(s.Nodes), "node"), strings.Join(s.Files, ", "))
		if s.Pods > 0 {
			text += fmt.Sprintf(", in which up to %s more may arrive, each like one of its pods", plural(int64(s.Pods), "pod"))
		}
		return text
	}
	kinds := "kinds"
	if s.Thorough {
		kinds = "kinds, and the thorough ones,"
	}
	return fmt.Sprintf("every cluster of 1 to %s, in which up to %s arrive, all drawn from the %s of each theme",
		plural(int64(s.Nodes), "node"), plural(int64(s.Pods), "pod"), kinds)
}

// explored has one line per scenario, and the totals.
func (p *page) explored(r *Run) {
	if r.Scope.Random != nil {
		p.drawn(r)
		return
	}
	what := "theme"
	if len(r.Scope.Files) > 0 {
		what = "cluster"
	}
	p.section("Explored")
	rows := table{{what, "kinds of node", "kinds of pod", "states", "transitions", "depth", "questions", "ended with"}}
	for i, s := range r.Result.Scenarios {
		rows = append(rows, []string{
			s.Scenario.Name, count(int64(len(s.Scenario.Nodes))), count(int64(len(s.Scenario.Pods))), count(s.Distinct),
			count(s.Generated), count(int64(s.Depth)), count(r.Result.Questions(i)), ends(s),
		})
	}
	total := r.Result
	if len(total.Scenarios) > 1 {
		rows = append(rows, []string{
			"total", "", "", count(total.Distinct), count(total.Generated), count(int64(total.Depth)), count(total.Asked + total.Saved), "",
		})
	}
	p.table("  ", rows)
	p.endStates(r)
	p.line("  distinct decisions: %s asked of kube-scheduler, %s times one of them came up again and was not asked",
		count(total.Asked), count(total.Saved))
	p.becameOf(r)
	p.behaviours(r)
}

func (p *page) becameOf(r *Run) {
	outcomes := r.Result.Outcomes
	p.line("  what became of the pods asked about: bound %s, preempts %s, waits %s", count(outcomes[spec.Bind]),
		count(outcomes[spec.Nominate]), count(outcomes[spec.Wait]))
}

// ends says how the exploration of a scenario ended.
func ends(s explore.ScenarioResult) string {
	if s.Complete {
		return "every state"
	}
	if s.Distinct == 0 {
		return "not begun"
	}
	return s.Stopped.String()
}

// endStates counts the states in which nothing can happen any more.
func (p *page) endStates(r *Run) {
	counts := endCounts(r)
	var words []string
	for _, end := range counts {
		words = append(words, fmt.Sprintf("%s in %s", end.Label, count(end.Count)))
	}
	if len(words) > 0 {
		p.items("  end states: ", ", ", words)
	}
}

// endCounts adds the end states of all scenarios, in the order in which labels first come up.
func endCounts(r *Run) []checker.EndCount {
	sums := []checker.EndCount{{Label: explore.EndRest}, {Label: explore.EndPending}, {Label: explore.EndNominated}}
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
	rows := table{{"property", "verdict", "exercised", "of"}}
	for _, property := range r.Result.Properties {
		rows = append(rows, []string{property.Name, property.Verdict(), count(property.Exercised), occasions(property.Kind())})
	}
	p.table("  ", rows)
}

// occasions is what a property of the kind is asked of.
func occasions(kind string) string {
	return map[string]string{"node": "nodes of states", "step": "steps", "decision": "distinct decisions", "behaviour": "states or steps"}[kind]
}

// notCovered says what the run tells nothing about.
func (p *page) notCovered(r *Run) {
	p.section("Not covered")
	for _, text := range notCovered(r) {
		p.wrapped("  - ", text)
	}
}

// verdict ends the report.
func (p *page) verdict(r *Run) {
	p.section("Verdict: " + verdictSentence(r))
	busy := 0.0
	if r.Elapsed > 0 && r.Workers > 0 {
		busy = 100 * r.Result.InProduction.Seconds() / (r.Elapsed.Seconds() * float64(r.Workers))
	}
	p.line("Time: %s with %s, %.0f%% of it inside kube-scheduler", rounded(r.Elapsed), plural(int64(r.Workers), "worker"), busy)
}

func verdictSentence(r *Run) string {
	classes := map[explore.Class]int64{}
	for _, f := range r.Result.Findings {
		classes[f.Class]++
	}
	text := r.Verdict().String()
	switch r.Verdict() {
	case Violated:
		text += fmt.Sprintf(", %s that nothing known explains", plural(classes[explore.New], "finding"))
		if classes[explore.New] == 0 {
			text = "violated, as --strict lets nothing pass"
		}
	case Unfinished:
		text += "; what was explored so far holds"
	}
	if known := int64(len(r.Result.Findings)) - classes[explore.New]; known > 0 {
		text += fmt.Sprintf("; %s known or by design", plural(known, "finding"))
	}
	if r.Verdict() == Violated && !r.Result.Complete {
		text += "; not everything was explored"
	}
	return text
}

// rounded is a time to two or three digits.
func rounded(t time.Duration) time.Duration {
	if t < time.Second {
		return t.Round(time.Millisecond)
	}
	return t.Round(100 * time.Millisecond)
}
