package decisions_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestLyingPreemptions: whatever a preemption or a nomination does wrong, the property that is about it is broken.
func TestLyingPreemptions(t *testing.T) {
	lower := func(pod *v1.Pod) bool { return spec.Priority(pod) < 10 }
	wait := func(keeps bool) spec.Outcome { return spec.Outcome{Type: spec.Wait, Node: -1, KeepsNomination: keeps} }
	picky := pod("picky", "1", 10)
	picky.Spec.NodeSelector = map[string]string{"disk": "ssd"}
	low, high := pod("low", "2", 0), pod("high", "2", 10)
	tests := []struct {
		reason   string
		lie      func(q spec.Question, d *spec.Decision)
		property invariants.Property
		objects  []runtime.Object
		want     []string
		steps    int
	}{
		{
			"the more important of two dies",
			evicting(func(pod *v1.Pod) bool { return spec.Priority(pod) == 5 }, 0),
			invariants.LowestVictims(), []runtime.Object{node("n", "2"), pod("low", "1", 0), pod("mid", "1", 5),
				pod("high", "1", 10)},
			[]string{"victim default/mid-1 of priority 5 dies where default/low-1 of priority 0 would do"}, 5,
		},
		{
			"nobody is evicted though it would help",
			func(q spec.Question, d *spec.Decision) {
				if spec.Priority(q.Pod) == 10 {
					d.Outcomes = []spec.Outcome{wait(false)}
				}
			},
			invariants.NoLastingInversion(), []runtime.Object{node("n", "2"), low, high},
			[]string{
				"the pod of priority 10 is left pending, though it could be placed by evicting default/low-1 from n-1",
			}, 3,
		},
		{
			"room that was made is taken",
			func(q spec.Question, d *spec.Decision) {
				if spec.Priority(q.Pod) == 0 {
					d.Outcomes = []spec.Outcome{{Type: spec.Bind, Node: 0}}
				}
			},
			invariants.NominationsRespected(), []runtime.Object{node("n", "2"), low, high},
			[]string{"the pod may be bound to n-1, where default/high-1 is nominated and would not fit beside it"}, 6,
		},
		{
			"a nomination to a node of the wrong sort",
			evicting(lower, 0), invariants.NominationAttainable(), []runtime.Object{node("n", "2"), low, picky},
			[]string{"the pod is nominated to n-1, which it never fits: so says NodeAffinity"}, 3,
		},
		{
			"a nomination stays when its node is taken",
			func(q spec.Question, d *spec.Decision) {
				if q.Pod.Status.NominatedNodeName != "" && d.Outcomes[0].Type == spec.Wait {
					d.Outcomes = []spec.Outcome{wait(true)}
				}
			},
			invariants.NominationHasReason(), []runtime.Object{node("n", "2"), low, high, pod("top", "2", 20)},
			[]string{"the pod keeps its nomination to n-1, where no victim terminates"}, 7,
		},
		{
			"it preempts again while its victims terminate",
			evicting(lower, 0), invariants.OnePreemptionAtATime(), []runtime.Object{node("n", "2"), low, high},
			[]string{"the pod evicts default/low-1 from n-1, while victims terminate on n-1 for its sake"}, 4,
		},
		{
			"the preemptor's status is written to the victim",
			func(q spec.Question, d *spec.Decision) {
				if o := d.Outcomes[0]; o.Type == spec.Preempt {
					d.Writes = append(
						d.Writes,
						spec.Write{
							Verb:     "patch",
							Resource: "pods/status",
							Pod:      o.Victims[0],
							Fields:   []string{"nominatedNodeName"},
						},
					)
				}
			},
			invariants.PreemptionWrites(), []runtime.Object{node("n", "2"), low, high},
			[]string{"kube-scheduler is not to patch pods/status of default/low-1 ([nominatedNodeName])"}, 3,
		},
		{
			"a victim is not deleted",
			func(q spec.Question, d *spec.Decision) {
				d.Writes = slices.DeleteFunc(d.Writes, func(w spec.Write) bool { return w.Verb == "delete" })
			},
			invariants.PreemptionWrites(), []runtime.Object{node("n", "2"), low, high},
			[]string{"kube-scheduler does not delete pods of default/low-1"}, 3,
		},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			s := clusters(t, 1, model.Actions{Arrivals: 3, Preempt: true, VictimGone: true}, tt.objects...)
			honest := lying(t, func(spec.Question, *spec.Decision) {})
			honest.Properties = []invariants.Property{tt.property}
			for _, f := range run(t, honest, s).Findings {
				t.Errorf("not planted, but found:\n%s", describe(f))
			}
			o := lying(t, tt.lie)
			o.Properties = honest.Properties
			findings := run(t, o, s).Findings
			if len(findings) != 1 {
				t.Fatalf("%d findings, want 1", len(findings))
			}
			f := findings[0]
			if diff := cmp.Diff(tt.want, f.Example.Reasons); diff != "" || f.Class != "new" {
				t.Errorf("%s, reasons (-want +got):\n%s\n%s", f.Class, diff, describe(f))
			}
			if steps := len(f.Example.Stages) - 1; steps != tt.steps {
				t.Errorf("the counterexample has %d steps, want %d:\n%s", steps, tt.steps, describe(f))
			}
		})
	}
}

// TestAvoidableViolation: to break a budget where that is not needed is found.
func TestAvoidableViolation(t *testing.T) {
	s, err := scenario.Theme("budgets", 1, model.Actions{Arrivals: 3, Preempt: true, VictimGone: true}, admission.Admit)
	if err != nil {
		t.Fatal(err)
	}
	o := lying(t, evicting(func(pod *v1.Pod) bool { return pod.Labels["app"] == "db" }, 0))
	o.Properties = []invariants.Property{invariants.NoAvoidableViolation()}
	f := finding(t, run(t, o, s), "no-avoidable-violation/DefaultPreemption/new")
	want := []string{"to evict b/db-1 from large-1 breaks budgets 1 times; to evict b/free-1 from large-1, 0 times"}
	if diff := cmp.Diff(want, f.Example.Reasons); diff != "" {
		t.Errorf("reasons (-want +got):\n%s\n%s", diff, describe(f))
	}
}
