package generate

import (
	"fmt"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// claim draws a claim without devices, and adds it.
func (d *deviceDraw) claim(name string) *resourcev1.ResourceClaim {
	claim := &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{
		Namespace: metav1.NamespaceDefault, Name: name, UID: types.UID("claim/" + name),
	}}
	requests := 1 + d.pick("requests", 2)
	for i := range requests {
		claim.Spec.Devices.Requests = append(claim.Spec.Devices.Requests, d.request(fmt.Sprintf("r%d", i)))
	}
	if d.rarely("constrained", 3) {
		claim.Spec.Devices.Constraints = append(claim.Spec.Devices.Constraints, d.constraint(claim))
	}
	d.s.ResourceClaims = append(d.s.ResourceClaims, claim)
	return claim
}

func (d *deviceDraw) constraint(claim *resourcev1.ResourceClaim) resourcev1.DeviceConstraint {
	attribute := drawn(d, "attribute", resourcev1.FullyQualifiedName("example.com/numa"),
		resourcev1.FullyQualifiedName(gpuDriver+"/speed"))
	var constraint resourcev1.DeviceConstraint
	if d.pick("distinct", 2) == 1 {
		constraint.DistinctAttribute = &attribute
	} else {
		constraint.MatchAttribute = &attribute
	}
	request := claim.Spec.Devices.Requests[0]
	switch d.pick("of requests", 4) {
	case 2:
		constraint.Requests = []string{request.Name}
	case 3:
		constraint.Requests = []string{request.Name}
		if len(request.FirstAvailable) > 0 {
			constraint.Requests = []string{request.Name + "/" + request.FirstAvailable[0].Name}
		}
	}
	return constraint
}

func (d *deviceDraw) request(name string) resourcev1.DeviceRequest {
	request := resourcev1.DeviceRequest{Name: name}
	if d.rarely("first available", 4) {
		for i := range 1 + d.pick("subrequests", 2) {
			exact := d.exactly()
			request.FirstAvailable = append(request.FirstAvailable, resourcev1.DeviceSubRequest{
				Name: fmt.Sprintf("s%d", i), DeviceClassName: exact.DeviceClassName, Selectors: exact.Selectors,
				AllocationMode: exact.AllocationMode, Count: exact.Count, Tolerations: exact.Tolerations,
				Capacity: exact.Capacity,
			})
		}
		return request
	}
	request.Exactly = d.exactly()
	if d.rarely("admin", 6) {
		request.Exactly.AdminAccess = new(true)
	}
	return request
}

func (d *deviceDraw) exactly() *resourcev1.ExactDeviceRequest {
	exact := &resourcev1.ExactDeviceRequest{
		DeviceClassName: drawn(d, "class", "any", "any", "any", "gpu", "fast"),
		AllocationMode:  resourcev1.DeviceAllocationModeExactCount, Count: 1,
	}
	switch d.pick("mode", 6) {
	case 3:
		exact.Count = 2
	case 4:
		exact.Count = 3
	case 5:
		exact.AllocationMode, exact.Count = resourcev1.DeviceAllocationModeAll, 0
	}
	switch d.pick("selects", 6) {
	case 3: // cannot be evaluated of all
		exact.Selectors = []resourcev1.DeviceSelector{selector(`device.attributes["example.com"].numa == 0`)}
	case 4:
		exact.Selectors = []resourcev1.DeviceSelector{selector(`"speed" in device.attributes["` + gpuDriver + `"]`)}
	case 5:
		exact.Selectors = []resourcev1.DeviceSelector{selector(`device.allowMultipleAllocations == true`)}
	}
	switch d.pick("tolerates", 6) {
	case 3:
		exact.Tolerations = []resourcev1.DeviceToleration{{Operator: resourcev1.DeviceTolerationOpExists}}
	case 4:
		exact.Tolerations = []resourcev1.DeviceToleration{{Key: "bad", Operator: resourcev1.DeviceTolerationOpEqual,
			Value: "yes", Effect: resourcev1.DeviceTaintEffectNoSchedule}}
	case 5:
		exact.Tolerations = []resourcev1.DeviceToleration{{Key: "bad", Operator: resourcev1.DeviceTolerationOpEqual,
			Value: "no"}}
	}
	if d.rarely("capacity is requested", 3) {
		exact.Capacity = &resourcev1.CapacityRequirements{Requests: map[resourcev1.QualifiedName]resource.Quantity{
			drawn(d, "requested", resourcev1.QualifiedName("memory"), "memory",
				resourcev1.QualifiedName(gpuDriver+"/memory")): quantity(1 + int64(d.pick("how much", 4))),
		}}
	}
	return exact
}

// allocated draws a claim that has a device.
func (d *deviceDraw) allocated(i int) {
	claim := d.claim(fmt.Sprintf("other-%d", i))
	claim.Spec.Devices.Constraints = nil
	claim.Spec.Devices.Requests = []resourcev1.DeviceRequest{{
		Name: "r", Exactly: &resourcev1.ExactDeviceRequest{
			DeviceClassName: "any", AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: 1,
		},
	}}
	id := d.published[d.pick("has", len(d.published))]
	result := resourcev1.DeviceRequestAllocationResult{
		Request: "r", Driver: id.Driver, Pool: id.Pool, Device: id.Device,
	}
	if device := d.deviceOf(id); device.AllowMultipleAllocations != nil {
		result.ShareID = new(types.UID(fmt.Sprintf("00000000-0000-4000-8000-00000000000%d", i)))
		for name := range device.Capacity {
			result.ConsumedCapacity = map[resourcev1.QualifiedName]resource.Quantity{
				name: quantity(int64(1 + d.pick("consumes", 2))),
			}
		}
	}
	if d.rarely("has admin access", 5) {
		claim.Spec.Devices.Requests[0].Exactly.AdminAccess = new(true)
		result.AdminAccess = new(true)
	}
	claim.Status.Allocation = &resourcev1.AllocationResult{
		Devices: resourcev1.DeviceAllocationResult{Results: []resourcev1.DeviceRequestAllocationResult{result}},
	}
}

func (d *deviceDraw) deviceOf(id spec.DeviceID) *resourcev1.Device {
	for _, pool := range spec.DevicePools(d.s) {
		for _, published := range pool.Devices() {
			if published.ID == id {
				return published.Device
			}
		}
	}
	return &resourcev1.Device{}
}
