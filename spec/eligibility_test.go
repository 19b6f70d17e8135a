package spec

import (
	"testing"

	v1 "k8s.io/api/core/v1"
)

func TestTerminatingByPreemption(t *testing.T) {
	for _, row := range []struct {
		reason string
		change func(*v1.Pod)
		want   bool
	}{
		{"evicted by the scheduler", func(*v1.Pod) {}, true},
		{"not terminating yet", func(p *v1.Pod) { p.DeletionTimestamp = nil }, false},
		{"the condition does not hold", func(p *v1.Pod) { p.Status.Conditions[0].Status = v1.ConditionFalse }, false},
		{"evicted by somebody else", func(p *v1.Pod) { p.Status.Conditions[0].Reason = "EvictionByEvictionAPI" },
			false},
		{"another condition", func(p *v1.Pod) { p.Status.Conditions[0].Type = v1.PodReady }, false},
		{"no condition", func(p *v1.Pod) { p.Status.Conditions = nil }, false},
	} {
		p := preempted(pod("p"))
		row.change(p)
		if got := TerminatingByPreemption(p); got != row.want {
			t.Errorf("%s: got %v", row.reason, got)
		}
	}
}

func TestPreempts(t *testing.T) {
	never, lower := v1.PreemptNever, v1.PreemptLowerPriority
	for _, row := range []struct {
		reason string
		policy *v1.PreemptionPolicy
		want   bool
	}{
		{"PreemptLowerPriority is the default", nil, true},
		{"PreemptLowerPriority", &lower, true},
		{"Never", &never, false},
	} {
		p := pod("p")
		p.Spec.PreemptionPolicy = row.policy
		if got := Preempts(p); got != row.want {
			t.Errorf("%s: got %v", row.reason, got)
		}
	}
}
