package stepped_test

import (
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"
	st "k8s.io/kubernetes/pkg/scheduler/testing"
)

// TestNeverKeepsNomination: a pod that never preempts is nominated by the scheduler at the beginning of its binding
// cycle, which fails; a more important pod takes its room, and it keeps the nomination for ever. A pod that may
// preempt loses it with its next attempt.
func TestNeverKeepsNomination(t *testing.T) {
	patient := func() *st.PodWrapper { return pod("patient").Priority(10).Req(cpu("1")) }
	urgent := pod("urgent").Priority(20).Req(cpu("1")).Obj()
	for _, row := range []struct {
		pod  *v1.Pod
		want []string
	}{
		{patient().Obj(), nil},
		{patient().PreemptionPolicy(v1.PreemptNever).Obj(),
			[]string{"nominations-settle/never-keeps-nomination"}},
	} {
		scope := liveScope(cluster(node("n1")), 1, row.pod, urgent)
		scope.Arrivals = 2
		result, keys := explored(t, scope, 2, nil, nil)
		if !slices.Equal(keys, row.want) || !result.Liveness.Decided() {
			t.Errorf("found %q, want %q; %+v", keys, row.want, *result.Liveness)
		}
	}
}
