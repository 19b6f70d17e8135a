package spec

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
)

// indexedDevices are the slices and claims of a snapshot, by the pools that they are about.
type indexedDevices struct {
	slices, claims map[PoolID][]int // indexes into the snapshot: of slices of the pool, claims that have of it
	// named are the pools with a slice for a node of the name, common those with a slice that is for no single node.
	named  map[string][]PoolID
	common []PoolID
}

// devices returns the index of the snapshot's devices.
func (x *Index) devices() *indexedDevices {
	if x.pools != nil {
		return x.pools
	}
	d := &indexedDevices{map[PoolID][]int{}, map[PoolID][]int{}, map[string][]PoolID{}, nil}
	for i, slice := range x.Snapshot.ResourceSlices {
		id := PoolID{slice.Spec.Driver, slice.Spec.Pool.Name}
		d.slices[id] = append(d.slices[id], i)
		if name := valueOr(slice.Spec.NodeName, ""); name != "" {
			d.named[name] = append(d.named[name], id)
		} else {
			d.common = append(d.common, id)
		}
	}
	for i, claim := range x.Snapshot.ResourceClaims {
		if unallocated(claim) {
			continue
		}
		for _, result := range claim.Status.Allocation.Devices.Results {
			id := PoolID{result.Driver, result.Pool}
			if of := d.claims[id]; len(of) == 0 || of[len(of)-1] != i {
				d.claims[id] = append(of, i)
			}
		}
	}
	x.pools = d
	return d
}

// devicesNear returns all slices of the pools that may be of some use to the node, and the claims that have devices of
// them, in the snapshot's order.
func (x *Index) devicesNear(node *v1.Node) ([]*resourcev1.ResourceSlice, []*resourcev1.ResourceClaim) {
	d := x.devices()
	near := map[PoolID]bool{}
	var published, held []int
	for _, id := range slices.Concat(d.named[node.Name], d.common) {
		if !near[id] {
			near[id] = true
			published, held = append(published, d.slices[id]...), append(held, d.claims[id]...)
		}
	}
	return inSnapshot(published, x.Snapshot.ResourceSlices), inSnapshot(held, x.Snapshot.ResourceClaims)
}

// inSnapshot returns the objects of the indexes, in their order, each once.
func inSnapshot[T any](indexes []int, objects []T) []T {
	slices.Sort(indexes)
	return each(slices.Compact(indexes), func(i int) T { return objects[i] })
}

// ownResourceClaims returns the claims of devices that the pod uses, or that were made for its extended resources.
func ownResourceClaims(pod *v1.Pod, s *Snapshot) []*resourcev1.ResourceClaim {
	own := ResourceClaims(pod, s)
	if earlier := EarlierClaim(pod, s); earlier != nil {
		own = joined(own, []*resourcev1.ResourceClaim{earlier})
	}
	return own
}
