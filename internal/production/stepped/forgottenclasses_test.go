package stepped_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
)

// TestForgetsBeside: a pod waits that has a claim which is reserved for 256 others, as kube-scheduler has forgotten the
// class that stands for what it requests; asked alone it has the class, and overlooks that the claim is full.
func TestForgetsBeside(t *testing.T) {
	asked := func(others int, actions ...loop.Action) []string {
		initial := twoClasses()
		second := initial.ResourceSlices[0].Spec.Devices[0]
		second.Name = "e"
		initial.ResourceSlices[0].Spec.Devices = append(initial.ResourceSlices[0].Spec.Devices, second)
		of := initial.ResourceSlices[0].Spec
		one := initial.ResourceClaims[0]
		one.Finalizers = []string{resourcev1.Finalizer}
		one.Status.Allocation = &resourcev1.AllocationResult{Devices: resourcev1.DeviceAllocationResult{
			Results: []resourcev1.DeviceRequestAllocationResult{{Request: one.Spec.Devices.Requests[0].Name,
				Driver: of.Driver, Pool: of.Pool.Name, Device: "d"}}}}
		for i := range others {
			name := fmt.Sprintf("other-%d", i)
			one.Status.ReservedFor = append(one.Status.ReservedFor,
				resourcev1.ResourceClaimConsumerReference{Resource: "pods", Name: name, UID: types.UID(name)})
		}
		s := newScheduler(t, initial, stepped.Options{})
		broken := breaks(t, s, append(actions, asking(uses("p", "one"), "example.com/gpu"), schedule))
		return slices.DeleteFunc(broken, func(b string) bool { return b[0] != 'l' }) // of levels-agree alone
	}
	forgets := remove(twoClasses().DeviceClasses[1])
	for _, row := range []struct {
		reason string
		got    []string
		want   []string
	}{
		{"full, and one class is gone", asked(256, forgets),
			[]string{"levels-agree: default/p: extended-resource-class-forgotten+full-claim-reserved"}},
		{"one class is gone", asked(255, forgets), []string{"levels-agree: default/p: extended-resource-class-forgotten"}},
	} {
		if diff := cmp.Diff(row.want, row.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.reason, diff)
		}
	}
}
