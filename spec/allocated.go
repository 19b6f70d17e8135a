package spec

import (
	"cmp"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
)

// Devices returns the rules for devices, as the quirks of the model change them.
func (m *Scheduler) Devices() DeviceRules { return m.predicates().Devices }

// Allocated says what is wrong with the allocations of claims, which they have got together, for a pod on the node, if
// they had none in the snapshot; empty if nothing is:
//
//	/\ each result is of a device of the node, for a request of the claim, in the words that request and device have
//	/\ ValidAllocation of all of them, beside what others have in the snapshot
//	/\ each allocation has the configuration of the claim and of the classes of its devices
//	/\ each allocation reaches the node, and other nodes if these have access to all its devices, of which none is
//	   bound to the node
//
// Source: see ValidAllocation; field docs of DeviceRequestAllocationResult, of AllocationResult.nodeSelector
// ("NodeSelector defines where the allocated resources are available") and of Device.bindsToNode ("the usage of an
// allocation involving this device has to be limited to exactly the node that was chosen when allocating the claim").
func (r DeviceRules) Allocated(p *Profile, claims []*resourcev1.ResourceClaim, node *v1.Node, s *Snapshot) string {
	r.incompleteUsed, r.taintsOff = !p.has(WholePoolsOnly()), !p.has(DevicesShared())
	before := *s
	before.ResourceClaims = filter(s.ResourceClaims, func(c *resourcev1.ResourceClaim) bool {
		return !exists(claims, func(got *resourcev1.ResourceClaim) bool {
			return got.Namespace == c.Namespace && got.Name == c.Name
		})
	})
	var all []Allotment
	for _, claim := range claims {
		facts, wrong := r.factsOf(claim, node, &before)
		if wrong != "" {
			return fmt.Sprintf("claim %s has got %s", claim.Name, wrong)
		}
		if wrong := cmp.Or(r.wrongConfiguration(claim, facts, s), wrongReach(claim, facts, node, s)); wrong != "" {
			return fmt.Sprintf("claim %s %s", claim.Name, wrong)
		}
		all = append(all, facts...)
	}
	if !r.ValidAllocation(p, all, claims, node, &before) {
		return fmt.Sprintf("no valid allocation gives %s to %s", listedDevices(all),
			each(claims, func(c *resourcev1.ResourceClaim) string { return c.Name }))
	}
	return ""
}

func listedDevices(facts []Allotment) []string {
	return each(facts, func(f Allotment) string { return f.Device.ID.String() })
}

// Beside reports whether what the claim has got goes together with what others have in the snapshot: no device that is
// for one claim has another, and no more is taken of capacities and shared counters than there is. What is not
// published any more is left aside.
func (r DeviceRules) Beside(claim *resourcev1.ResourceClaim, node *v1.Node, s *Snapshot) bool {
	before := *s
	before.ResourceClaims = filter(s.ResourceClaims, func(c *resourcev1.ResourceClaim) bool {
		return c.Namespace != claim.Namespace || c.Name != claim.Name
	})
	facts, wrong := r.factsOf(claim, node, &before)
	at := r.deviceState(node, &before)
	return wrong != "" || r.exclusive(facts, at) && r.withinCapacity(facts, at) && r.withinCounters(facts, at)
}

// factsOf returns the facts that the allocation of the claim is, and what is wrong with it where it is none.
func (r DeviceRules) factsOf(claim *resourcev1.ResourceClaim, node *v1.Node, s *Snapshot) ([]Allotment, string) {
	devices := r.DevicesOn(node, s)
	var facts []Allotment
	for _, result := range claim.Status.Allocation.Devices.Results {
		id := DeviceID{result.Driver, result.Pool, result.Device}
		d := slices.IndexFunc(devices, func(d PublishedDevice) bool { return d.ID == id })
		request := slices.IndexFunc(claim.Spec.Devices.Requests, func(request resourcev1.DeviceRequest) bool {
			return exists(Alternatives(request), func(a DeviceAlternative) bool { return a.Name == result.Request })
		})
		switch {
		case d < 0:
			return nil, fmt.Sprintf("%s, which %s has no access to", id, node.Name)
		case request < 0:
			return nil, fmt.Sprintf("%s for the request %s, which it does not have", id, result.Request)
		}
		fact := Allotment{Claim: claim, Request: request, Device: devices[d]}
		for _, a := range Alternatives(claim.Spec.Devices.Requests[request]) {
			if a.Name == result.Request {
				fact.Alternative = a
			}
		}
		if wrong := r.wrongWords(result, fact); wrong != "" {
			return nil, fmt.Sprintf("%s %s", id, wrong)
		}
		facts = append(facts, fact)
	}
	return facts, ""
}

// wrongWords says in what a result does not have the words of its request and device; empty if it has them.
//
// Source: field docs of DeviceRequestAllocationResult: adminAccess, tolerations ("A copy of all tolerations specified
// in the request at the time when the device got allocated", which "requires enabling the DRADeviceTaints feature
// gate"), bindingConditions ("contains a copy of the BindingConditions from the corresponding ResourceSlice at the time
// of allocation"), shareID ("used when the device supports multiple simultaneous allocations") and consumedCapacity.
func (r DeviceRules) wrongWords(result resourcev1.DeviceRequestAllocationResult, f Allotment) string {
	device := f.Device.Device
	switch {
	case valueOr(result.AdminAccess, false) != f.Alternative.Admin:
		return "with other access than is asked for"
	case !r.taintsOff && !apiequality.Semantic.DeepEqual(result.Tolerations, f.Alternative.Tolerations):
		return "with other tolerations than the request has"
	case !slices.Equal(result.BindingConditions, device.BindingConditions) ||
		!slices.Equal(result.BindingFailureConditions, device.BindingFailureConditions):
		return "with other conditions to be bound than the device has"
	case (result.ShareID != nil) != f.Device.Shareable():
		return "as a share, or not, and the device is not"
	}
	consumed, _ := r.Consumes(f.Alternative, f.Device)
	for _, name := range sortedKeys(consumed) {
		got, amount := result.ConsumedCapacity[name], consumed[name]
		if f.Device.Shareable() && got.Cmp(amount) != 0 {
			return fmt.Sprintf("with %s of %s, and it takes %s", got.String(), name, amount.String())
		}
	}
	return ""
}

// wrongReach says where the allocation is said to be available, or not, and is not, or is.
func wrongReach(claim *resourcev1.ResourceClaim, facts []Allotment, node *v1.Node, s *Snapshot) string {
	if !AllocationReaches(claim, node) {
		return "is not available on " + node.Name
	}
	for _, other := range s.Nodes {
		for _, f := range facts {
			switch {
			case !AllocationReaches(claim, other):
			case !f.Device.AvailableOn(other):
				return fmt.Sprintf("is available on %s, which has no access to %s", other.Name, f.Device.ID)
			case valueOr(f.Device.Device.BindsToNode, false) && other.Name != node.Name:
				return fmt.Sprintf("is available on %s, and %s binds it to %s", other.Name, f.Device.ID, node.Name)
			}
		}
		if !AllocationReaches(claim, other) && all(facts, func(f Allotment) bool {
			return f.Device.AvailableOn(other) && !valueOr(f.Device.Device.BindsToNode, false)
		}) {
			return fmt.Sprintf("is not available on %s, which has access to all its devices", other.Name)
		}
	}
	return ""
}
