package stepped_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
)

// TestDeletedClaimNamed is the run of deleted-claim-named: a cycle fails that made a claim for the pod, which is then
// bound where it needs none; where it needs one again, its status names that.
func TestDeletedClaimNamed(t *testing.T) {
	const gpu = "example.com/gpu"
	run := func(capacity map[v1.ResourceName]string) []string {
		initial := withDevices(cluster(node("n1")), []string{"d"})
		initial.DeviceClasses[0].Spec.ExtendedResourceName = new(gpu)
		s := newScheduler(t, initial, stepped.Options{Faults: true})
		return breaks(t, s, []loop.Action{
			create(pod("p").Container("c").Req(map[v1.ResourceName]string{gpu: "1"}).Obj()),
			failing(loop.FailBind), update("capacity", node("n1").Capacity(capacity).Obj()), backoff, schedule})
	}
	want := []string{"claims-written: default/p: deleted-claim-named"}
	if diff := cmp.Diff(want, run(map[v1.ResourceName]string{gpu: "1", "pods": "10"})); diff != "" {
		t.Errorf("it breaks (-want +got):\n%s", diff)
	}
	if got := run(map[v1.ResourceName]string{"cpu": "2", "pods": "10"}); got != nil {
		t.Errorf("on a node that has devices only it breaks %q", got)
	}
}
