package decisions

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// guided is a scenario of one node, and how to explore it.
func guided(t *testing.T, actions model.Actions) (*model.Scenario, Options) {
	t.Helper()
	config, err := production.DefaultConfig()
	if err != nil {
		t.Fatal(err)
	}
	profile, err := config.Spec("default-scheduler")
	if err != nil {
		t.Fatal(err)
	}
	s, err := scenario.Theme("budgets", 1, actions, admission.Admit)
	if err != nil {
		t.Fatal(err)
	}
	return s, Options{Spec: spec.New(profile), Workers: 1, NewDecider: func() (Decider, error) {
		return production.New(t.Context(), config, "default-scheduler", production.Options{})
	}}
}

// TestGuide: whoever takes every choice comes through exactly the states that are explored, and by steps of the
// same classes.
func TestGuide(t *testing.T) {
	s, o := guided(
		t,
		model.Actions{
			Arrivals:    2,
			Completions: 1,
			Deletions:   1,
			Placements:  1,
			Recreations: 1,
			Preempt:     true,
			VictimGone:  true,
		},
	)
	result, err := Run(t.Context(), []*model.Scenario{s}, o)
	if err != nil {
		t.Fatal(err)
	}
	g, err := NewGuide([]*model.Scenario{s}, o)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	machine := g.scenarios[0].machine
	known, classes := map[string]bool{}, map[string]bool{}
	var queue []*model.Arrangement
	meet := func(a *model.Arrangement) {
		state := make([]byte, machine.Width())
		machine.Pack(a, state)
		if !known[string(state)] {
			known[string(state)] = true
			queue = append(queue, a)
		}
	}
	for _, a := range g.Initial(0) {
		meet(a)
	}
	nobody := 0
	for i := 0; i < len(queue); i++ {
		for _, choice := range g.Choices(0, queue[i]) {
			if choice.Idle && string(model.PackNamed(choice.To, nil)) != string(model.PackNamed(queue[i], nil)) {
				t.Fatalf("a %s is idle, and leads elsewhere", choice.Class)
			}
			if choice.Class.Decided() && !choice.Idle && !choice.Production && !choice.Model {
				nobody++
			}
			if !choice.Idle {
				classes[choice.Class.String()] = true
			}
			meet(choice.To)
		}
	}
	if int64(len(known)) != result.Distinct {
		t.Errorf("the guide leads through %d states, %d were explored", len(known), result.Distinct)
	}
	if nobody > 0 {
		t.Errorf("nobody may take %d of the steps", nobody)
	}
	explored := map[string]bool{}
	for _, c := range result.Scenarios[0].Coverage {
		if c.Generated > 0 {
			explored[c.Class] = true
		}
	}
	if diff := cmp.Diff(explored, classes); diff != "" {
		t.Errorf("classes of steps (-explored +guide):\n%s", diff)
	}
}

// TestGuideDecides: in the last state of a counterexample the guide returns the decision and the finding of that
// counterexample.
func TestGuideDecides(t *testing.T) {
	s, o := guided(t, model.Actions{Arrivals: 3, Preempt: true, VictimGone: true})
	result, err := Run(t.Context(), []*model.Scenario{s}, o)
	if err != nil {
		t.Fatal(err)
	}
	g, err := NewGuide([]*model.Scenario{s}, o)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	asked := 0
	for _, f := range result.Findings {
		if f.Example.Case == nil {
			continue
		}
		asked++
		last := f.Example.Stages[len(f.Example.Stages)-1].Arrangement()
		pod := f.Example.Case.Question.Pod
		c, findings, err := g.Decision(0, last, pod.Namespace+"/"+pod.Name)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.EqualFunc(c.Decision.Outcomes, f.Example.Case.Decision.Outcomes, func(a, b spec.Outcome) bool {
			return a.Type == b.Type && a.Node == b.Node && len(a.Victims) == len(b.Victims)
		}) {
			t.Errorf("%s: the guide has another decision", f.ID)
		}
		i := slices.IndexFunc(findings, func(other Finding) bool { return other.ID == f.ID })
		if i < 0 {
			t.Errorf("%s: the guide does not find it", f.ID)
			continue
		}
		if diff := cmp.Diff(f.Example.Reasons, findings[i].Example.Reasons); diff != "" {
			t.Errorf("%s: reasons (-run +guide):\n%s", f.ID, diff)
		}
		if _, _, err := g.Decision(0, last, "default/nobody"); err == nil ||
			!strings.Contains(err.Error(), "default/nobody") {
			t.Errorf("a pod that does not ask: %v", err)
		}
	}
	if asked == 0 {
		t.Error("no finding is one of a decision: this tests nothing")
	}
}
