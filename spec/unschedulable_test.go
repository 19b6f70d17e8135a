package spec

import (
	"testing"

	v1 "k8s.io/api/core/v1"
)

func TestNodeUnschedulable(t *testing.T) {
	for _, row := range []struct {
		reason      string
		cordoned    bool
		tolerations []v1.Toleration
		want        bool
	}{
		{"an open node takes anybody", false, nil, true},
		{"a cordoned node takes nobody", true, nil, false},
		{"the toleration of the cordon's taint lifts it", true,
			[]v1.Toleration{{Key: v1.TaintNodeUnschedulable, Operator: v1.TolerationOpExists,
				Effect: v1.TaintEffectNoSchedule}}, true},
		{"an empty effect covers NoSchedule", true,
			[]v1.Toleration{{Key: v1.TaintNodeUnschedulable, Operator: v1.TolerationOpExists}}, true},
		{"tolerating everything covers it", true, []v1.Toleration{{Operator: v1.TolerationOpExists}}, true},
		{"the taint has no value, which Equal meets with an empty one", true,
			[]v1.Toleration{{Key: v1.TaintNodeUnschedulable}}, true},
		{"another value is another taint", true, []v1.Toleration{{Key: v1.TaintNodeUnschedulable, Value: "true"}},
			false},
		{"the taint's effect is NoSchedule, not NoExecute", true,
			[]v1.Toleration{{Key: v1.TaintNodeUnschedulable, Operator: v1.TolerationOpExists,
				Effect: v1.TaintEffectNoExecute}}, false},
	} {
		n, p := node("n"), pod("p")
		n.Spec.Unschedulable, p.Spec.Tolerations = row.cordoned, row.tolerations
		if got := NodeUnschedulable().Holds(&Profile{}, p, n, &Snapshot{}); got != row.want {
			t.Errorf("%s: got %v", row.reason, got)
		}
	}
}
