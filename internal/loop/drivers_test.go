package loop

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// failing returns an allocated claim of a device that may fail, of which its driver has said what is in the conditions.
func failing(conditions ...metav1.Condition) *resourcev1.ResourceClaim {
	share := types.UID("share")
	return &resourcev1.ResourceClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "fails"},
		Status: resourcev1.ResourceClaimStatus{
			Allocation: &resourcev1.AllocationResult{Devices: resourcev1.DeviceAllocationResult{
				Results: []resourcev1.DeviceRequestAllocationResult{{Driver: "d", Pool: "p", Device: "x", ShareID: &share,
					BindingConditions: []string{"Ready"}, BindingFailureConditions: []string{"Failed"}}},
			}},
			Devices: []resourcev1.AllocatedDeviceStatus{{Driver: "d", Pool: "p", Device: "x",
				ShareID: new(string(share)), Conditions: conditions}},
		},
	}
}

// TestReport: what a driver says of a device takes the place of what it said of it before.
func TestReport(t *testing.T) {
	claim := failing(metav1.Condition{Type: "Failed", Status: metav1.ConditionUnknown})
	action := report(claim, claim.Status.Allocation.Devices.Results[0], []string{"Failed"}, "failed")
	after := action.Object.(*resourcev1.ResourceClaim)
	if n := len(after.Status.Devices); n != 1 ||
		!meta.IsStatusConditionTrue(after.Status.Devices[0].Conditions, "Failed") {
		t.Errorf("the API server would refuse it: %+v", after.Status.Devices)
	}
	if !meta.IsStatusConditionPresentAndEqual(claim.Status.Devices[0].Conditions, "Failed", metav1.ConditionUnknown) {
		t.Error("the claim of before has changed")
	}
}

// TestHopeless: to give a failed device back helps a pod only that could have a node without it.
func TestHopeless(t *testing.T) {
	m := spec.New(spec.DefaultProfile())
	node := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"},
		Status: v1.NodeStatus{Allocatable: v1.ResourceList{v1.ResourcePods: resource.MustParse("9")}}}
	other := &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "other"}}
	other.Spec.Devices.Requests = []resourcev1.DeviceRequest{{Name: "r", Exactly: &resourcev1.ExactDeviceRequest{
		DeviceClassName: "any", AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: 1}}}
	for _, row := range []struct {
		reason string
		claims []string
		want   bool
	}{
		{"its one claim fails", []string{"fails"}, false},
		{"there is no device for the other", []string{"other", "fails"}, true},
		{"the other is missing", []string{"fails", "gone"}, true},
	} {
		pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "p", UID: "p"}}
		for _, name := range row.claims {
			entry := v1.PodResourceClaim{Name: name, ResourceClaimName: &name}
			pod.Spec.ResourceClaims = append(pod.Spec.ResourceClaims, entry)
		}
		failed := failing(metav1.Condition{Type: "Failed", Status: metav1.ConditionTrue})
		view := &spec.Snapshot{Nodes: []*v1.Node{node}, Pods: []*v1.Pod{pod},
			ResourceClaims: []*resourcev1.ResourceClaim{other, failed},
			DeviceClasses:  []*resourcev1.DeviceClass{{ObjectMeta: metav1.ObjectMeta{Name: "any"}}}}
		if got := hopeless(m, pod, view); got != row.want {
			t.Errorf("%s: hopeless %v", row.reason, got)
		}
	}
}

// TestNodeOfUser: an allocation is looked at on a node that it is available on, wherever others are that use the claim.
func TestNodeOfUser(t *testing.T) {
	claim := failing()
	claim.Status.Allocation.NodeSelector = &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{{
		MatchFields: []v1.NodeSelectorRequirement{{Key: metav1.ObjectNameField, Operator: v1.NodeSelectorOpIn,
			Values: []string{"n2"}}},
	}}}
	user := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "p"}, Spec: v1.PodSpec{NodeName: "n1",
		ResourceClaims: []v1.PodResourceClaim{{Name: "c", ResourceClaimName: &claim.Name}}}}
	state := &State{API: &spec.Snapshot{Pods: []*v1.Pod{user}, ResourceClaims: []*resourcev1.ResourceClaim{claim},
		Nodes: []*v1.Node{{ObjectMeta: metav1.ObjectMeta{Name: "n1"}}, {ObjectMeta: metav1.ObjectMeta{Name: "n2"}}}}}
	if node := (&Transition{Before: state, After: state}).nodeOfUser(claim); node == nil || node.Name != "n2" {
		t.Errorf("it is looked at on %v", node)
	}
}
