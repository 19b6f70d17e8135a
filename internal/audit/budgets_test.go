package audit

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/seed-a3f26817/modelcheck/spec"
)

func TestNever(t *testing.T) {
	number := func(n int) *intstr.IntOrString { v := intstr.FromInt(n); return &v }
	percent := func(p string) *intstr.IntOrString { v := intstr.FromString(p); return &v }
	for _, tt := range []struct {
		reason            string
		most, least       *intstr.IntOrString
		expected, covered int
		want              bool
	}{
		{"no pod may be missing", number(0), nil, 3, 3, true},
		{"0 % is none", percent("0%"), nil, 3, 3, true},
		{"percentages are rounded up", percent("1%"), nil, 3, 3, false},
		{"one may be", number(1), nil, 3, 3, false},
		{"all must be there", nil, percent("100%"), 3, 3, true},
		{"as many as there are must be there", nil, number(3), 3, 3, true},
		{"rounded up, that is all of them", nil, percent("67%"), 3, 3, true},
		{"two of three", nil, number(2), 3, 3, false},
		{"more are expected than are there", nil, number(3), 5, 3, false},
		{"a status that was never written: those that are there count", nil, number(3), 0, 3, true},
		{"it says nothing", nil, nil, 3, 3, false},
	} {
		budget := &policyv1.PodDisruptionBudget{
			Spec:   policyv1.PodDisruptionBudgetSpec{MaxUnavailable: tt.most, MinAvailable: tt.least},
			Status: policyv1.PodDisruptionBudgetStatus{ExpectedPods: int32(tt.expected)},
		}
		if got := never(budget, tt.covered); got != tt.want {
			t.Errorf("%s: %v", tt.reason, got)
		}
	}
}

func TestEvictable(t *testing.T) {
	always := policyv1.AlwaysAllow
	notReady := []v1.PodCondition{{Type: v1.PodReady, Status: v1.ConditionFalse}}
	isReady := []v1.PodCondition{{Type: v1.PodReady, Status: v1.ConditionTrue}}
	for _, tt := range []struct {
		reason           string
		allowed          int32
		phase            v1.PodPhase
		conditions       []v1.PodCondition
		policy           *policyv1.UnhealthyPodEvictionPolicyType
		current, desired int32
		want             bool
	}{
		{"one disruption is left", 1, v1.PodRunning, isReady, nil, 3, 2, true},
		{"none is left", 0, v1.PodRunning, isReady, nil, 2, 2, false},
		{"it is pending, so no healthy one is lost", 0, v1.PodPending, nil, nil, 2, 2, true},
		{"it is not ready, and enough are", 0, v1.PodRunning, notReady, nil, 2, 2, true},
		{"it is not ready, and not enough are", 0, v1.PodRunning, notReady, nil, 1, 2, false},
		{"it is not ready, and always goes then", 0, v1.PodRunning, notReady, &always, 1, 2, true},
		{"always is about those that are not ready", 0, v1.PodRunning, isReady, &always, 2, 2, false},
		{"nobody ever said that it is ready", 0, v1.PodRunning, nil, nil, 2, 2, false},
	} {
		budget := &policyv1.PodDisruptionBudget{}
		budget.Spec.UnhealthyPodEvictionPolicy = tt.policy
		budget.Status.CurrentHealthy, budget.Status.DesiredHealthy = tt.current, tt.desired
		pod := &v1.Pod{Status: v1.PodStatus{Phase: tt.phase, Conditions: tt.conditions}}
		if got := evictable(budget, pod, tt.allowed); got != tt.want {
			t.Errorf("%s: %v", tt.reason, got)
		}
	}
}

func TestHealth(t *testing.T) {
	pod := &v1.Pod{}
	pod.Labels = map[string]string{"app": "web"}
	for _, tt := range []struct {
		reason                    string
		allowed, current, desired int32
		changes                   []int32
		want                      int32
	}{
		{"each pod that leaves uses one up", 2, 5, 3, []int32{-1}, 1},
		{"none is left", 1, 4, 3, []int32{-1}, 0},
		{"one that comes gives it back", 1, 4, 3, []int32{-1, 1}, 1},
		{"too many have left", 1, 4, 3, []int32{-1, -1, 1}, 0},
		{"it lacked one in the beginning, so the first that comes makes up for that", 0, 2, 3, []int32{1}, 0},
		{"and the next is one more", 0, 2, 3, []int32{1, 1}, 1},
	} {
		budget := &policyv1.PodDisruptionBudget{}
		budget.Spec.Selector = &metav1.LabelSelector{MatchLabels: pod.Labels}
		budget.Status.DisruptionsAllowed = tt.allowed
		budget.Status.CurrentHealthy, budget.Status.DesiredHealthy = tt.current, tt.desired
		h := newHealth(newCovers(&spec.Snapshot{PodDisruptionBudgets: []*policyv1.PodDisruptionBudget{budget}}))
		for _, by := range tt.changes {
			h.count(pod, by)
		}
		if got := h.budgets()[0].Status.DisruptionsAllowed; got != tt.want {
			t.Errorf("%s: %d allowed, want %d", tt.reason, got, tt.want)
		}
	}
}
