package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/deviations"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// FindingsText writes findings for a person, each with its counterexample, as Text does. s is the model they were
// found with. The error is the writer's.
func FindingsText(w io.Writer, s *spec.Scheduler, findings []decisions.Finding) error {
	p := &page{spec: s}
	p.findings(findings)
	_, err := io.WriteString(w, strings.TrimPrefix(p.String(), "\n"))
	return err
}

// findings shows every finding with its counterexample. Findings often share one; then it is shown with the first.
func (p *page) findings(findings []decisions.Finding) {
	if len(findings) == 0 {
		p.section("Findings: none")
		return
	}
	shown := map[string]int{}
	for i := range findings {
		f := &findings[i]
		p.section(fmt.Sprintf("Finding %d of %d: %s", i+1, len(findings), f.ID))
		p.finding(f)
		example := &page{spec: p.spec}
		example.example(f)
		if first := shown[example.String()]; first > 0 {
			p.line("\n  %s: that of finding %d", shortest(f), first)
			continue
		}
		shown[example.String()] = i + 1
		p.WriteString(example.String())
	}
}

// finding says what is wrong, and how often.
func (p *page) finding(f *decisions.Finding) {
	p.wrong(f)
	p.line("  seen in:  %s", seen(f))
}

// wrong says what is wrong.
func (p *page) wrong(f *decisions.Finding) {
	p.wrapped("  class:    ", classSentence(f))
	for _, quirk := range f.Quirks {
		lead := "  by rule:  "
		if quirk.Erratum != nil {
			lead = "  erratum:  "
		}
		p.wrapped(lead, fmt.Sprintf("%s (%s): %s", quirk.Name, quirk.Upstream, quirk.Doc))
	}
	p.wrapped("  wanted:   ", f.Property.Doc)
	lead := "  but:      "
	if f.Class == decisions.Witness {
		lead = "  found:    "
	}
	for _, reason := range reasons(f) {
		p.wrapped(lead, reason)
		lead = strings.Repeat(" ", len(lead))
	}
	for _, quirk := range f.Quirks {
		p.norm(quirk.Name)
	}
	for _, quirk := range f.Quirks {
		p.onPlane(quirk.Name)
	}
	if f.Plugin != "" {
		p.line("  plugin:   %s", f.Plugin)
	}
}

// onPlane says how to see a deviation on a control plane, and whether that was done.
func (p *page) onPlane(name string) {
	if seen := deviations.OnPlane(name); seen != "" {
		p.wrapped("  shown by: ", fmt.Sprintf("go run ./controlplane confirm %s: %s", name, seen))
	}
}

// seen says how often a finding was seen.
func seen(f *decisions.Finding) string {
	if f.Property.Behaviour != nil {
		return plural(f.Count, "set") + " of states that lead back to each other"
	}
	return plural(f.Count, strings.TrimSuffix(occasions(f.Property.Kind()), "s"))
}

// reasons returns the reasons of the counterexample, each once.
func reasons(f *decisions.Finding) []string {
	var once []string
	for _, reason := range f.Example.Reasons {
		if !slices.Contains(once, reason) {
			once = append(once, reason)
		}
	}
	return once
}

// classSentence says what the class of a finding means.
func classSentence(f *decisions.Finding) string {
	if f.Class == decisions.New && f.Property.Own {
		return "new, your own property does not hold"
	}
	return meaning(f.Class, explanations(f))
}

// rounds says which of the steps go on for ever.
func rounds(steps, loop int) string {
	if loop == 1 {
		return fmt.Sprintf("and step %d goes on for ever", steps)
	}
	return fmt.Sprintf("and steps %d to %d go on for ever", steps-loop+1, steps)
}

// shortest is what the steps to a finding are.
func shortest(f *decisions.Finding) string {
	if f.Class == decisions.Witness {
		return "Shortest way there"
	}
	return "Shortest counterexample"
}

// example shows the shortest way to the finding, where it leads, and the decision there.
func (p *page) example(f *decisions.Finding) {
	example := &f.Example
	last := len(example.Stages) - 1
	if last == 0 && example.Case != nil && example.Case.Again != nil {
		p.line("\n  Smallest counterexample, %s:", example.Scenario)
	} else if last == 0 {
		p.line("\n  %s, in %s: no step, it is so in the initial state:", shortest(f), example.Scenario)
	} else {
		p.line("\n  %s, in %s:", shortest(f), example.Scenario)
	}
	for i, step := range sentences(example.Stages) {
		p.wrapped(fmt.Sprintf("  %3d. ", i+1), step)
	}
	if example.Loop > 0 {
		p.wrapped("       ", rounds(last, example.Loop))
	}
	end := example.Stages[last].Cluster
	if example.Case != nil {
		end = example.Case.Question.Snapshot
	}
	if last > 0 {
		p.line("\n  which leads to")
	}
	p.cluster("    ", end, introduced(example.Stages))
	if example.Case != nil {
		p.line("\n  There kube-scheduler is asked where %s should go:", name(example.Case.Question.Pod))
		p.quirks = f.Quirks
		p.decision("    ", example.Case)
		p.quirks = nil
		p.runsWith(f.Configuration)
	}
}

// introduced returns the pods that the steps describe.
func introduced(stages []model.Stage) []*v1.Pod {
	var pods []*v1.Pod
	for _, stage := range stages[:len(stages)-1] {
		if introduces(stage.Step) {
			pods = append(pods, stage.Step.Pod)
		}
	}
	return pods
}
