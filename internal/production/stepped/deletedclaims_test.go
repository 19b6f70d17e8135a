package stepped_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

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

// TestRejectedGivesBack: a pod that a plugin rejects at PreFilter gives back the claim that was made for it before, as
// any that is rejected does; nothing else may change by it.
func TestRejectedGivesBack(t *testing.T) {
	const gpu = "example.com/gpu"
	initial := withDevices(cluster(node("n1")), []string{"d"})
	initial.DeviceClasses[0].Spec.ExtendedResourceName = new(gpu)
	p := pod("p").UID("p").Container("c").Req(map[v1.ResourceName]string{gpu: "1"}).Obj()
	initial.Pods = append(initial.Pods, p)
	made := func(name string) *resourcev1.ResourceClaim {
		return &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: p.Namespace,
			UID:             types.UID(name),
			Annotations:     map[string]string{resourcev1.ExtendedResourceClaimAnnotation: "true"},
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(p, v1.SchemeGroupVersion.WithKind("Pod"))}}}
	}
	initial.ResourceClaims = append(initial.ResourceClaims, made("before"))
	s := newScheduler(t, initial, stepped.Options{Faults: true})
	if broken := breaks(t, s, []loop.Action{failing(loop.RejectPreFilter)}); broken != nil {
		t.Errorf("it breaks %q", broken)
	}
	if left := s.State().API.ResourceClaims; len(left) > 0 {
		t.Errorf("claims are left: %v", left)
	}
}
