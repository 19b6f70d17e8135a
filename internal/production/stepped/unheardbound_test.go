package stepped_test

import (
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestUnheardBound: what is refused for a binding by somebody else that kube-scheduler has not heard of breaks nothing,
// nor does a nomination that it need not write, as the API server has it.
func TestUnheardBound(t *testing.T) {
	elsewhere := func(a loop.Action) loop.Action {
		p, _ := a.Object.(*v1.Pod)
		bound := p.DeepCopy()
		bound.Spec.NodeName = "n1"
		return update("binding", bound)
	}
	devices := withDevices(cluster(node("n1"), node("n2")), []string{"d"}, "one")
	devices.ResourceSlices[0].Spec.AllNodes, devices.ResourceSlices[0].Spec.NodeName = nil, new("n2")
	withDevice, withClaim := uses("p", "one"), create(pod("p").PVC("one").Obj())
	volumes := withVolume(cluster(node("n1").Unschedulable(true), node("n2")))

	half := func(name string) *v1.Pod { return pod(name).Req(cpu("500m")).Node("n1").Obj() }
	first, second := half("first"), half("second")
	urgent := create(pod("urgent").Req(cpu("1")).Priority(10).Obj())
	for _, row := range []struct {
		reason  string
		initial *spec.Snapshot
		actions []loop.Action
	}{
		{"its devices are on another node", devices, []loop.Action{withDevice, elsewhere(withDevice), schedule}},
		{"it waits for its volume", volumes, []loop.Action{withClaim, schedule, elsewhere(withClaim)}},
		{"victims that terminate already", with(cluster(node("n1")), first, second),
			[]loop.Action{remove(first), remove(second), urgent, gone(first), schedule, hear(gone(first)), backoff,
				schedule}},
	} {
		s := newScheduler(t, row.initial, stepped.Options{Late: true})
		var broken []string
		do := func(actions ...loop.Action) { broken = append(broken, breaks(t, s, actions)...) }
		for _, a := range row.actions {
			do(a)
			if a.Verb == loop.Create || a.Verb == loop.Delete {
				do(hear(a))
			}
		}
		for { // the volume controller does its work, and is heard of
			actions := (&loop.Scope{Late: 1}).Actions(s.State(), loop.Used{})
			i := slices.IndexFunc(actions, func(a loop.Action) bool {
				return a.Controller || a.Heard && a.Ref.Kind != "Pod"
			})
			if i < 0 {
				break
			}
			do(actions[i])
		}
		if len(broken) > 0 {
			t.Errorf("%s: it breaks %q", row.reason, broken)
		}
	}
}
