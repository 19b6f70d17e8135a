package stepped_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	kubescheduler "k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
)

// TestPlantedBeforeBind: a scheduler that binds a pod that a plugin fails at Reserve or PreBind breaks aborted,
// also where the pod waits in between.
func TestPlantedBeforeBind(t *testing.T) {
	hasty := func(s *kubescheduler.Scheduler) {
		stepped.Below(s, func(inner framework.Framework) framework.Framework { return hurried{inner} })
	}
	plain, waits := pod("first").Obj(), pod("first").PVC("one").Obj()
	binds := update("binding", boundClaim())
	for _, row := range []struct {
		reason string
		pod    *v1.Pod
		fault  loop.Fault
		then   []loop.Action
		want   bool
	}{
		{"reserve", plain, loop.FailReserve, nil, true},
		{"reserve, without an error", plain, loop.RejectReserve, nil, true},
		{"pre-bind", plain, loop.FailPreBind, nil, true},
		{"pre-bind, without an error", plain, loop.RejectPreBind, nil, true},
		{"pre-bind after the wait for a volume", waits, loop.FailPreBind, []loop.Action{binds}, true},
		{"control: nothing fails", plain, loop.NoFault, nil, false},
		{"control: nothing fails after the wait", waits, loop.NoFault, []loop.Action{binds}, false},
	} {
		for _, plant := range []func(*kubescheduler.Scheduler){hasty, nil} {
			s := newScheduler(t, withVolume(cluster(node("n1"))), stepped.Options{Faults: true, Plant: plant})
			broken := breaks(t, s, append([]loop.Action{create(row.pod), failing(row.fault)}, row.then...))
			want := row.want && plant != nil
			if got := slices.Contains(broken, "aborted: default/first"); got != want || plant == nil && broken != nil {
				t.Errorf("%s, planted %v: it breaks %q", row.reason, plant != nil, broken)
			}
		}
	}
}

// hurried passes over plugins that fail at Reserve or PreBind.
type hurried struct{ framework.Framework }

func (h hurried) RunReservePluginsReserve(ctx context.Context, state fwk.CycleState, pod *v1.Pod,
	node string) *fwk.Status {
	h.Framework.RunReservePluginsReserve(ctx, state, pod, node)
	return nil
}

func (h hurried) RunPreBindPlugins(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node string) *fwk.Status {
	h.Framework.RunPreBindPlugins(ctx, state, pod, node)
	return nil
}

// TestNobodyToAdd: where a plugin is to fail as it is told of other pods, and there are none, a nomination that a cycle
// which failed later leaves is not one that went on.
func TestNobodyToAdd(t *testing.T) {
	fails := func(s *kubescheduler.Scheduler) {
		stepped.Below(s, func(inner framework.Framework) framework.Framework { return unprepared{inner} })
	}
	s := newScheduler(t, withVolume(cluster(node("n1"))), stepped.Options{Faults: true, Plant: fails})
	broken := breaks(t, s, []loop.Action{create(pod("first").PVC("one").Obj()), failing(loop.FailAddPod)})
	if is := s.State().Pod("default/first"); is.Spec.NodeName != "" || is.Status.NominatedNodeName != "n1" {
		t.Fatalf("the pod is on %q, nominated to %q", is.Spec.NodeName, is.Status.NominatedNodeName)
	}
	if slices.Contains(broken, "aborted: default/first") {
		t.Errorf("it breaks %q", broken)
	}
}

// unprepared fails at PreBind.
type unprepared struct{ framework.Framework }

func (unprepared) RunPreBindPlugins(context.Context, fwk.CycleState, *v1.Pod, string) *fwk.Status {
	return fwk.AsStatus(errors.New("it fails"))
}
