package decisions_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// liar is a decider whose answers are changed.
type liar struct {
	decisions.Decider
	lie func(q spec.Question, d *spec.Decision)
}

func (l liar) Decide(q spec.Question) *spec.Decision {
	d := l.Decider.Decide(q)
	l.lie(q, d)
	return d
}

// lying returns options whose decider is changed.
func lying(t testing.TB, lie func(q spec.Question, d *spec.Decision)) decisions.Options {
	t.Helper()
	o := kubeScheduler(t, production.Options{})
	honest := o.NewDecider
	o.NewDecider = func() (decisions.Decider, error) {
		decider, err := honest()
		return liar{decider, lie}, err
	}
	return o
}

// evicting makes a decision about a pod of priority 10 one that preempts the chosen pods; the nomination goes to
// the node of the first, or so many nodes further.
func evicting(chosen func(pod *v1.Pod) bool, further int) func(q spec.Question, d *spec.Decision) {
	return func(q spec.Question, d *spec.Decision) {
		o := spec.Outcome{Type: spec.Preempt}
		for _, pod := range q.Snapshot.Pods {
			if pod.Spec.NodeName != "" && chosen(pod) {
				o.Victims = append(o.Victims, pod)
			}
		}
		if spec.Priority(q.Pod) != 10 || len(o.Victims) == 0 {
			return
		}
		home := slices.IndexFunc(
			q.Snapshot.Nodes,
			func(n *v1.Node) bool { return n.Name == o.Victims[0].Spec.NodeName },
		)
		o.Node = (home + further) % len(q.Snapshot.Nodes)
		d.Outcomes = []spec.Outcome{o}
	}
}

// TestLyingDecisions: whatever a decision does wrong, the property that is about it is broken.
func TestLyingDecisions(t *testing.T) {
	lower := func(pod *v1.Pod) bool { return spec.Priority(pod) < 10 }
	never := pod("never", "2", 10)
	policy := v1.PreemptNever
	never.Spec.PreemptionPolicy = &policy
	tests := []struct {
		reason   string
		lie      func(q spec.Question, d *spec.Decision)
		property invariants.Property
		nodes    int
		objects  []runtime.Object
		// want has the reasons of the counterexample; steps is their number.
		want  []string
		steps int
	}{
		{
			"a pod is bound where it does not fit",
			func(_ spec.Question, d *spec.Decision) { d.Outcomes = []spec.Outcome{{Type: spec.Bind, Node: 0}} },
			invariants.PlacementFeasible(), 1, []runtime.Object{node("n", "2"), pod("big", "3", 0)},
			[]string{"the pod may be bound to n-1, which is not feasible"}, 1,
		},
		{
			"an equal dies",
			evicting(func(pod *v1.Pod) bool { return !lower(pod) }, 0),
			invariants.VictimsLowerPriority(), 1, []runtime.Object{node("n", "2"), pod("high", "2", 10)},
			[]string{"victim high-1 of priority 10 dies for a pod of priority 10"}, 3,
		},
		{
			"somebody dies elsewhere",
			evicting(lower, 1),
			invariants.VictimsOnNominatedNode(), 2, []runtime.Object{node("n", "2"), pod("low", "2", 0),
				pod("high", "2", 10)},
			[]string{"victim low-1 is on n-1, the nomination goes to n-2"}, 3,
		},
		{
			"the eviction is of no use",
			evicting(lower, 0),
			invariants.PreemptionSound(), 1, []runtime.Object{node("n", "2"), pod("low", "1", 0), pod("huge", "3", 10)},
			[]string{"n-1 is not feasible for the pod even without default/low-1"}, 3,
		},
		{
			"one dies for nothing",
			evicting(lower, 0),
			invariants.PreemptionIrredundant(), 1, []runtime.Object{node("n", "2"), pod("low", "1", 0),
				pod("high", "1", 10)},
			[]string{"victim low-1 dies for nothing: the pod fits n-1 with it"}, 3,
		},
		{
			"somebody dies though there is room",
			evicting(lower, 0),
			invariants.NoNeedlessPreemption(), 2, []runtime.Object{node("n", "2"), pod("low", "2", 0),
				pod("high", "2", 10)},
			[]string{"default/low-1 die, though n-2 is feasible"}, 3,
		},
		{
			"who never preempts does",
			evicting(lower, 0),
			invariants.NeverPreempts(), 1, []runtime.Object{node("n", "2"), pod("low", "1", 0), never},
			[]string{"the pod never preempts, yet default/low-1 die"}, 3,
		},
		{
			"no answer",
			func(_ spec.Question, d *spec.Decision) { *d = spec.Decision{Failure: "planted"} },
			invariants.Decided(), 1, []runtime.Object{node("n", "2"), pod("low", "1", 0)},
			[]string{"planted"}, 1,
		},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			o := lying(t, tt.lie)
			o.Properties = []invariants.Property{tt.property}
			result := run(t, o, clusters(t, tt.nodes, model.Actions{Arrivals: 2, Preempt: true}, tt.objects...))
			if len(result.Findings) != 1 || result.Properties[0].Verdict() != "violated" {
				t.Fatalf("%d findings, %s", len(result.Findings), result.Properties[0].Verdict())
			}
			f := result.Findings[0]
			if diff := cmp.Diff(tt.want, f.Example.Reasons); diff != "" {
				t.Errorf("reasons (-want +got):\n%s\n%s", diff, describe(f))
			}
			if steps := len(f.Example.Stages) - 1; steps != tt.steps {
				t.Errorf("the counterexample has %d steps, want %d:\n%s", steps, tt.steps, describe(f))
			}
		})
	}
}

// TestStepFindings: a property of steps that is broken has a counterexample that ends with the broken step.
func TestStepFindings(t *testing.T) {
	for _, class := range []model.Class{model.Arrive, model.Bind, model.Preempt, model.Gone, model.Complete} {
		o := kubeScheduler(t, production.Options{})
		o.Properties = []invariants.Property{{
			Name: "never-" + class.String(),
			Step: func(s *invariants.Step) (bool, []invariants.Breach) {
				if s.Action.Class == class {
					return true, []invariants.Breach{{Reason: class.String()}}
				}
				return true, nil
			},
		}}
		result := run(t, o, clusters(t, 1, everything(2), node("n", "2"), pod("low", "2", 0), pod("high", "2", 10)))
		stages := finding(t, result, "never-"+class.String()+"/new").Example.Stages
		for i, stage := range stages {
			broken := stage.Step != nil && stage.Step.Class == class
			if broken != (i == len(stages)-2) {
				t.Errorf("%s: stage %d of %d: broken %v", class, i, len(stages), broken)
			}
		}
		if reasons := result.Findings[0].Example.Reasons; !slices.Equal(reasons, []string{class.String()}) {
			t.Errorf("%s: reasons %q", class, reasons)
		}
	}
}

// TestUnrepeatedAnswer: a decider that answers otherwise when asked again is said to.
func TestUnrepeatedAnswer(t *testing.T) {
	asked := 0
	o := lying(t, func(_ spec.Question, d *spec.Decision) {
		if asked++; asked == 1 {
			d.Failure = "only once"
		}
	})
	result := run(t, o, clusters(t, 1, model.Actions{Arrivals: 1}, node("n", "2"), pod("low", "1", 0)))
	f := finding(t, result, "answered/new")
	want := []string{
		"asked again with the names of this example, the property is not broken: the answer depends on names, or is " +
			"not repeated",
	}
	if diff := cmp.Diff(want, f.Example.Reasons); diff != "" {
		t.Errorf("reasons (-want +got):\n%s", diff)
	}
}
