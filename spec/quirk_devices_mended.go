package spec

import (
	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
)

// SplitPoolUnclear is a defect of kube-scheduler v1.34.
func SplitPoolUnclear() Quirk {
	return Quirk{
		Name: "split-pool-unclear", Class: Reported, Upstream: "kubernetes/kubernetes#134466",
		Mended: "v1.35",
		Title:  "all devices are not had of a pool with slices for other nodes",
		Plugin: devicesPlugin,
		Doc: "Of a pool with slices for several nodes only those for the node are looked at: they are outdated where newer " +
			"ones are for other nodes, and where they are not as many as there should be, no claim gets all devices.",
		Needs: wantsDevices,
		Devices: func(r *DeviceRules) {
			r.current = func(pool []*resourcev1.ResourceSlice, node *v1.Node) []*resourcev1.ResourceSlice {
				here := newest(r.slicesFor(pool, node))
				newer := newest(pool)
				if len(here) > 0 && here[0].Spec.Pool.Generation < newer[0].Spec.Pool.Generation {
					return here
				}
				return newer
			}
			r.complete = func(pool DevicePool, node *v1.Node) bool {
				pool.Slices = r.slicesFor(pool.Slices, node)
				return pool.Complete()
			}
		},
	}
}

// UnsoundPoolStopsAll is a defect of kube-scheduler v1.34, which looks at pools in no order, up to the first that is
// not sound.
func UnsoundPoolStopsAll() Quirk {
	return Quirk{
		Name: "unsound-pool-stops-all", Class: Reported, Upstream: "kubernetes/kubernetes#134189",
		Mended: "v1.35",
		Title:  "a pool that is not sound ends the cycle in an error",
		Plugin: devicesPlugin,
		Doc: "If two devices of a pool have the same name, a pod that requests a number of devices ends its cycle in an " +
			"error, though it would fit elsewhere, unless it gets them of a pool that happens to be looked at before.",
		Needs:   wantsDevices,
		Devices: func(r *DeviceRules) { r.unsoundStops = true },
	}
}

// AllocatedClaimUnscored is a defect of kube-scheduler v1.35 to v1.36.1, which takes the n-th of the new allocations
// for that of the pod's n-th claim.
func AllocatedClaimUnscored() Quirk {
	return Quirk{
		Name: "allocated-claim-unscored", Class: Reported, Upstream: "kubernetes/kubernetes#139016",
		Since: "v1.35", Mended: "v1.36.2", Backports: []string{"v1.35.6"},
		Title:  "a claim with an allocation beside one without ends the cycle",
		Plugin: devicesPlugin,
		Doc: "If some claims of a pod have an allocation and others do not, and the pod fits on several nodes, their score " +
			"ends the cycle in an error.",
		Needs: wantsDevices,
		ScoringFails: func(_ *Scheduler, pod *v1.Pod, _ *v1.Node, s *Snapshot) bool {
			claims := ResourceClaims(pod, s)
			return exists(claims, unallocated) && !all(claims, unallocated)
		},
	}
}

// AllCountersPanic is a defect of kube-scheduler v1.36.0: it forgets in which pool a device is that a request for all
// devices is for, and looks there for its counters.
func AllCountersPanic() Quirk {
	return Quirk{
		Name: "all-counters-panic", Class: Reported, Upstream: "kubernetes/kubernetes#138882",
		Since: "v1.36", Mended: "v1.36.2",
		Title:  "all devices, one of which takes of shared counters: a panic",
		Plugin: devicesPlugin,
		Doc: "A request for all devices ends kube-scheduler in a panic where one of them takes of shared counters, and is " +
			"not shared already.",
		Needs:  wantsAllDevices,
		Panics: true,
		Devices: func(r *DeviceRules) {
			r.allStops = func(r DeviceRules, facts []Allotment, at deviceState) bool {
				last, before := facts[len(facts)-1], facts[:len(facts)-1]
				is := last.Device.ID
				shared := last.Device.Shareable() && (exists(before, func(f Allotment) bool { return f.Device.ID == is }) ||
					exists(at.held, func(h holding) bool { return h.device == is && h.shared && h.consumed != nil }))
				at.held = filter(at.held, func(h holding) bool { return !h.shared }) // shares keep nobody off before that
				return len(last.Device.Device.ConsumesCounters) > 0 && !shared && r.exclusive(facts, at)
			}
		},
	}
}

// SharesUncounted is a defect of kube-scheduler v1.36.0.
func SharesUncounted() Quirk {
	return Quirk{
		Name: "shares-uncounted", Class: Reported, Upstream: "kubernetes/kubernetes#139034",
		Since: "v1.36", Mended: "v1.36.2",
		Title:  "devices that are shared leave the counters they take to others",
		Plugin: devicesPlugin,
		Doc: "What a device takes of shared counters that may be allocated more than once, and is allocated, is free for " +
			"other devices, which may exclude it.",
		Needs: wantsDevices,
		Devices: func(r *DeviceRules) {
			r.spends = func(h holding) bool { return !h.shared }
		},
	}
}

// CountersKept is a defect of kube-scheduler v1.36.0.
func CountersKept() Quirk {
	return Quirk{
		Name: "counters-kept", Class: Reported, Upstream: "kubernetes/kubernetes#140436",
		Since: "v1.36", Mended: "v1.36.3",
		Title:  "a device that is passed over keeps the counters it would take",
		Plugin: devicesPlugin,
		Doc: "A device that is considered and passed over, for a taint, for a constraint or for what else is needed beside " +
			"it, takes of shared counters all the same, so that the pod may not get another device.",
		Needs:   wantsDevices,
		Devices: func(r *DeviceRules) { r.keepsCounters = true },
	}
}

// NamesakesCounted is a defect of kube-scheduler v1.36, which knows pools by their names alone where it counts.
func NamesakesCounted() Quirk {
	return Quirk{
		Name: "namesakes-counted", Class: Reported, Upstream: "kubernetes/kubernetes#140434",
		Since: "v1.36", Mended: "v1.36.4",
		Title:  "pools of two drivers with the same name share their counters",
		Plugin: devicesPlugin,
		Doc: "Of pools that have the same name, and are of different drivers, the counters of the first that a pod gets a " +
			"device of are those of the others, too.",
		Needs: wantsDevices,
		Devices: func(r *DeviceRules) {
			enough := r.enough
			r.namesakes = true
			r.enough = func(r DeviceRules, pool DevicePool, taken []PublishedDevice, by PublishedDevice) bool {
				return enough(r, pool, taken, takingOf(pool, by))
			}
		},
	}
}

// takingOf returns the device as one that takes of no other counters than those of the pool.
func takingOf(pool DevicePool, by PublishedDevice) PublishedDevice {
	if by.ID.InPool() == pool.ID {
		return by
	}
	less := by.Device.DeepCopy()
	for _, c := range less.ConsumesCounters {
		for name := range c.Counters {
			if _, there := pool.counter(c.CounterSet, name); !there {
				delete(c.Counters, name)
			}
		}
	}
	by.Device = less
	return by
}

// CountsPanic is a defect of kube-scheduler up to v1.37.0: it makes room for as many devices as a claim is for.
func CountsPanic() Quirk {
	return Quirk{
		Name: "counts-panic", Class: Reported, Upstream: "kubernetes/kubernetes#141323",
		Mended: "v1.37.1", Backports: []string{"v1.36.5", "v1.35.9", "v1.34.12"},
		Title:  "counts of devices that add up past 64 bits: a panic",
		Plugin: devicesPlugin,
		Doc: "A claim whose requests are for so many devices together that 64 bits cannot say how many ends kube-scheduler " +
			"in a panic.",
		Needs:   wantsDevices,
		Panics:  true,
		Devices: func(r *DeviceRules) { r.countsStop = true },
	}
}

// CapacityWraps is a defect of kube-scheduler v1.36.
func CapacityWraps() Quirk {
	return Quirk{
		Name: "capacity-wraps", Class: Reported, Upstream: "kubernetes/kubernetes#140441",
		Since: "v1.36", Mended: "v1.37",
		Title:  "too much capacity for 64 bits is allocated, and is less than none",
		Plugin: devicesPlugin,
		Doc: "A request for capacity that is stepped up beyond what 64 bits can say is one for less than nothing, and is " +
			"met, if steps are such that it is a number of them all the same.",
		Needs:   wantsDevices,
		Devices: func(r *DeviceRules) { r.capacityWraps = true },
	}
}

// LaterAllLost is a defect of kube-scheduler up to v1.35.
func LaterAllLost() Quirk {
	return Quirk{
		Name: "later-all-lost", Class: Reported, Upstream: "kubernetes/kubernetes#137347",
		Mended: "v1.36",
		Title:  "all devices are not had by an alternative after the first",
		Plugin: devicesPlugin,
		Doc: "Of alternatives to meet a request, one that is all devices and not the first is lost after its first device: " +
			"as many more are looked for as the first alternative needs, of those that suit that.",
		Needs:   wantsAllDevices,
		Devices: func(r *DeviceRules) { r.laterAllLost = true },
	}
}

// CountersEverywhere is a defect of kube-scheduler v1.36. The change that mended it was for its cost.
func CountersEverywhere() Quirk {
	return Quirk{
		Name: "counters-everywhere", Class: Reported, Upstream: "kubernetes/kubernetes#138917",
		Since: "v1.36", Mended: "v1.37",
		Title:  "another node's pool with counters counts as one of each node",
		Plugin: devicesPlugin,
		Doc: "A pool with shared counters is taken for one of every node. While its driver updates it, a request for all " +
			"devices is met on none, though nodes have no access to it, and ends the cycle with updated-pool-stops-all.",
		Needs: func(p *Profile, pod *v1.Pod, s *Snapshot) bool {
			return wantsDevices(p, pod, s) && exists(s.ResourceSlices, hasCounterSets)
		},
		Devices: func(r *DeviceRules) {
			r.concerns = func(slice *resourcev1.ResourceSlice, node *v1.Node) bool {
				return hasCounterSets(slice) || SliceAvailableOn(slice, node)
			}
		},
	}
}

func hasCounterSets(slice *resourcev1.ResourceSlice) bool { return len(slice.Spec.SharedCounters) > 0 }
