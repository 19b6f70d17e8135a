package spec

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
)

// DeviceIndex is a snapshot's slices and claims by the pools that they are about, found once. It is safe for concurrent
// use.
type DeviceIndex struct {
	of             *Snapshot
	slices, claims map[PoolID][]int // indexes into the snapshot: of slices of the pool, claims that have of it
	// named are the pools with a slice for a node of the name, common those with a slice that is for no single node, or
	// that has counters, which CountersEverywhere takes for one of every node. namesakes are the pools of one name.
	named     map[string][]PoolID
	common    []PoolID
	namesakes map[string][]PoolID
}

// NewDeviceIndex returns the index of the snapshot's devices.
func NewDeviceIndex(s *Snapshot) *DeviceIndex {
	x := &DeviceIndex{s, map[PoolID][]int{}, map[PoolID][]int{}, map[string][]PoolID{}, nil, map[string][]PoolID{}}
	for i, slice := range s.ResourceSlices {
		id := PoolID{slice.Spec.Driver, slice.Spec.Pool.Name}
		if len(x.slices[id]) == 0 {
			x.namesakes[id.Pool] = append(x.namesakes[id.Pool], id)
		}
		x.slices[id] = append(x.slices[id], i)
		if name := valueOr(slice.Spec.NodeName, ""); name != "" && !hasCounterSets(slice) {
			x.named[name] = append(x.named[name], id)
		} else {
			x.common = append(x.common, id)
		}
	}
	for i, claim := range s.ResourceClaims {
		if unallocated(claim) {
			continue
		}
		for _, result := range claim.Status.Allocation.Devices.Results {
			id := PoolID{result.Driver, result.Pool}
			if of := x.claims[id]; len(of) == 0 || of[len(of)-1] != i {
				x.claims[id] = append(of, i)
			}
		}
	}
	return x
}

// Around returns the snapshot, which has the slices and claims of the index, without those that make no difference to
// whether the pod gets devices on the node, and which.
func (x *DeviceIndex) Around(pod *v1.Pod, node *v1.Node, s *Snapshot) *Snapshot {
	part := *s
	part.ResourceSlices, part.ResourceClaims = x.near(node)
	part.ResourceClaims = joined(ownResourceClaims(pod, s), part.ResourceClaims)
	return &part
}

// near returns all slices of the pools that may be of some use to the node, and the claims that have devices of them,
// in the snapshot's order. What pools of one name have may be counted together (NamesakesCounted).
func (x *DeviceIndex) near(node *v1.Node) ([]*resourcev1.ResourceSlice, []*resourcev1.ResourceClaim) {
	near := map[PoolID]bool{}
	var published, held []int
	for _, reaching := range slices.Concat(x.named[node.Name], x.common) {
		for _, id := range x.namesakes[reaching.Pool] {
			if !near[id] {
				near[id] = true
				published, held = append(published, x.slices[id]...), append(held, x.claims[id]...)
			}
		}
	}
	return inSnapshot(published, x.of.ResourceSlices), inSnapshot(held, x.of.ResourceClaims)
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
