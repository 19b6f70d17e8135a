//go:build before1.36

package admission

import (
	"testing"

	resourcev1 "k8s.io/api/resource/v1"
)

// TestDrop: what belongs to features that are off is dropped, and nothing else.
func TestDrop(t *testing.T) {
	yes := true
	slice := &resourcev1.ResourceSlice{Spec: resourcev1.ResourceSliceSpec{
		PerDeviceNodeSelection: &yes, SharedCounters: []resourcev1.CounterSet{{Name: "s"}},
		Devices: []resourcev1.Device{{
			Name: "d", AllNodes: &yes, AllowMultipleAllocations: &yes, Taints: []resourcev1.DeviceTaint{{Key: "k"}},
			ConsumesCounters: []resourcev1.DeviceCounterConsumption{{CounterSet: "s"}},
			Capacity: map[resourcev1.QualifiedName]resourcev1.DeviceCapacity{
				"memory": {RequestPolicy: &resourcev1.CapacityRequestPolicy{}},
			},
		}},
	}}
	if !Drop(slice) {
		t.Error("nothing is dropped")
	}
	device := slice.Spec.Devices[0]
	_, kept := device.Capacity["memory"]
	if len(slice.Spec.SharedCounters)+len(device.Taints)+len(device.ConsumesCounters) > 0 ||
		device.AllowMultipleAllocations != nil || device.AllNodes != nil ||
		slice.Spec.PerDeviceNodeSelection != nil || device.Capacity["memory"].RequestPolicy != nil ||
		!kept || device.Name != "d" {
		t.Errorf("left is %+v", slice.Spec)
	}
	if Drop(slice) {
		t.Error("there is something to drop the second time")
	}
	claim := &resourcev1.ResourceClaim{Status: resourcev1.ResourceClaimStatus{
		Allocation: &resourcev1.AllocationResult{Devices: resourcev1.DeviceAllocationResult{
			Results: []resourcev1.DeviceRequestAllocationResult{{Device: "d", BindingConditions: []string{"ready"}}}}}}}
	if !Drop(claim) || len(claim.Status.Allocation.Devices.Results[0].BindingConditions) > 0 {
		t.Errorf("left is %+v", claim.Status)
	}
}
