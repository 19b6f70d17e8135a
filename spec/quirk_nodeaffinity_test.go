package spec

import (
	"testing"

	v1 "k8s.io/api/core/v1"
)

// TestUnreadablePreference: the model prefers by whatever an API server takes, and with the quirk there is no decision
// where the value is none that a label can have and two nodes are scored.
func TestUnreadablePreference(t *testing.T) {
	const in, gt, lt = v1.NodeSelectorOpIn, v1.NodeSelectorOpGt, v1.NodeSelectorOpLt
	for _, row := range []struct {
		reason   string
		operator v1.NodeSelectorOperator
		value    string
		nodes    int
		matches  bool // the first node, whose level is 0
		decides  bool // with the quirk
	}{
		{"an integer that a label can be", gt, "0", 2, false, true},
		{"an integer that no label can be", gt, "-1", 2, true, false},
		{"likewise", lt, "-1", 2, false, false},
		{"a single node is not scored", gt, "-1", 1, true, true},
		{"a bound that is no integer", gt, "x", 2, false, false},
		{"letters are what a label can be", in, "x", 2, false, true},
		{"an integer that no label can be is only text", in, "-1", 2, false, false},
	} {
		nodes := []*v1.Node{node("a", "pods", "9"), node("b", "pods", "9")}[:row.nodes]
		nodes[0].Labels = map[string]string{"level": "0"}
		p := pod("p")
		p.Spec.Affinity = &v1.Affinity{NodeAffinity: &v1.NodeAffinity{
			PreferredDuringSchedulingIgnoredDuringExecution: []v1.PreferredSchedulingTerm{{
				Weight: 1, Preference: v1.NodeSelectorTerm{MatchExpressions: []v1.NodeSelectorRequirement{
					{Key: "level", Operator: row.operator, Values: []string{row.value}}}},
			}},
		}}
		s := &Snapshot{Nodes: nodes, Pods: []*v1.Pod{p}}
		m := New(DefaultProfile())
		if got := PreferredNodeAffinity().Raw(m.Profile, p, nodes[0], s) == 1; got != row.matches {
			t.Errorf("%s: %s %s matches: %v", row.reason, row.operator, row.value, got)
		}
		if !m.Decides(p, s) {
			t.Errorf("%s: the model has no decision", row.reason)
		}
		if got := m.With(UnreadablePreferenceStopsPod()).Decides(p, s); got != row.decides {
			t.Errorf("%s: %s %s of %d nodes decides: %v", row.reason, row.operator, row.value, row.nodes, got)
		}
	}
}
