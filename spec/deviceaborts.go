package spec

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
)

// Aborts reports whether the allocation of the claims on the node aborts, which ends the cycle: a selector cannot be
// evaluated of a device that is considered for a request.
//
//	All devices  those that the node has access to are considered, and those in one slice with them
//	a number     these are, in their order, up to an allocation; not those that are taken
//
// Source: field docs of CELDeviceSelector.expression ("Any other result is an error and causes allocation of devices to
// abort", "Any reference to an unknown field will cause an evaluation error and allocation to abort") and of
// DeviceDerivedAttribute.expression ("When pod scheduling encounters CEL runtime errors (such as looking up an
// attribute that isn't defined) for some devices, it will abort allocation and fail scheduling for the Pod"). So it is
// not the node that is rejected: the expression is at fault. Which devices are considered is not documented; that the
// first in order is found is what PreferredAlternatives goes by.
func (r DeviceRules) Aborts(p *Profile, claims []*resourcev1.ResourceClaim, node *v1.Node, s *Snapshot) bool {
	if !r.mayBreak(p, claims, node, s) {
		return false
	}
	q := r.newDeviceSearch(p, claims, node, s)
	broken := q.breaking(p, node)
	if exists(broken, func(b breakingDevices) bool { return b.way.All }) {
		return true
	}
	if len(broken) > 0 {
		q.considerAll(node, broken)
		q.meet(0, nil)
	}
	return q.stopped
}

// mayBreak reports whether there is a device near the node, whatever its pool is like, of which a selector cannot be
// evaluated. There hardly ever is, which is quickly seen.
func (r DeviceRules) mayBreak(p *Profile, claims []*resourcev1.ResourceClaim, node *v1.Node, s *Snapshot) bool {
	ways := union(claims, func(claim *resourcev1.ResourceClaim) []DeviceAlternative {
		return union(claim.Spec.Devices.Requests, Alternatives)
	})
	near := filter(s.ResourceSlices, func(slice *resourcev1.ResourceSlice) bool { return SliceAvailableOn(slice, node) })
	return exists(DevicePool{Slices: near}.Devices(), func(d PublishedDevice) bool {
		return exists(ways, func(way DeviceAlternative) bool { return r.breaks(p, way, d, s) })
	})
}

// breakingDevices are devices of which a selector cannot be evaluated that an alternative to meet a request has.
type breakingDevices struct {
	searchedRequest
	way     DeviceAlternative
	devices []DeviceID
}

// breaking returns the devices that are considered for some alternative and of which a selector cannot be evaluated.
func (q *deviceSearch) breaking(p *Profile, node *v1.Node) []breakingDevices {
	considered := q.considered(node)
	return union(q.requests, func(request searchedRequest) []breakingDevices {
		ways := each(request.ways, func(way searchedAlternative) breakingDevices {
			some := filter(considered, func(d PublishedDevice) bool {
				return q.r.breaks(p, way.DeviceAlternative, d, q.at.s)
			})
			return breakingDevices{request, way.DeviceAlternative,
				each(some, func(d PublishedDevice) DeviceID { return d.ID })}
		})
		return filter(ways, func(b breakingDevices) bool { return len(b.devices) > 0 })
	})
}

// considerAll has the search come to all devices that are considered, in their order, those of which a selector cannot
// be evaluated among them.
func (q *deviceSearch) considerAll(node *v1.Node, broken []breakingDevices) {
	q.everything = true
	considered := q.considered(node)
	for i, request := range q.requests {
		for j, way := range request.ways {
			if way.All {
				continue
			}
			breaks := func(d PublishedDevice) bool {
				return exists(broken, func(b breakingDevices) bool {
					return b.claim == request.claim && b.way.Name == way.Name && contains(b.devices, d.ID)
				})
			}
			facts := union(considered, func(d PublishedDevice) []Allotment {
				if breaks(d) {
					return []Allotment{{Claim: request.claim, Request: request.request, Alternative: way.DeviceAlternative,
						Device: d, broken: true}}
				}
				return filter(way.facts, func(f Allotment) bool { return f.Device == d })
			})
			q.requests[i].ways[j] = searchedAlternative{way.DeviceAlternative, facts, true}
		}
	}
}

// considered returns the devices of the slices that the node has access to, or to a device of, in order.
func (q *deviceSearch) considered(node *v1.Node) []PublishedDevice {
	usable := filter(q.at.pools, func(p DevicePool) bool {
		return q.r.sound(p, node) && (q.r.incompleteUsed || q.r.complete(p, node))
	})
	devices := union(usable, func(p DevicePool) []PublishedDevice { return p.Devices() })
	return inOrder(filter(devices, func(d PublishedDevice) bool { return SliceAvailableOn(d.Slice, node) }))
}

// breaks reports whether the first selector that does not hold of the device, of the class and then of the alternative,
// cannot be evaluated; or, as a quirk says, all hold, and the capacity is more than the device's range can say.
func (r DeviceRules) breaks(p *Profile, a DeviceAlternative, d PublishedDevice, s *Snapshot) bool {
	class := classNamed(a.Class, s)
	if class == nil || p.Selects == nil {
		return false
	}
	first, found := unmet(p, slices.Concat(class.Spec.Selectors, a.Selectors), d)
	return found && unevaluable(p, first, d) || !found && r.unsaidStops && r.unsaid(a, d)
}

// unmet returns the first of the selectors that does not hold of the device, behind which none is asked, and whether
// there is one.
func unmet(p *Profile, selectors []resourcev1.DeviceSelector, d PublishedDevice) (resourcev1.DeviceSelector, bool) {
	i := slices.IndexFunc(selectors, func(selector resourcev1.DeviceSelector) bool { return !holdsOf(p, selector, d) })
	if i < 0 {
		return resourcev1.DeviceSelector{}, false
	}
	return selectors[i], true
}

// unevaluable reports whether the selector cannot be evaluated of the device.
func unevaluable(p *Profile, selector resourcev1.DeviceSelector, d PublishedDevice) bool {
	if selector.CEL == nil || p.Selects == nil {
		return false
	}
	_, err := p.Selects(selector.CEL.Expression, d)
	return err != nil
}
