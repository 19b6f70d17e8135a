package loop_test

import (
	"errors"
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestOutcomesOfErrors: a pod whose cycle ends in an error, here as an expression of its class cannot be evaluated,
// waits, and may keep its nomination or lose it; where it can be it is bound, or waits for a device.
func TestOutcomesOfErrors(t *testing.T) {
	profile := spec.DefaultProfile()
	profile.Selects = func(expression string, _ spec.PublishedDevice) (bool, error) {
		if expression == "errs" {
			return false, errors.New("no such key")
		}
		return expression == "true", nil
	}
	wait := spec.Outcome{Type: spec.Wait, Node: -1}
	for expression, want := range map[string][]spec.Outcome{
		"errs":  {wait, {Type: spec.Wait, Node: -1, KeepsNomination: true}},
		"true":  {{Type: spec.Bind, Node: 0}},
		"false": {wait},
	} {
		pod := &v1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "p"},
			Spec: v1.PodSpec{
				SchedulerName:  v1.DefaultSchedulerName,
				ResourceClaims: []v1.PodResourceClaim{{Name: "c", ResourceClaimName: ptr.To("c")}},
			},
		}
		view := &spec.Snapshot{
			Nodes: []*v1.Node{{ObjectMeta: metav1.ObjectMeta{Name: "n"}, Status: v1.NodeStatus{
				Allocatable: v1.ResourceList{v1.ResourcePods: resource.MustParse("9")}}}},
			Pods: []*v1.Pod{pod},
			DeviceClasses: []*resourcev1.DeviceClass{{ObjectMeta: metav1.ObjectMeta{Name: "any"},
				Spec: resourcev1.DeviceClassSpec{Selectors: []resourcev1.DeviceSelector{
					{CEL: &resourcev1.CELDeviceSelector{Expression: expression}}}}}},
			ResourceClaims: []*resourcev1.ResourceClaim{{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "c"},
				Spec: resourcev1.ResourceClaimSpec{Devices: resourcev1.DeviceClaim{Requests: []resourcev1.DeviceRequest{
					{Name: "r", Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: "any",
						AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: 1}}}}}}},
			ResourceSlices: []*resourcev1.ResourceSlice{{ObjectMeta: metav1.ObjectMeta{Name: "s"},
				Spec: resourcev1.ResourceSliceSpec{Driver: "example.com", NodeName: ptr.To("n"),
					Pool:    resourcev1.ResourcePool{Name: "n", Generation: 1, ResourceSliceCount: 1},
					Devices: []resourcev1.Device{{Name: "d"}}}}},
		}
		got := loop.Outcomes(spec.New(profile), pod, view, spec.Outcome{})
		if !slices.EqualFunc(got, want, spec.Outcome.Equal) {
			t.Errorf("%s: %+v may become of it, want %+v", expression, got, want)
		}
	}
}
