package loop_test

import (
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestCompatible: visitors come together unless their claims hold one device, for which one that shares a claim does
// not count.
func TestCompatible(t *testing.T) {
	holds := func(claim, device string) *resourcev1.ResourceClaim {
		c := &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: claim}}
		c.Status.Allocation = &resourcev1.AllocationResult{Devices: resourcev1.DeviceAllocationResult{
			Results: []resourcev1.DeviceRequestAllocationResult{{Driver: "d", Pool: "p", Device: device}}}}
		return c
	}
	uses := func(name, claim string) *v1.Pod {
		pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}}
		if claim != "" {
			pod.Spec.ResourceClaims = []v1.PodResourceClaim{{Name: "c", ResourceClaimName: &claim}}
		}
		return pod
	}
	s := &spec.Snapshot{ResourceClaims: []*resourcev1.ResourceClaim{holds("a", "1"), holds("b", "1"), holds("c", "2")}}
	kinds := []*v1.Pod{uses("plain", ""), uses("same", "a"), uses("rival", "b"), uses("other", "c")}
	var got []string
	for _, pod := range loop.Compatible(kinds, uses("pod", "a"), s) {
		got = append(got, pod.Name)
	}
	if want := []string{"plain", "same", "other"}; !slices.Equal(got, want) {
		t.Errorf("%v come together, want %v", got, want)
	}
}
