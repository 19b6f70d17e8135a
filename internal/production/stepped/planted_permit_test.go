package stepped_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	kubescheduler "k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
)

// allErrors plants that every failure is told of as an error.
func allErrors(s *kubescheduler.Scheduler) {
	fail := s.FailureHandler
	s.FailureHandler = func(ctx context.Context, f framework.Framework, info *framework.QueuedPodInfo,
		status *fwk.Status, nominating *fwk.NominatingInfo, start time.Time) {
		fail(ctx, f, info, fwk.NewStatus(fwk.Error).WithError(status.AsError()), nominating, start)
	}
}

// heedless goes on with pods that permit plugins reject.
type heedless struct{ framework.Framework }

func (f heedless) WaitOnPermit(ctx context.Context, pod *v1.Pod) *fwk.Status {
	f.Framework.WaitOnPermit(ctx, pod)
	return nil
}

// unwaiting is a framework that waits for nobody on permit.
type unwaiting struct{ framework.Framework }

func (unwaiting) WillWaitOnPermit(context.Context, *v1.Pod) bool    { return false }
func (unwaiting) WaitOnPermit(context.Context, *v1.Pod) *fwk.Status { return nil }

// TestPlantedPermit: it is noticed what goes wrong with pods that permit plugins reject, or that fit nowhere.
func TestPlantedPermit(t *testing.T) {
	p, big := pod("p").Req(cpu("1")).Obj(), pod("big").Req(cpu("2")).Obj()
	heeds := func(s *kubescheduler.Scheduler) {
		stepped.Below(s, func(inner framework.Framework) framework.Framework { return heedless{inner} })
	}
	hurries := func(s *kubescheduler.Scheduler) {
		stepped.Below(s, func(inner framework.Framework) framework.Framework { return unwaiting{inner} })
	}
	for _, row := range []struct {
		property, bug string
		plant         func(*kubescheduler.Scheduler)
		actions       []loop.Action
	}{
		{"condition-told", "a pod that fits nowhere is told to have met an error", allErrors,
			[]loop.Action{create(big), schedule}},
		{"condition-told", "so is one that permit rejects", allErrors,
			[]loop.Action{create(p), failing(loop.RejectPermit)}},
		{"condition-told", "so is one that permit rejects as it waits", allErrors,
			[]loop.Action{create(p), failing(loop.WaitPermit), on(loop.Reject, p)}},
		{"condition-told", "so is one that waits too long on permit", allErrors,
			[]loop.Action{create(p), failing(loop.WaitPermit), on(loop.Expire, p)}},
		{"condition-told", "so is one that is rejected before it is bound", allErrors,
			[]loop.Action{create(p), failing(loop.RejectPreBind)}},
		{"permitted", "who is rejected as it waits is bound", heeds,
			[]loop.Action{create(p), failing(loop.WaitPermit), on(loop.Reject, p)}},
		{"permitted", "who is to wait is bound at once", hurries, []loop.Action{create(p), failing(loop.WaitPermit)}},
		{"permitted", "who waits too long is bound", heeds,
			[]loop.Action{create(p), failing(loop.WaitPermit), on(loop.Expire, p)}},
	} {
		t.Run(row.property+"/"+row.bug, func(t *testing.T) {
			o := stepped.Options{Faults: true, Plant: row.plant}
			broken := breaks(t, newScheduler(t, cluster(node("n1")), o), row.actions)
			if !slices.ContainsFunc(broken, func(text string) bool { return strings.HasPrefix(text, row.property+": ") }) {
				t.Errorf("%s does not notice it; what is noticed: %q", row.property, broken)
			}
			o.Plant = nil
			if broken := breaks(t, newScheduler(t, cluster(node("n1")), o), row.actions); broken != nil {
				t.Errorf("without the bug it breaks %q", broken)
			}
		})
	}
}
