package spec

import (
	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
)

// wantsDevices is what the defects of devices need: claims of the pod without an allocation, or extended resources that
// are devices, and slices.
func wantsDevices(_ *Profile, pod *v1.Pod, s *Snapshot) bool {
	return len(s.ResourceSlices) > 0 &&
		(exists(ResourceClaims(pod, s), unallocated) || AsksForDevices(pod, s))
}

// OutdatedSlices is a defect of kube-scheduler. Of slices that are for other nodes it looks only where those for the
// node are not as many as there should be of the pool.
func OutdatedSlices() Quirk {
	return Quirk{
		Name: "outdated-slices", Class: Unconfirmed, Upstream: "not reported",
		Title:  "devices of a generation that is outdated are allocated",
		Plugin: "DynamicResources",
		Doc: "Devices are allocated from slices of an older generation of their pool, if these are as many as they say, " +
			"and those of the newer one are for other nodes. How many there should be is what one for the node says.",
		Needs: wantsDevices,
		Devices: func(r *DeviceRules) {
			r.current = func(pool []*resourcev1.ResourceSlice, node *v1.Node) []*resourcev1.ResourceSlice {
				here := newest(r.slicesFor(pool, node))
				if (DevicePool{Slices: here}).Complete() && len(here) > 0 {
					return here
				}
				return newest(pool)
			}
			r.complete = func(pool DevicePool, node *v1.Node) bool {
				here := r.slicesFor(pool.Slices, node)
				return len(here) > 0 && here[0].Spec.Pool.ResourceSliceCount == int64(len(pool.Slices))
			}
		},
	}
}

// NamesakesElsewhere is a reading of kube-scheduler. That devices of a pool must have names of their own is documented,
// not what becomes of a pool in which two have the same.
func NamesakesElsewhere() Quirk {
	return Quirk{
		Name: "namesakes-elsewhere", Class: Interpretation, Upstream: "not reported",
		Title:  "a device is allocated that has its name twice in the pool",
		Plugin: "DynamicResources",
		Doc: "Devices of a pool in which two have the same name are allocated on a node, if one of the two is in a slice " +
			"for other nodes.",
		Needs: wantsDevices,
		Devices: func(r *DeviceRules) {
			r.sound = func(pool DevicePool, node *v1.Node) bool {
				return DevicePool{Slices: r.slicesFor(pool.Slices, node)}.tellsApart() && pool.hasCounters()
			}
		},
	}
}

// CapacityNames is a defect of kube-scheduler.
func CapacityNames() Quirk {
	return Quirk{
		Name: "capacity-names", Class: Unconfirmed, Upstream: "not reported",
		Since:  "v1.36",
		Title:  "capacity requested with the driver's domain is not found without",
		Plugin: "DynamicResources",
		Doc: "A request for capacity does not find that of the device if one of both names it with the domain of the " +
			"driver, and the other without.",
		Needs: wantsDevices,
		Devices: func(r *DeviceRules) {
			r.names = func(_ PublishedDevice, requested, has resourcev1.QualifiedName) bool { return requested == has }
		},
	}
}

// AdminAccessOccupies is a defect of kube-scheduler.
func AdminAccessOccupies() Quirk {
	return Quirk{
		Name: "admin-access-occupies", Class: Unconfirmed, Upstream: "not reported",
		Title:  "admin access keeps a pod's later claims off the device",
		Plugin: "DynamicResources",
		Doc: "A device that a claim of a pod gets administrative access to is taken for the later claims of the pod, and " +
			"for those of other pods it is not.",
		Needs: wantsDevices,
		Devices: func(r *DeviceRules) {
			r.apart = func(first, second Allotment) bool {
				return first.Device.Shareable() || first.Claim != second.Claim && !ordinary(second)
			}
		},
	}
}

// AdminAccessConsumes is a defect of kube-scheduler.
func AdminAccessConsumes() Quirk {
	return Quirk{
		Name: "admin-access-consumes", Class: Reported, Upstream: "kubernetes/kubernetes#140729",
		Since:  "v1.36",
		Title:  "admin access needs free counters and capacity",
		Plugin: "DynamicResources",
		Doc: "Administrative access to a device needs what an allocation of it would take of shared counters, once more " +
			"where the device is allocated already, and of capacity.",
		Needs: wantsDevices,
		Devices: func(r *DeviceRules) {
			r.takesCapacity = func(Allotment) bool { return true }
			r.takers = func(r DeviceRules, facts []Allotment, held []holding) []PublishedDevice {
				var taking []PublishedDevice
				for _, f := range facts {
					known := exists(held, func(h holding) bool {
						return h.device == f.Device.ID && h.shared && r.counted(h)
					}) ||
						exists(taking, func(d PublishedDevice) bool { return d.ID == f.Device.ID })
					if !f.Device.Shareable() || !known {
						taking = append(taking, f.Device)
					}
				}
				return taking
			}
		},
	}
}

// UnreferencedCounters is a defect of kube-scheduler.
func UnreferencedCounters() Quirk {
	return Quirk{
		Name: "unreferenced-counters", Class: Unconfirmed, Upstream: "not reported",
		Since:  "v1.36",
		Title:  "a device needs counters that it takes nothing of",
		Plugin: "DynamicResources",
		Doc: "A device that takes of shared counters is not allocated while more is taken than there is of any counter of " +
			"its pool, also of one that it takes nothing of.",
		Needs: wantsDevices,
		Devices: func(r *DeviceRules) {
			r.enough = func(_ DeviceRules, pool DevicePool, taken []PublishedDevice, by PublishedDevice) bool {
				return len(by.Device.ConsumesCounters) == 0 ||
					all(pool.counterSets(), func(set resourcev1.CounterSet) bool {
						return all(sortedKeys(set.Counters),
							func(name string) bool { return pool.suffices(set.Name, name, taken) })
					})
			}
		},
	}
}

// ShareForgotten is a defect of kube-scheduler.
func ShareForgotten() Quirk {
	return Quirk{
		Name: "share-forgotten", Class: Unconfirmed, Upstream: "not reported",
		Since:  "v1.36",
		Title:  "a share keeps nobody off a device that is for one alone since",
		Plugin: "DynamicResources",
		Doc: "A device that somebody has a share of, and that may be allocated once only since its driver changed that, is " +
			"allocated to another claim.",
		Needs: wantsDevices,
		Devices: func(r *DeviceRules) {
			r.keeps = func(h holding, _ PublishedDevice) bool { return !h.shared }
		},
	}
}

// AllButFull is a defect of kube-scheduler v1.36.
func AllButFull() Quirk {
	return Quirk{
		Name: "all-but-full", Class: Reported, Upstream: "kubernetes/kubernetes#140769",
		Since: "v1.36", Mended: "v1.37",
		Title:  "a request for all devices leaves out those that are full",
		Plugin: "DynamicResources",
		Doc:    "A request for all devices leaves out those that have too little left of a capacity.",
		Needs:  wantsDevices,
		Devices: func(r *DeviceRules) {
			r.all = func(a DeviceAlternative, d PublishedDevice, held []holding) bool {
				alone := Allotment{Alternative: a, Device: d}
				return !d.Shareable() || r.capacityLeft([]Allotment{alone}, alone, held)
			}
		},
	}
}

// SharesRecounted is a defect of kube-scheduler v1.36; before v1.36.2 shares did not count at all: see SharesUncounted.
func SharesRecounted() Quirk {
	return Quirk{
		Name: "shares-recounted", Class: Reported, Upstream: "kubernetes/kubernetes#140433",
		Since: "v1.36.2", Mended: "v1.37",
		Title:  "devices without capacity take counters once for each share",
		Plugin: "DynamicResources",
		Doc: "A device that may be allocated more than once, is allocated, and has no capacity, takes of shared counters " +
			"again when it is allocated again.",
		Needs: wantsDevices,
		Devices: func(r *DeviceRules) {
			r.counted = func(h holding) bool { return !h.shared || h.consumed != nil }
		},
	}
}

// DistinctOverwritten is a defect of kube-scheduler v1.36.
func DistinctOverwritten() Quirk {
	return Quirk{
		Name: "distinct-overwritten", Class: Reported, Upstream: "kubernetes/kubernetes#140438",
		Since: "v1.36", Mended: "v1.37",
		Title:  "of a request for several devices the last is distinct, not all",
		Plugin: "DynamicResources",
		Doc: "A constraint of distinct attributes compares a device with the last one that each request has got, and not " +
			"with those before it; and with none of a request of which it gave up a device since.",
		Needs: wantsDevices,
		Devices: func(r *DeviceRules) {
			r.distinct = func(facts []Allotment, attribute resourcev1.FullyQualifiedName) bool {
				last := map[int]resourcev1.DeviceAttribute{}
				differs := func(d PublishedDevice) (resourcev1.DeviceAttribute, bool) {
					value, there := d.attribute(attribute)
					return value, there && !exists(sortedKeys(last), func(i int) bool { return sameValue(last[i], value) })
				}
				for _, f := range facts {
					if exists(f.tried, func(other Allotment) bool { _, is := differs(other.Device); return is }) {
						delete(last, f.Request)
					}
					value, is := differs(f.Device)
					if !is {
						return false
					}
					last[f.Request] = value
				}
				return true
			}
		},
	}
}

// UnsaidCapacityStopsAll is a deviation of kube-scheduler v1.37.
func UnsaidCapacityStopsAll() Quirk {
	return Quirk{
		Name: "unsaid-capacity-stops-all", Class: Documentation, Upstream: "kubernetes/kubernetes#140442",
		Since:  "v1.37",
		Title:  "a device whose range cannot say what is requested ends the cycle",
		Plugin: devicesPlugin,
		Doc: "If so much capacity is requested that 64 bits cannot say the next step of a device's range, the cycle ends " +
			"in an error, though other devices may have as much.",
		Needs:   wantsDevices,
		Devices: func(r *DeviceRules) { r.unsaidStops = true },
	}
}

// wantsAllDevices is what defects need that are about requests for all devices.
func wantsAllDevices(p *Profile, pod *v1.Pod, s *Snapshot) bool {
	return wantsDevices(p, pod, s) && exists(ResourceClaims(pod, s), func(claim *resourcev1.ResourceClaim) bool {
		return exists(claim.Spec.Devices.Requests, func(request resourcev1.DeviceRequest) bool {
			return exists(Alternatives(request), func(a DeviceAlternative) bool { return a.All })
		})
	})
}

// UpdatedPoolStopsAll is a defect of kube-scheduler.
func UpdatedPoolStopsAll() Quirk {
	return Quirk{
		Name: "updated-pool-stops-all", Class: Reported, Upstream: "kubernetes/kubernetes#141829",
		Title:  "one node's pool that is being updated ends the cycle in an error",
		Plugin: "DynamicResources",
		Doc: "If a pool with slices for a node is not complete, or not sound, a pod that requests all devices ends its " +
			"cycle in an error, though it would fit elsewhere, or by another alternative.",
		Needs:   wantsAllDevices,
		Devices: func(r *DeviceRules) { r.unclearStops = true },
	}
}

// ConstraintStopsAll is a defect of kube-scheduler.
func ConstraintStopsAll() Quirk {
	return Quirk{
		Name: "constraint-stops-all", Class: Unconfirmed, Upstream: "not reported",
		Title:  "a constraint that one node cannot meet ends the cycle in an error",
		Plugin: "DynamicResources",
		Doc: "If the devices of a node do not meet a constraint together, a pod that requests all of them ends its cycle " +
			"in an error, though it would fit elsewhere, or by another alternative.",
		Needs:   wantsAllDevices,
		Devices: func(r *DeviceRules) { r.constraintStops = true },
	}
}

// MissingClassStopsPod is a defect of kube-scheduler.
func MissingClassStopsPod() Quirk {
	return Quirk{
		Name: "missing-class-stops-pod", Class: Unconfirmed, Upstream: "not reported",
		Title:   "an alternative whose class is not there keeps the others off",
		Plugin:  "DynamicResources",
		Doc:     "A pod waits if the class of one of the alternatives of a request is not there, though another can be met.",
		Needs:   wantsDevices,
		Devices: func(r *DeviceRules) { r.classless = lacksClasses(exists[DeviceAlternative]) },
	}
}

// sharesClaims is what defects need that are about claims which have an allocation.
func sharesClaims(_ *Profile, pod *v1.Pod, s *Snapshot) bool {
	return exists(ResourceClaims(pod, s), func(claim *resourcev1.ResourceClaim) bool { return !unallocated(claim) })
}

// EvictedClaimReserved is a defect of kube-scheduler.
func EvictedClaimReserved() Quirk {
	return Quirk{
		Name: "evicted-claim-reserved", Class: Unconfirmed, Upstream: "not reported",
		Since:  "v1.36",
		Title:  "pods are placed with a claim whose devices evict them",
		Plugin: "DynamicResources",
		Doc: "A pod gets a claim of which a device has a taint with NoExecute that the claim does not tolerate: it is " +
			"evicted at once, and the next one is placed likewise.",
		Needs: sharesClaims,
		Devices: func(r *DeviceRules) {
			r.evicting = func(DeviceRules, *resourcev1.ResourceClaim, *v1.Node, *Snapshot) bool { return false }
		},
	}
}

// FullClaimReserved is a defect of kube-scheduler.
func FullClaimReserved() Quirk {
	return Quirk{
		Name: "full-claim-reserved", Class: Unconfirmed, Upstream: "not reported",
		Title:  "a claim is reserved for a 257th pod",
		Plugin: "DynamicResources",
		Doc: "A pod is given a node for which a claim would have to be reserved that is reserved for 256 others, which " +
			"the API server refuses.",
		Needs:   sharesClaims,
		Devices: func(r *DeviceRules) { r.reservable = func(*resourcev1.ResourceClaim) bool { return true } },
	}
}

// FailureBehindUnready is a defect of kube-scheduler. It looks at the devices of a claim in turn, up to the first that
// is not ready.
func FailureBehindUnready() Quirk {
	return Quirk{
		Name: "failure-behind-unready", Class: Unconfirmed, Upstream: "not reported",
		Since:  "v1.36",
		Title:  "a failed device is not seen while one before it is not ready",
		Plugin: "DynamicResources",
		Doc: "A pod gets a node with a claim of which a device failed to be bound, if another device, which stands before " +
			"that one in the allocation, is not ready.",
		Needs: sharesClaims,
		Devices: func(r *DeviceRules) {
			r.failed = func(claim *resourcev1.ResourceClaim) bool {
				for _, result := range claim.Status.Allocation.Devices.Results {
					is := func(condition string) bool { return reportedOf(result, claim, condition) }
					if len(result.BindingConditions) > 0 && exists(result.BindingFailureConditions, is) {
						return true
					}
					if !all(result.BindingConditions, is) {
						return false
					}
				}
				return false
			}
		},
	}
}

// LimitStopsAll is a defect of kube-scheduler.
func LimitStopsAll() Quirk {
	return Quirk{
		Name: "limit-stops-all", Class: Unconfirmed, Upstream: "not reported",
		Title:  "one node with over 32 devices ends the cycle in an error",
		Plugin: "DynamicResources",
		Doc: "If a node has more devices than a claim may have, which are 32, a pod that requests all of them ends its " +
			"cycle in an error, though it would fit elsewhere.",
		Needs:   wantsDevices,
		Devices: func(r *DeviceRules) { r.limitStops = true },
	}
}
