package spec

import (
	"cmp"
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
	// tried are devices that a search came to before this one; nothing documented depends on them.
	tried []Allotment
	// broken: a selector of the alternative cannot be evaluated of the device; it is no fact, but ends a search.
	broken bool
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
func (r DeviceRules) ValidAllocation(p *Profile, facts []Allotment, claims []*resourcev1.ResourceClaim, node *v1.Node,
	s *Snapshot) bool {
	at := r.deviceState(node, s)
	return all(facts, func(f Allotment) bool {
		return contains(claims, f.Claim) && f.Request < len(f.Claim.Spec.Devices.Requests) && r.grantable(p, f, at)
	}) &&
		all(claims, func(claim *resourcev1.ResourceClaim) bool { return r.meetsClaim(p, facts, claim, at) }) &&
		r.exclusive(facts, at) && r.withinCapacity(facts, at) && r.withinCounters(facts, at)
}

// grantable reports whether the device is one of the node's that the alternative wants, and whose taints it tolerates.
func (r DeviceRules) grantable(p *Profile, f Allotment, at deviceState) bool {
	return exists(at.on, func(d PublishedDevice) bool { return d.ID == f.Device.ID && d.Device == f.Device.Device }) &&
		r.wants(p, f.Alternative, f.Device, at.s) && f.Alternative.TolerableFor(f.Device)
}

// meetsClaim reports whether the facts about the claim are what it asks for: each request is met by one of its
// alternatives, its constraints are met, and they are not more than an allocation may have.
//
// Source: doc of AllocationResultsMaxSize ("the maximum number of entries in allocation.devices.results").
func (r DeviceRules) meetsClaim(p *Profile, facts []Allotment, claim *resourcev1.ResourceClaim, at deviceState) bool {
	of := filter(facts, func(f Allotment) bool { return f.Claim == claim })
	requests := claim.Spec.Devices.Requests
	for i := range requests {
		met := filter(of, func(f Allotment) bool { return f.Request == i })
		if !exists(Alternatives(requests[i]), func(a DeviceAlternative) bool { return r.metBy(p, a, met, at) }) {
			return false
		}
	}
	return len(of) <= resourcev1.AllocationResultsMaxSize &&
		all(claim.Spec.Devices.Constraints, func(c resourcev1.DeviceConstraint) bool { return r.meetsConstraint(c, of) })
}

// metBy reports whether the facts, which are about one request, are what the alternative asks for: as many different
// devices as it counts, or all that it wants of those on the node, of which there must be one, and which must all be
// known.
//
// Source: field doc of ExactDeviceRequest.allocationMode, doc of ResourceSlice ("When allocating all resources in a
// pool matching certain criteria ... a consumer should check the number of ResourceSlices in a pool ... and if not,
// should wait until the driver has completed updating the pool").
func (r DeviceRules) metBy(p *Profile, a DeviceAlternative, facts []Allotment, at deviceState) bool {
	ids := each(facts, func(f Allotment) DeviceID { return f.Device.ID })
	if len(distinct(ids, func(a, b DeviceID) bool { return a == b })) < len(ids) ||
		!all(facts, func(f Allotment) bool { return f.Alternative.Name == a.Name }) {
		return false
	}
	if !a.All {
		return int64(len(facts)) == a.Count
	}
	wanted := r.allWanted(p, a, at)
	return len(facts) > 0 && !at.unclear && len(facts) == len(wanted) &&
		all(wanted, func(d PublishedDevice) bool { return contains(ids, d.ID) })
}

// allWanted returns the devices that an alternative for all devices is for.
func (r DeviceRules) allWanted(p *Profile, a DeviceAlternative, at deviceState) []PublishedDevice {
	return filter(at.on, func(d PublishedDevice) bool { return r.wants(p, a, d, at.s) && r.all(a, d, at.held) })
}

// exclusive reports whether devices that may be allocated once only are: to nobody else, and by facts that may go
// together.
func (r DeviceRules) exclusive(facts []Allotment, at deviceState) bool {
	for i, f := range facts {
		holds := func(h holding) bool { return h.device == f.Device.ID && r.keeps(h, f.Device) }
		if !f.Alternative.Admin && exists(at.held, holds) || !all(facts[:i], func(before Allotment) bool {
			return before.Device.ID != f.Device.ID || r.apart(before, f)
		}) {
			return false
		}
	}
	return true
}

// apart reports whether two facts may be about the same device: it may be allocated more than once, or one of them is
// administrative access and they are of different claims. The requests of a claim are for distinct devices.
//
// Source: field docs of Device.allowMultipleAllocations, ExactDeviceRequest.adminAccess ("They ignore all ordinary
// claims to the device with respect to access modes and any resource allocations") and DeviceClaim.requests
// ("individual requests for distinct devices").
func apart(first, second Allotment) bool {
	return first.Device.Shareable() || first.Claim != second.Claim && !(ordinary(first) && ordinary(second))
}

// deviceState is what there is of devices, as seen from a node: the pools, the devices that claims can get on the node,
// and who has got which. It is unclear if there may be more on the node.
type deviceState struct {
	s       *Snapshot
	pools   []DevicePool
	on      []PublishedDevice
	held    []holding
	unclear bool
	// kept are devices the counters of which a search keeps, though it has given them up.
	kept []PublishedDevice
}

func (r DeviceRules) deviceState(node *v1.Node, s *Snapshot) deviceState {
	pools := r.pools(s, node)
	return deviceState{s: s, pools: pools, on: inOrder(r.usableOn(pools, node)), held: heldDevices(s),
		unclear: r.unclear(pools, node)}
}

// inOrder returns the devices by the names of driver, pool and slice, those last of pools in which a device waits for
// conditions to be bound. It is the order in which they are tried, and makes no difference to what is documented.
func inOrder(devices []PublishedDevice) []PublishedDevice {
	waiting := filter(devices, func(d PublishedDevice) bool { return d.Device.BindingConditions != nil })
	last := func(d PublishedDevice) int {
		if exists(waiting, func(o PublishedDevice) bool { return o.ID.InPool() == d.ID.InPool() }) {
			return 1
		}
		return 0
	}
	return slices.SortedStableFunc(slices.Values(devices), func(a, b PublishedDevice) int {
		return cmp.Or(cmp.Compare(last(a), last(b)), cmp.Compare(a.ID.Driver, b.ID.Driver),
			cmp.Compare(a.ID.Pool, b.ID.Pool), cmp.Compare(a.Slice.Name, b.Slice.Name))
	})
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
func (r DeviceRules) withinCapacity(facts []Allotment, at deviceState) bool {
	takers := filter(facts, r.takesCapacity)
	return all(takers, func(f Allotment) bool { return !f.Device.Shareable() || r.capacityLeft(takers, f, at.held) })
}

// capacityLeft reports whether what others hold and the facts take of the device of one of them is not more than there
// is of any of its capacities.
func (r DeviceRules) capacityLeft(takers []Allotment, f Allotment, held []holding) bool {
	return all(sortedKeys(f.Device.Device.Capacity), func(name resourcev1.QualifiedName) bool {
		total := resource.Quantity{}
		for _, h := range held {
			if h.device == f.Device.ID {
				total.Add(h.consumed[name])
			}
		}
		for _, other := range takers {
			if other.Device.ID == f.Device.ID {
				taken, _ := r.Consumes(other.Alternative, other.Device)
				total.Add(taken[name])
			}
		}
		return total.Cmp(f.Device.Device.Capacity[name].Value) <= 0
	})
}

// withinCounters reports whether the devices that are allocated together take no more of the shared counters of their
// pools than there is, as far as devices take of them newly. A device takes its share once, however often it is
// allocated, and by administrative access nothing.
//
// Source: docs of CounterSet ("When a device is allocated, the portion of counters it uses will no longer be available
// for use by other devices").
func (r DeviceRules) withinCounters(facts []Allotment, at deviceState) bool {
	holds := func(d PublishedDevice) bool {
		return exists(at.held, func(h holding) bool { return h.device == d.ID && r.spends(h) })
	}
	takers := r.takers(r, facts, at.held)
	return all(at.pools, func(pool DevicePool) bool {
		takes := func(d PublishedDevice) bool {
			return r.together(d.ID.InPool(), pool.ID) && len(d.Device.ConsumesCounters) > 0
		}
		newly := filter(takers, takes)
		if len(newly) == 0 || newly[0].ID.InPool() != pool.ID {
			return true
		}
		taken := slices.Concat(filter(pool.Devices(), holds), newly, filter(at.kept, takes))
		return all(newly, func(d PublishedDevice) bool { return r.enough(r, pool, taken, d) })
	})
}

// enoughOfReferenced reports whether there is enough of the counters that the device takes.
//
// Source: https://kubernetes.io/docs/concepts/resource-management/dynamic-resource-allocation/dra-features/ ("the
// referenced counter sets must have sufficient quantity for the counters referenced by the device").
func enoughOfReferenced(_ DeviceRules, pool DevicePool, taken []PublishedDevice, by PublishedDevice) bool {
	return all(by.Device.ConsumesCounters, func(c resourcev1.DeviceCounterConsumption) bool {
		return all(sortedKeys(c.Counters), func(name string) bool {
			return pool.suffices(c.CounterSet, name, taken)
		})
	})
}

// suffices reports whether the devices together take no more of the counter than there is.
func (p DevicePool) suffices(set, name string, taken []PublishedDevice) bool {
	total := resource.Quantity{}
	for _, d := range taken {
		for _, of := range d.Device.ConsumesCounters {
			if of.CounterSet == set {
				total.Add(of.Counters[name].Value)
			}
		}
	}
	counter, there := p.counter(set, name)
	return there && total.Cmp(counter.Value) <= 0
}
