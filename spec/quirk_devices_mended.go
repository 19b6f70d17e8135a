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
				here := newest(slicesFor(pool, node))
				newer := newest(pool)
				if len(here) > 0 && here[0].Spec.Pool.Generation < newer[0].Spec.Pool.Generation {
					return here
				}
				return newer
			}
			r.complete = func(pool DevicePool, node *v1.Node) bool {
				pool.Slices = slicesFor(pool.Slices, node)
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

// AllocatedClaimUnscored is a defect of kube-scheduler v1.35, which takes the n-th of the new allocations for that of
// the pod's n-th claim.
func AllocatedClaimUnscored() Quirk {
	return Quirk{
		Name: "allocated-claim-unscored", Class: Reported, Upstream: "kubernetes/kubernetes#139016",
		Since: "v1.35", Mended: "v1.36",
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

// slicesFor returns the slices of which the node has access to a device.
func slicesFor(pool []*resourcev1.ResourceSlice, node *v1.Node) []*resourcev1.ResourceSlice {
	return filter(pool, func(slice *resourcev1.ResourceSlice) bool { return node != nil && SliceAvailableOn(slice, node) })
}
