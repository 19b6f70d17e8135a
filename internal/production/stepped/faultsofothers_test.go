package stepped_test

import (
	"slices"
	"testing"

	kubescheduler "k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
)

// TestOthersFail: a plugin that fails as it is told of other pods, nominated ones or victims, leaves the pod without a
// node, and the victims where they are; where there are none it is not told. A scheduler that passes over what fails
// breaks aborted.
func TestOthersFail(t *testing.T) {
	passesOver := func(s *kubescheduler.Scheduler) {
		stepped.Below(s, func(inner framework.Framework) framework.Framework { return lenient{inner} })
	}
	low, other := pod("low").Req(cpu("1")).Obj(), pod("p").Req(cpu("1")).Obj()
	urgent := pod("p").Priority(10).Req(cpu("1")).Obj()
	bound := []loop.Action{create(low), schedule}
	preempted := slices.Concat(bound, []loop.Action{create(pod("first").Priority(10).Req(cpu("1")).Obj()), schedule,
		gone(low)})
	sleeps := []string{"retried: default/p: post-filter-error-sleeps"}
	for _, row := range []struct {
		reason string
		begins []loop.Action
		then   loop.Action
		fault  loop.Fault
		plant  func(*kubescheduler.Scheduler)
		node   string // on which the pod is then; none if its cycle fails
		want   []string
	}{
		{"another is nominated", preempted, create(other), loop.FailAddPod, nil, "", nil},
		{"nobody is", nil, create(other), loop.FailAddPod, nil, "n1", nil},
		{"a victim is spared", bound, create(urgent), loop.FailAddPod, nil, "", sleeps},
		{"a victim goes", bound, create(urgent), loop.FailRemovePod, nil, "", sleeps},
		{"nobody has to go", nil, create(urgent), loop.FailRemovePod, nil, "n1", nil},
		{"planted: another is nominated", preempted, create(other), loop.FailAddPod, passesOver, "n1",
			[]string{"aborted: default/p"}},
	} {
		s := newScheduler(t, cluster(node("n1")), stepped.Options{Faults: true, Plant: row.plant})
		if broken := breaks(t, s, row.begins); broken != nil {
			t.Fatalf("%s: first it breaks %q", row.reason, broken)
		}
		broken := breaks(t, s, []loop.Action{row.then, failing(row.fault)})
		if row.plant != nil {
			broken = slices.DeleteFunc(broken, func(b string) bool { return b != row.want[0] })
		}
		if !slices.Equal(broken, row.want) {
			t.Errorf("%s: it breaks %q, want %q", row.reason, broken, row.want)
		}
		is, victim := s.State().Pod("default/p"), s.State().Pod("default/low")
		if is.Spec.NodeName != row.node || victim != nil && victim.DeletionTimestamp != nil {
			t.Errorf("%s: it is on %q, want %q, and of another one it remains %v", row.reason, is.Spec.NodeName, row.node,
				victim)
		}
	}
}
