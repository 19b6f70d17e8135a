package spec

import (
	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
)

// DeviceRules are the predicates that say which allocations of devices are valid, so far as kube-scheduler is known to
// have another in the place of one. DocumentedDevices are what Kubernetes documents; a quirk changes them.
//
// Facts are in the order of claims, of their requests, and of the node's devices. What is documented does not depend
// on it.
type DeviceRules struct {
	// classes returns the class of which the devices stand for an extended resource.
	classes classes
	// reusable reports whether a claim that was made earlier for extended resources is what is needed.
	reusable func(earlier, needed *resourcev1.ResourceClaim) bool
	// misses reports whether the node lacks an extended resource that the pod requests beside some of classes, and that
	// none stands for, so that this keeps it off. Documented, it is not for DynamicResources to ask.
	misses func(r DeviceRules, p *Profile, pod *v1.Pod, node *v1.Node, s *Snapshot) bool
	// concerns reports whether a slice is for the node: documented, whether the node has access to it.
	concerns func(slice *resourcev1.ResourceSlice, node *v1.Node) bool
	// current returns the slices of a pool that count, as seen from the node.
	current func(pool []*resourcev1.ResourceSlice, node *v1.Node) []*resourcev1.ResourceSlice
	// names reports whether a request for capacity under the one name is about the other of the device.
	names func(d PublishedDevice, requested, has resourcev1.QualifiedName) bool
	// apart reports whether two facts, the first before the other, may be about the same device.
	apart func(first, second Allotment) bool
	// keeps reports whether a holding of the device keeps others from it, however much there is.
	keeps func(h holding, d PublishedDevice) bool
	// takesCapacity reports whether the fact takes of what the device has; takers returns the devices that newly take of
	// the counters of their pools, as often as they do; counted reports whether a holding is known to take its share.
	takesCapacity func(f Allotment) bool
	takers        func(r DeviceRules, facts []Allotment, held []holding) []PublishedDevice
	counted       func(h holding) bool
	// namesakes: what devices take of counters is counted together for pools of one name.
	namesakes bool
	// spends reports whether a holding takes of the counters of its pool.
	spends func(h holding) bool
	// enough reports whether there is enough of the counters of the pool that the devices take, for those that a device
	// takes newly.
	enough func(r DeviceRules, pool DevicePool, taken []PublishedDevice, by PublishedDevice) bool
	// all reports whether a device that an alternative wants must be among all.
	all func(a DeviceAlternative, d PublishedDevice, held []holding) bool
	// reservable reports whether a claim that has an allocation may be reserved for one more pod.
	reservable func(claim *resourcev1.ResourceClaim) bool
	// evicting reports whether the pods that use such a claim are evicted.
	evicting func(r DeviceRules, claim *resourcev1.ResourceClaim, node *v1.Node, s *Snapshot) bool
	// failed reports whether a device that is allocated to the claim failed to be bound.
	failed func(claim *resourcev1.ResourceClaim) bool
	// capacityWraps: an amount of capacity that 64 bits cannot say is one that they say instead.
	capacityWraps bool
	// unclearStops and constraintStops: a request for all devices ends in an error where it cannot be known what all are,
	// and where a constraint does not let it have them. limitStops: a claim does where it is for more than it may have.
	// unsoundStops: a request for a number of devices does where a pool of the node is not sound.
	// countsStop: a claim does where its counts add up to more than 64 bits can say. unsaidStops: a request does where it
	// comes to a device the range of which cannot say as much capacity.
	unclearStops, constraintStops, limitStops, unsoundStops, countsStop, unsaidStops bool
	// allStops reports whether a request for all devices ends in a panic with the last of the facts; nil if none does.
	allStops func(r DeviceRules, facts []Allotment, at deviceState) bool
	// laterAllLost: where an alternative is all devices, and not the first of its request, a search takes one of these,
	// and goes on with the first alternative.
	laterAllLost bool
	// keepsCounters: a search keeps the counters of devices that it has given up: see gaveUp.
	keepsCounters bool
	// complete reports whether all slices of the pool are there, as seen from the node. incompleteUsed: devices may be
	// had of pools that are not complete.
	complete       func(pool DevicePool, node *v1.Node) bool
	incompleteUsed bool
	// taintsOff: an allocation does not say what is tolerated, as the feature gate DRADeviceTaints is off.
	taintsOff bool
	// sound reports whether what the slices of the pool say goes together, as seen from the node.
	sound func(pool DevicePool, node *v1.Node) bool
	// classless reports whether a pod is turned away because classes are not there that a request names: documented,
	// those of all its alternatives.
	classless func(claims []*resourcev1.ResourceClaim, s *Snapshot) bool
	// distinct reports whether the facts are about devices with distinct values of the attribute.
	distinct func(facts []Allotment, attribute resourcev1.FullyQualifiedName) bool
	// repeats: an allocation has configuration of the claim once for each request that it names. classForAll: it has that
	// of classes for all requests, once for each.
	repeats, classForAll bool
}

// DocumentedDevices are the rules that Kubernetes documents.
func DocumentedDevices() DeviceRules {
	return DeviceRules{
		classes: ClassFor, reusable: reusable,
		misses:   func(DeviceRules, *Profile, *v1.Pod, *v1.Node, *Snapshot) bool { return false },
		concerns: SliceAvailableOn,
		current:  func(pool []*resourcev1.ResourceSlice, _ *v1.Node) []*resourcev1.ResourceSlice { return newest(pool) },
		names: func(d PublishedDevice, requested, has resourcev1.QualifiedName) bool {
			return d.qualified(requested) == d.qualified(has)
		},
		reservable:    reservable,
		evicting:      evicting,
		failed:        FailedToBind,
		classless:     lacksClasses(all[DeviceAlternative]),
		apart:         apart,
		keeps:         func(h holding, d PublishedDevice) bool { return !d.Shareable() || !h.shared },
		takesCapacity: ordinary,
		takers:        takers,
		counted:       func(holding) bool { return true },
		spends:        func(holding) bool { return true },
		enough:        enoughOfReferenced,
		all:           func(DeviceAlternative, PublishedDevice, []holding) bool { return true },
		complete:      func(pool DevicePool, _ *v1.Node) bool { return pool.Complete() },
		sound:         func(pool DevicePool, _ *v1.Node) bool { return pool.Sound() },
		distinct: func(facts []Allotment, attribute resourcev1.FullyQualifiedName) bool {
			return compared(facts, attribute, func(a, b resourcev1.DeviceAttribute) bool { return !sameValue(a, b) })
		},
	}
}

// lacksClasses returns the function that reports whether some request names classes that are not there, in as many of
// its alternatives as the quantifier says.
func lacksClasses(of func([]DeviceAlternative, func(DeviceAlternative) bool) bool) func([]*resourcev1.ResourceClaim,
	*Snapshot) bool {
	return func(claims []*resourcev1.ResourceClaim, s *Snapshot) bool {
		lacks := func(a DeviceAlternative) bool { return classNamed(a.Class, s) == nil }
		return exists(claims, func(claim *resourcev1.ResourceClaim) bool {
			return exists(claim.Spec.Devices.Requests,
				func(request resourcev1.DeviceRequest) bool { return of(Alternatives(request), lacks) })
		})
	}
}

// ordinary reports whether the fact is no administrative access.
func ordinary(f Allotment) bool { return !f.Alternative.Admin }

// takers returns the devices of facts that are no administrative access, once each, but for those that are allocated
// already.
func takers(r DeviceRules, facts []Allotment, held []holding) []PublishedDevice {
	of := each(filter(facts, ordinary), func(f Allotment) PublishedDevice { return f.Device })
	return filter(distinct(of, func(a, b PublishedDevice) bool { return a.ID == b.ID }), func(d PublishedDevice) bool {
		return !exists(held, func(h holding) bool { return h.device == d.ID && r.counted(h) })
	})
}

// together reports whether what devices of two pools take of counters is counted together.
func (r DeviceRules) together(one, other PoolID) bool {
	return one == other || r.namesakes && one.Pool == other.Pool
}
