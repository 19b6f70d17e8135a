package page

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/report"
	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/model"
)

// tour is a run whose states can be visited. It is not for concurrent use.
type tour struct {
	run   *report.Run
	guide *decisions.Guide
}

// newTour opens a tour. newDecider gives kube-scheduler.
func newTour(run *report.Run, newDecider func() (decisions.Decider, error)) (*tour, error) {
	var scenarios []*model.Scenario
	for i := range run.Result.Scenarios {
		scenarios = append(scenarios, run.Result.Scenarios[i].Scenario)
	}
	var properties []invariants.Property
	for _, p := range run.Result.Properties {
		properties = append(properties, p.Property)
	}
	guide, err := decisions.NewGuide(scenarios, decisions.Options{Spec: run.Spec, NewDecider: newDecider,
		Properties: properties})
	if err != nil {
		return nil, fmt.Errorf("preparing to explore: %w", err)
	}
	return &tour{run, guide}, nil
}

func (t *tour) close() { t.guide.Close() }

// scenarioOf returns the index of the scenario of a finding; -1 if there is none.
func (t *tour) scenarioOf(f *decisions.Finding) int {
	return slices.IndexFunc(
		t.run.Result.Scenarios,
		func(s decisions.ScenarioResult) bool { return s.Scenario.Name == f.Example.Scenario },
	)
}

// start finds a state to begin with: i and the number of an initial state, or f, the number of a finding, and that
// of a state of its trace. All are counted from 0.
func (t *tour) start(scenario int, name string) (*model.Arrangement, error) {
	unknown := fmt.Errorf("scenario %s has no start %q", t.run.Result.Scenarios[scenario].Scenario.Name, name)
	if number, ok := strings.CutPrefix(name, "i"); ok {
		initial := t.guide.Initial(scenario)
		if i, err := strconv.Atoi(number); err == nil && i >= 0 && i < len(initial) {
			return initial[i], nil
		}
		return nil, unknown
	}
	numbers, _ := strings.CutPrefix(name, "f")
	first, second, _ := strings.Cut(numbers, ".")
	f, err := strconv.Atoi(first)
	if err != nil || f < 0 || f >= len(t.run.Result.Findings) || t.scenarioOf(&t.run.Result.Findings[f]) != scenario {
		return nil, unknown
	}
	stages := t.run.Result.Findings[f].Example.Stages
	i, err := strconv.Atoi(second)
	if err != nil || i < 0 || i >= len(stages) {
		return nil, unknown
	}
	return stages[i].Arrangement(), nil
}

// walk goes from a start, by the index of the choice at each state.
func (t *tour) walk(scenario int, start string, path []int) (*Walk, *model.Arrangement, error) {
	now, err := t.start(scenario, start)
	if err != nil {
		return nil, nil, err
	}
	way := &Walk{Steps: []report.Step{}}
	for i, index := range path {
		choices := t.guide.Choices(scenario, now)
		if index < 0 || index >= len(choices) {
			return nil, nil, fmt.Errorf("step %d of the path is %d: %d choices are enabled there", i+1, index,
				len(choices))
		}
		way.Steps = append(way.Steps, report.NewStep(choices[index].NamedStep, t.guide.Cluster(scenario, now)))
		now = choices[index].To
	}
	way.State = t.state(scenario, now)
	return way, now, nil
}

// state draws a state, with the steps that are enabled. Where they lead and what is decided is left open.
func (t *tour) state(scenario int, a *model.Arrangement) State {
	cluster := t.guide.Cluster(scenario, a)
	s := State{Drawing: report.NewDrawing(cluster), Choices: []Choice{}, Asking: []Asking{}}
	for _, choice := range t.guide.Choices(scenario, a) {
		s.Choices = append(s.Choices, Choice{
			TraceStep: report.TraceStep{
				Step: report.NewStep(choice.NamedStep, cluster),
				By:   report.TakenBy(choice.StepTakers),
			}, Idle: choice.Idle,
		})
	}
	for _, pod := range t.guide.PendingPods(scenario, a) {
		s.Asking = append(s.Asking, Asking{Pod: pod.Namespace + "/" + pod.Name})
	}
	return s
}

// decide asks where a pod should go.
func (t *tour) decide(scenario int, a *model.Arrangement, pod string) (*Decision, error) {
	c, findings, err := t.guide.Decision(scenario, a, pod)
	if err != nil {
		return nil, err
	}
	return t.decision(c, findings), nil
}

// decision puts a decision beside what the model says.
func (t *tour) decision(c *invariants.Case, findings []decisions.Finding) *Decision {
	d := &Decision{
		Decision:    report.NewDecision(t.run.Spec, c),
		LeastDamage: report.LeastDamage(c),
		Weights:     map[string]int64{},
	}
	for _, w := range c.Spec.Profile.ScorePlugins {
		d.Weights[w.Plugin] = w.Weight
	}
	for r, plugin := range c.Decision.ScorePlugins {
		for n, node := range c.Question.Snapshot.Nodes {
			if len(c.Decision.Nodes) > 0 && report.ScoresDiffer(c, r, n) {
				d.ScoresDiffer = append(d.ScoresDiffer, [2]string{plugin, node.Name})
			}
		}
	}
	for i := range findings {
		d.Findings = append(d.Findings, report.NewExplainedFinding(t.run.Spec, &findings[i]))
	}
	return d
}
