package spec

import (
	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
)

// PoolID names a pool of devices: a driver, and what it calls the pool.
type PoolID struct{ Driver, Pool string }

// DeviceID names a device.
//
// Source: doc of ResourceSlice ("The unique identifier for a device is the tuple <driver name>, <pool name>, <device
// name>").
type DeviceID struct{ Driver, Pool, Device string }

// String returns the three names, as <driver>/<pool>/<device>.
func (id DeviceID) String() string { return id.Driver + "/" + id.Pool + "/" + id.Device }

// InPool returns the pool that the device is in.
func (id DeviceID) InPool() PoolID { return PoolID{id.Driver, id.Pool} }

// PublishedDevice is a device, and the slice that publishes it.
type PublishedDevice struct {
	ID     DeviceID
	Device *resourcev1.Device
	Slice  *resourcev1.ResourceSlice
}

// Shareable reports whether the device may be allocated more than once at a time.
//
// Source: field doc of Device.allowMultipleAllocations.
func (d PublishedDevice) Shareable() bool { return valueOr(d.Device.AllowMultipleAllocations, false) }

// DevicePool is what the slices of the newest generation say of a pool.
type DevicePool struct {
	ID     PoolID
	Slices []*resourcev1.ResourceSlice
}

// DevicePools returns the pools of the snapshot, in the order of their first slices, as they are documented to be seen.
func DevicePools(s *Snapshot) []DevicePool { return DocumentedDevices().pools(s, nil) }

// pools returns the pools of the snapshot, as they are seen from the node.
func (r DeviceRules) pools(s *Snapshot, node *v1.Node) []DevicePool {
	var pools []DevicePool
	at := map[PoolID]int{}
	for _, slice := range s.ResourceSlices {
		id := PoolID{slice.Spec.Driver, slice.Spec.Pool.Name}
		i, known := at[id]
		if !known {
			i, at[id] = len(pools), len(pools)
			pools = append(pools, DevicePool{ID: id})
		}
		pools[i].Slices = append(pools[i].Slices, slice)
	}
	return each(pools, func(p DevicePool) DevicePool { return DevicePool{p.ID, r.current(p.Slices, node)} })
}

// newest returns the slices of the newest generation of a pool:
//
//	{Slice \in Pool : \A Other \in Pool : Other.Spec.Pool.Generation <= Slice.Spec.Pool.Generation}
//
// Source: doc of ResourceSlice ("A consumer must only use ResourceSlices with the highest generation number and ignore
// all others").
func newest(pool []*resourcev1.ResourceSlice) []*resourcev1.ResourceSlice {
	return filter(pool, func(slice *resourcev1.ResourceSlice) bool {
		return !exists(pool, func(other *resourcev1.ResourceSlice) bool {
			return other.Spec.Pool.Generation > slice.Spec.Pool.Generation
		})
	})
}

// Complete reports whether all slices of the pool are there:
//
//	\A Slice \in Slices : Slice.Spec.Pool.ResourceSliceCount = Cardinality(Slices)
//
// Source: field doc of ResourcePool.resourceSliceCount.
func (p DevicePool) Complete() bool {
	return all(p.Slices, func(slice *resourcev1.ResourceSlice) bool {
		return slice.Spec.Pool.ResourceSliceCount == int64(len(p.Slices))
	})
}

// Sound reports whether what the slices say goes together: no two devices and no two sets of counters have the same
// name, and what devices consume is there.
//
// Source: doc of ResourceSlice ("Each device in a given pool, regardless of how many ResourceSlices, must have a unique
// name"), field docs of ResourceSliceSpec.sharedCounters ("The names of the counter sets must be unique in the
// ResourcePool") and of DeviceCounterConsumption.
func (p DevicePool) Sound() bool { return p.tellsApart() && p.hasCounters() }

// tellsApart reports whether no two devices have the same name.
func (p DevicePool) tellsApart() bool {
	return allDiffer(each(p.Devices(), func(d PublishedDevice) string { return d.ID.Device }))
}

// hasCounters reports whether no two sets of counters have the same name, and what devices consume is there.
func (p DevicePool) hasCounters() bool {
	return allDiffer(each(p.counterSets(), func(set resourcev1.CounterSet) string { return set.Name })) &&
		all(p.Devices(), func(d PublishedDevice) bool {
			return all(d.Device.ConsumesCounters, func(c resourcev1.DeviceCounterConsumption) bool {
				return all(sortedKeys(c.Counters), func(name string) bool {
					_, there := p.counter(c.CounterSet, name)
					return there
				})
			})
		})
}

// Devices returns the devices of the pool, wherever they are.
func (p DevicePool) Devices() []PublishedDevice {
	return union(p.Slices, func(slice *resourcev1.ResourceSlice) []PublishedDevice {
		published := make([]PublishedDevice, 0, len(slice.Spec.Devices))
		for i := range slice.Spec.Devices {
			device := &slice.Spec.Devices[i]
			id := DeviceID{slice.Spec.Driver, slice.Spec.Pool.Name, device.Name}
			published = append(published, PublishedDevice{id, device, slice})
		}
		return published
	})
}

func (p DevicePool) counterSets() []resourcev1.CounterSet {
	return union(p.Slices, func(slice *resourcev1.ResourceSlice) []resourcev1.CounterSet {
		return slice.Spec.SharedCounters
	})
}

// counter returns a counter of a set of the pool, and whether it is there.
func (p DevicePool) counter(set, name string) (resourcev1.Counter, bool) {
	for _, s := range p.counterSets() {
		if counter, there := s.Counters[name]; there && s.Name == set {
			return counter, true
		}
	}
	return resourcev1.Counter{}, false
}

// AvailableOn reports whether the node has access to the device. Which nodes have is said of the slice, or of each of
// its devices.
//
//	nodeName      the node of that name
//	nodeSelector  the nodes that one of its terms matches
//	allNodes      all nodes
//
// Source: field docs of ResourceSliceSpec.nodeName, nodeSelector, allNodes and perDeviceNodeSelection, and of the same
// fields of Device.
func (d PublishedDevice) AvailableOn(node *v1.Node) bool {
	slice := d.Slice.Spec
	if valueOr(slice.PerDeviceNodeSelection, false) {
		return reaches(d.Device.NodeName, d.Device.NodeSelector, d.Device.AllNodes, node)
	}
	return reaches(slice.NodeName, slice.NodeSelector, slice.AllNodes, node)
}

func reaches(name *string, selector *v1.NodeSelector, everywhere *bool, node *v1.Node) bool {
	return valueOr(everywhere, false) || name != nil && *name == node.Name ||
		selector != nil && matchesSelector(selector, node)
}

// matchesSelector reports whether one of the terms matches the node.
func matchesSelector(selector *v1.NodeSelector, node *v1.Node) bool {
	return exists(selector.NodeSelectorTerms, func(t v1.NodeSelectorTerm) bool { return MatchesTerm(t, node) })
}

// SliceAvailableOn reports whether the node has access to the slice, or to a device of it.
func SliceAvailableOn(slice *resourcev1.ResourceSlice, node *v1.Node) bool {
	if valueOr(slice.Spec.PerDeviceNodeSelection, false) {
		return exists(slice.Spec.Devices, func(d resourcev1.Device) bool {
			return reaches(d.NodeName, d.NodeSelector, d.AllNodes, node)
		})
	}
	return reaches(slice.Spec.NodeName, slice.Spec.NodeSelector, slice.Spec.AllNodes, node)
}

// DevicesOn returns the devices that claims can get on the node: those it has access to, of pools that are complete
// and sound.
//
// Source: see DevicePool. That nothing is taken from other pools is our reading: a device that is not to be seen yet
// may have used up their counters, and one of two with the same name cannot be told from the other.
func (r DeviceRules) DevicesOn(node *v1.Node, s *Snapshot) []PublishedDevice {
	return r.usableOn(r.pools(s, node), node)
}

func (r DeviceRules) usableOn(pools []DevicePool, node *v1.Node) []PublishedDevice {
	return union(pools, func(p DevicePool) []PublishedDevice {
		if !r.concern(p, node) || !r.sound(p, node) || !r.incompleteUsed && !r.complete(p, node) {
			return nil
		}
		return filter(p.Devices(), func(d PublishedDevice) bool { return d.AvailableOn(node) })
	})
}

// concern reports whether the pool is one of the node, which has access to a slice of it, or to a device of one.
func (r DeviceRules) concern(p DevicePool, node *v1.Node) bool {
	return exists(p.Slices, func(slice *resourcev1.ResourceSlice) bool { return r.concerns(slice, node) })
}

// slicesFor returns the slices that are for the node.
func (r DeviceRules) slicesFor(pool []*resourcev1.ResourceSlice, node *v1.Node) []*resourcev1.ResourceSlice {
	return filter(pool, func(slice *resourcev1.ResourceSlice) bool { return node != nil && r.concerns(slice, node) })
}

// unclear reports whether it cannot be known what the node has access to: there is a pool with slices for it that is
// not complete, or not sound.
func (r DeviceRules) unclear(pools []DevicePool, node *v1.Node) bool {
	return exists(pools, func(p DevicePool) bool {
		return r.concern(p, node) && !(r.complete(p, node) && r.sound(p, node))
	})
}

func allDiffer(names []string) bool {
	return len(distinct(names, func(a, b string) bool { return a == b })) == len(names)
}
