package decisions_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestNominationsToChangedNodes: when a node changes while somebody waits for it, what a scheduler then does wrong
// with the nomination is found; and it does nothing wrong by itself. Where nodes stay as they are, nothing of it
// comes up.
func TestNominationsToChangedNodes(t *testing.T) {
	changed := func(q spec.Question) bool {
		n := q.Snapshot.Nodes[0]
		return n.Spec.Unschedulable || len(n.Spec.Taints) > 0
	}
	nominated := func(q spec.Question) bool { return q.Pod.Status.NominatedNodeName != "" }
	tests := []struct {
		reason   string
		lie      func(q spec.Question, d *spec.Decision)
		property invariants.Property
		want     []string
	}{
		{
			"the nomination to a cordoned node outlives the victims",
			func(q spec.Question, d *spec.Decision) {
				if nominated(q) && changed(q) && d.Outcomes[0].Type == spec.Wait {
					d.Outcomes = []spec.Outcome{{Type: spec.Wait, Node: -1, KeepsNomination: true}}
				}
			},
			invariants.NominationHasReason(), []string{"the pod keeps its nomination to n-1, where no victim terminates"},
		},
		{
			"whoever finds the node cordoned preempts on it all the same",
			func(q spec.Question, d *spec.Decision) {
				if changed(q) {
					evicting(
						func(p *v1.Pod) bool { return spec.Priority(p) < 10 && p.DeletionTimestamp == nil },
						0,
					)(q, d)
				}
			},
			invariants.NominationAttainable(),
			[]string{"the pod is nominated to n-1, which it never fits: so says TaintToleration"},
		},
		{
			"whoever is nominated is bound, whatever became of the node",
			func(q spec.Question, d *spec.Decision) {
				if nominated(q) && changed(q) && len(spec.PodsOn(q.Snapshot.Nodes[0], q.Snapshot)) == 0 {
					d.Outcomes = []spec.Outcome{{Type: spec.Bind, Node: 0}}
				}
			},
			invariants.PlacementFeasible(), []string{"the pod may be bound to n-1, which is not feasible"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			check := func(changes int, lie func(spec.Question, *spec.Decision)) []string {
				s := clusters(t, 1, model.Actions{Arrivals: 2, Preempt: true, VictimGone: true, NodeChanges: changes},
					node("n", "2"), pod("low", "2", 0), pod("high", "2", 10))
				o := lying(t, lie)
				o.Properties = []invariants.Property{tt.property}
				var reasons []string
				for _, f := range run(t, o, s).Findings {
					reasons = append(reasons, f.Example.Reasons...)
				}
				return reasons
			}
			for _, row := range []struct {
				changes int
				lie     func(spec.Question, *spec.Decision)
			}{{1, func(spec.Question, *spec.Decision) {}}, {0, tt.lie}} {
				if got := check(row.changes, row.lie); len(got) > 0 {
					t.Errorf("%d changes of nodes: %q", row.changes, got)
				}
			}
			got := check(1, tt.lie)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("reasons (-want +got):\n%s", diff)
			}
		})
	}
}
