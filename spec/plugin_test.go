package spec

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
)

// closed is a filter of a plugin that lets no pod in.
func closed(plugin string) *Filter {
	return &Filter{
		Plugin:    plugin,
		Footprint: ReadsNode,
		Holds:     func(*Profile, *v1.Pod, *v1.Node, *Snapshot) bool { return false },
	}
}

func TestOwnPlugins(t *testing.T) {
	node, pod := &v1.Node{}, &v1.Pod{}
	s := &Snapshot{Nodes: []*v1.Node{node}, Pods: []*v1.Pod{pod}}
	fitAndOwn := &Profile{
		SchedulerName: "main",
		Filters:       []string{"NodeName", "Own"},
		ScorePlugins:  []Weighted{{"NodeAffinity", 1}, {"Own", 3}},
	}
	scorePlugin := &ScorePlugin{
		Plugin:    "Own",
		Footprint: ReadsNode,
		Raw:       func(*Profile, *v1.Pod, *v1.Node, *Snapshot) int64 { return 7 },
	}
	for _, row := range []struct {
		reason      string
		model       *Scheduler
		feasible    bool
		viability   int64
		unmodelled  []string
		explanation bool // known defects of PodTopologySpread may explain a decision
	}{
		{"without a predicate the plugin is left out", New(fitAndOwn), true, 0, []string{"Own"}, true},
		{"a filter is a further conjunct", New(fitAndOwn, Plugin{Filter: closed("Own")}), false, 0, nil, true},
		{"a score plugin is a further summand", New(fitAndOwn, Plugin{Score: scorePlugin}), true, 3 * 7,
			[]string{"Own"}, true},
		{"a plugin that the profile does not enable says nothing", New(&Profile{Filters: []string{"NodeName"}},
			Plugin{Filter: closed("Own"), Score: scorePlugin}), true, 0, nil, true},
		{"one of Kubernetes' own is replaced", New(&Profile{Filters: []string{"PodTopologySpread"}},
			Plugin{Filter: closed("PodTopologySpread")}), false, 0, nil, false},
		{"other profiles have it too", New(&Profile{SchedulerName: "first", Others: []*Profile{fitAndOwn}},
			Plugin{Filter: closed("Own")}).For(&v1.Pod{Spec: v1.PodSpec{SchedulerName: "main"}}), false, 0, nil, true},
		{"what Kubernetes documents has it too", New(fitAndOwn, Plugin{Filter: closed("Own")}).Documented(), false, 0,
			nil, true},
		{"a known defect leaves it alone", New(fitAndOwn, Plugin{Filter: closed("Own")}).With(Quirks()...), false, 0,
			nil, true},
	} {
		t.Run(row.reason, func(t *testing.T) {
			if got := row.model.Feasibility(pod, node, s); got != row.feasible {
				t.Errorf("feasible: %v", got)
			}
			if row.feasible {
				if got := row.model.Viability(pod, node, []*v1.Node{node}, s); got != row.viability {
					t.Errorf("viability: %d, want %d", got, row.viability)
				}
			}
			unmodelled, _ := row.model.Unmodelled()
			if diff := cmp.Diff(row.unmodelled, unmodelled); diff != "" {
				t.Errorf("filters without a predicate (-want +got):\n%s", diff)
			}
			explains := exists(
				row.model.Explanations(),
				func(q Quirk) bool { return q.Plugin == "PodTopologySpread" },
			)
			if explains != row.explanation {
				t.Errorf("defects of PodTopologySpread count: %v", explains)
			}
		})
	}
}
