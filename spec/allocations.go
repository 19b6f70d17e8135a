package spec

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// Allotment is a fact: the device is allocated to the claim for one of its requests, by this alternative of it. An
// allocation of claims is a set of such facts.
type Allotment struct {
	Claim *resourcev1.ResourceClaim
	// Request is the index of the request in the claim.
	Request     int
	Alternative DeviceAlternative
	Device      PublishedDevice
}

// ValidAllocation reports whether the claims can get these devices on the node, as far as devices go that are
// allocated already:
//
//	ValidAllocation(Facts, Claims, Node, S) ==
//	    /\ \A Fact \in Facts : Fact is about a request of a claim /\ Grantable(Fact, Node, S)
//	    /\ \A Claim \in Claims : MeetsClaim(Fact \in Facts of Claim)
//	    /\ Exclusive(Facts, S) /\ WithinCapacity(Facts, S) /\ WithinCounters(Facts, S)
//
// Any valid one may be chosen that is Preferred; nothing says which search finds it.
//
// Source: https://kubernetes.io/docs/concepts/resource-management/dynamic-resource-allocation/, field docs of
// resource.k8s.io/v1.
func ValidAllocation(p *Profile, facts []Allotment, claims []*resourcev1.ResourceClaim, node *v1.Node,
	s *Snapshot) bool {
	on := DevicesOn(node, s)
	return all(facts, func(f Allotment) bool {
		return contains(claims, f.Claim) && f.Request < len(f.Claim.Spec.Devices.Requests) && grantable(p, f, on, s)
	}) &&
		all(claims, func(claim *resourcev1.ResourceClaim) bool { return meetsClaim(p, facts, claim, node, s) }) &&
		exclusiveDevices(facts, s) && withinCapacity(facts, s) && withinCounters(facts, s)
}

// grantable reports whether the device is one of the node's that the alternative wants, and whose taints it tolerates.
func grantable(p *Profile, f Allotment, on []PublishedDevice, s *Snapshot) bool {
	return exists(on, func(d PublishedDevice) bool { return d.ID == f.Device.ID && d.Device == f.Device.Device }) &&
		f.Alternative.Wants(p, f.Device, s) && f.Alternative.TolerableFor(f.Device)
}

// meetsClaim reports whether the facts about the claim are what it asks for: each request is met by one of its
// alternatives, its constraints are met, and they are not more than an allocation may have.
//
// Source: doc of AllocationResultsMaxSize ("the maximum number of entries in allocation.devices.results").
func meetsClaim(p *Profile, facts []Allotment, claim *resourcev1.ResourceClaim, node *v1.Node, s *Snapshot) bool {
	of := filter(facts, func(f Allotment) bool { return f.Claim == claim })
	requests := claim.Spec.Devices.Requests
	for i := range requests {
		met := filter(of, func(f Allotment) bool { return f.Request == i })
		if !exists(Alternatives(requests[i]), func(a DeviceAlternative) bool { return a.metBy(p, met, node, s) }) {
			return false
		}
	}
	return len(of) <= resourcev1.AllocationResultsMaxSize &&
		all(claim.Spec.Devices.Constraints, func(c resourcev1.DeviceConstraint) bool { return meetsConstraint(c, of) })
}

// metBy reports whether the facts, which are about one request, are what the alternative asks for: as many different
// devices as it counts, or all that it wants of those on the node, of which there must be one, and which must all be
// known.
//
// Source: field doc of ExactDeviceRequest.allocationMode, doc of ResourceSlice ("When allocating all resources in a
// pool matching certain criteria ... a consumer should check the number of ResourceSlices in a pool ... and if not,
// should wait until the driver has completed updating the pool").
func (a DeviceAlternative) metBy(p *Profile, facts []Allotment, node *v1.Node, s *Snapshot) bool {
	ids := each(facts, func(f Allotment) DeviceID { return f.Device.ID })
	if len(distinct(ids, func(a, b DeviceID) bool { return a == b })) < len(ids) ||
		!all(facts, func(f Allotment) bool { return f.Alternative.Name == a.Name }) {
		return false
	}
	if !a.All {
		return int64(len(facts)) == a.Count
	}
	wanted := filter(DevicesOn(node, s), func(d PublishedDevice) bool { return a.Wants(p, d, s) })
	return len(facts) > 0 && len(facts) == len(wanted) && !unclear(node, s)
}

// exclusiveDevices reports whether devices that may be allocated once only are: to nobody else, and by one fact at most, facts
// of administrative access left aside. The requests of a claim are for distinct devices, with administrative access
// or without.
//
// Source: field docs of DeviceClaim.requests ("individual requests for distinct devices"),
// ExactDeviceRequest.adminAccess ("They ignore all ordinary claims to the device with respect to access modes and any
// resource allocations") and Device.allowMultipleAllocations.
func exclusiveDevices(facts []Allotment, s *Snapshot) bool {
	held := heldDevices(s)
	for i, f := range facts {
		holds := func(h holding) bool { return h.device == f.Device.ID && (!f.Device.Shareable() || !h.shared) }
		if !f.Alternative.Admin && exists(held, holds) {
			return false
		}
		for _, other := range facts[:i] {
			bothOrdinary := !f.Alternative.Admin && !other.Alternative.Admin
			if !f.Device.Shareable() && other.Device.ID == f.Device.ID && (bothOrdinary || f.Claim == other.Claim) {
				return false
			}
		}
	}
	return true
}

// holding is that a claim has got a device, administrative access left aside. It is shared if the device may be
// allocated again beside it.
type holding struct {
	device   DeviceID
	shared   bool
	consumed Consumption
	claim    *resourcev1.ResourceClaim
}

// heldDevices returns who has got which devices.
//
// Source: field docs of DeviceRequestAllocationResult.adminAccess, shareID ("used when the device supports multiple
// simultaneous allocations") and consumedCapacity. KEP-5075: an allocation "which has no share UID (as it was
// previously a non-shareable device), will be included in the allocated list and cannot be reallocated".
func heldDevices(s *Snapshot) []holding {
	return union(s.ResourceClaims, func(claim *resourcev1.ResourceClaim) []holding {
		if claim.Status.Allocation == nil {
			return nil
		}
		ordinary := filter(claim.Status.Allocation.Devices.Results,
			func(r resourcev1.DeviceRequestAllocationResult) bool { return !valueOr(r.AdminAccess, false) })
		return each(ordinary, func(r resourcev1.DeviceRequestAllocationResult) holding {
			return holding{DeviceID{r.Driver, r.Pool, r.Device}, r.ShareID != nil, r.ConsumedCapacity, claim}
		})
	})
}

// withinCapacity reports whether no more is taken of the capacities of shareable devices than there is. Administrative
// access takes nothing.
//
// Source: field doc of CapacityRequirements.requests ("If the device allows multiple allocation, the aggregated amount
// across all requests must not exceed the capacity value").
func withinCapacity(facts []Allotment, s *Snapshot) bool {
	held := heldDevices(s)
	ordinary := filter(facts, func(f Allotment) bool { return !f.Alternative.Admin })
	return all(ordinary, func(f Allotment) bool {
		return !f.Device.Shareable() || all(sortedKeys(f.Device.Device.Capacity),
			func(name resourcev1.QualifiedName) bool {
				total := resource.Quantity{}
				for _, h := range held {
					if h.device == f.Device.ID {
						add(&total, h.consumed[name])
					}
				}
				for _, other := range ordinary {
					if other.Device.ID == f.Device.ID {
						taken, _ := other.Alternative.Consumes(other.Device)
						add(&total, taken[name])
					}
				}
				return total.Cmp(f.Device.Device.Capacity[name].Value) <= 0
			})
	})
}

func add(total *resource.Quantity, amount resource.Quantity) { total.Add(amount) }

// withinCounters reports whether the devices that are allocated together take no more of the shared counters of their
// pools than there is, as far as the facts are about devices that take of them. A device takes its share once, however
// often it is allocated, and by administrative access nothing.
//
// Source: docs of CounterSet ("When a device is allocated, the portion of counters it uses will no longer be available
// for use by other devices"), and https://kubernetes.io/docs/concepts/resource-management/dynamic-resource-allocation/
// dra-features/#partitionable-devices ("the referenced counter sets must have sufficient quantity for the counters
// referenced by the device").
func withinCounters(facts []Allotment, s *Snapshot) bool {
	ordinary := filter(facts, func(f Allotment) bool { return !f.Alternative.Admin })
	if !exists(ordinary, func(f Allotment) bool { return len(f.Device.Device.ConsumesCounters) > 0 }) {
		return true
	}
	held := heldDevices(s)
	allocated := func(d PublishedDevice) bool {
		return exists(held, func(h holding) bool { return h.device == d.ID }) ||
			exists(ordinary, func(f Allotment) bool { return f.Device.ID == d.ID })
	}
	pools := DevicePools(s)
	return all(ordinary, func(f Allotment) bool {
		if exists(held, func(h holding) bool { return h.device == f.Device.ID }) {
			return true // it takes no more than it has already
		}
		pool := pools[slices.IndexFunc(pools, func(p DevicePool) bool { return p.ID == f.Device.ID.InPool() })]
		together := filter(pool.Devices(), allocated)
		return all(f.Device.Device.ConsumesCounters, func(c resourcev1.DeviceCounterConsumption) bool {
			return all(sortedKeys(c.Counters), func(name string) bool {
				total := resource.Quantity{}
				for _, d := range together {
					for _, taken := range d.Device.ConsumesCounters {
						if taken.CounterSet == c.CounterSet {
							total.Add(taken.Counters[name].Value)
						}
					}
				}
				counter, there := pool.counter(c.CounterSet, name)
				return there && total.Cmp(counter.Value) <= 0
			})
		})
	})
}
