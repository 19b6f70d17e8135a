package spec

import (
	"slices"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// DeviceAlternative is one way to meet a request for devices: what it wants exactly, or one of its subrequests.
type DeviceAlternative struct {
	// Name is how an allocation refers to it: <request>, or <request>/<subrequest>.
	Name        string
	Class       string
	Selectors   []resourcev1.DeviceSelector
	All         bool
	Count       int64
	Admin       bool
	Tolerations []resourcev1.DeviceToleration
	Capacity    map[resourcev1.QualifiedName]resource.Quantity
}

// Alternatives returns the ways to meet a request, the preferred one first.
//
// Source: field docs of DeviceRequest.exactly and firstAvailable, and of ExactDeviceRequest ("If AllocationMode is
// ExactCount and this field is not specified, the default is one").
func Alternatives(request resourcev1.DeviceRequest) []DeviceAlternative {
	if exactly := request.Exactly; exactly != nil {
		return []DeviceAlternative{{
			Name: request.Name, Class: exactly.DeviceClassName, Selectors: exactly.Selectors,
			All: exactly.AllocationMode == resourcev1.DeviceAllocationModeAll, Count: max(exactly.Count, 1),
			Admin: valueOr(exactly.AdminAccess, false), Tolerations: exactly.Tolerations,
			Capacity: wanted(exactly.Capacity),
		}}
	}
	return each(request.FirstAvailable, func(sub resourcev1.DeviceSubRequest) DeviceAlternative {
		return DeviceAlternative{
			Name: request.Name + "/" + sub.Name, Class: sub.DeviceClassName, Selectors: sub.Selectors,
			All: sub.AllocationMode == resourcev1.DeviceAllocationModeAll, Count: max(sub.Count, 1),
			Tolerations: sub.Tolerations, Capacity: wanted(sub.Capacity),
		}
	})
}

func wanted(capacity *resourcev1.CapacityRequirements) map[resourcev1.QualifiedName]resource.Quantity {
	if capacity == nil {
		return nil
	}
	return capacity.Requests
}

// wants reports whether the device is one of those that the alternative asks for, whether or not it is free:
//
//	wants == /\ the class is there
//	         /\ \A Selector \in Class.Spec.Selectors \cup Alternative.Selectors : Selector holds of the device
//	         /\ \A Name \in DOMAIN Capacity : the device has this capacity
//	         /\ what it consumes of each capacity is allowed, and not more than there is when nobody uses the device
//
// Source: field docs of ExactDeviceRequest.deviceClassName, selectors and capacity, of DeviceClassSpec.selectors, and
// of CapacityRequirements.requests ("used as an additional filtering condition against the available capacity on the
// device", "If the requested amount cannot be adjusted to a valid value ... the device is considered ineligible").
func (r DeviceRules) wants(p *Profile, a DeviceAlternative, d PublishedDevice, s *Snapshot) bool {
	class := classNamed(a.Class, s)
	return class != nil && all(slices.Concat(class.Spec.Selectors, a.Selectors),
		func(selector resourcev1.DeviceSelector) bool { return holdsOf(p, selector, d) }) &&
		r.provided(a, d)
}

// provided reports whether the device has the capacities that are requested, and enough of them.
func (r DeviceRules) provided(a DeviceAlternative, d PublishedDevice) bool {
	taken, allowed := r.Consumes(a, d)
	return allowed &&
		all(sortedKeys(a.Capacity), func(name resourcev1.QualifiedName) bool {
			return exists(sortedKeys(d.Device.Capacity),
				func(has resourcev1.QualifiedName) bool { return r.names(d, name, has) })
		}) &&
		all(sortedKeys(taken), func(name resourcev1.QualifiedName) bool {
			value := d.Device.Capacity[name].Value
			return value.Cmp(taken[name]) >= 0
		})
}

// holdsOf reports whether the selector holds of the device. One that cannot be evaluated does not; see Aborts.
func holdsOf(p *Profile, selector resourcev1.DeviceSelector, d PublishedDevice) bool {
	if selector.CEL == nil || p.Selects == nil {
		return false
	}
	holds, err := p.Selects(selector.CEL.Expression, d)
	return err == nil && holds
}

func classNamed(name string, s *Snapshot) *resourcev1.DeviceClass {
	return choose(s.DeviceClasses, func(class *resourcev1.DeviceClass) bool { return class.Name == name })
}

// attribute returns what the device has under the name, and whether it has it.
func (d PublishedDevice) attribute(name resourcev1.FullyQualifiedName) (resourcev1.DeviceAttribute, bool) {
	for _, key := range sortedKeys(d.Device.Attributes) {
		if d.qualified(key) == d.qualified(resourcev1.QualifiedName(name)) {
			return d.Device.Attributes[key], true
		}
	}
	return resourcev1.DeviceAttribute{}, false
}

// qualified returns the name with its domain, which is the driver's if it has none.
//
// Source: doc of QualifiedName ("Names which do not include the domain prefix are assumed to be part of the driver's
// domain").
func (d PublishedDevice) qualified(name resourcev1.QualifiedName) resourcev1.QualifiedName {
	if slices.Contains([]byte(name), '/') {
		return name
	}
	return resourcev1.QualifiedName(d.ID.Driver) + "/" + name
}

// TolerableFor reports whether the alternative tolerates the taints of the device:
//
//	\A Taint \in Device.Taints : Taint.Effect \in {NoSchedule, NoExecute} => \E Toleration : it tolerates the taint
//
// Source: field docs of ExactDeviceRequest.tolerations and DeviceTaint.effect ("Consumers must treat unknown effects
// like None").
func (a DeviceAlternative) TolerableFor(d PublishedDevice) bool {
	return tolerable(d, a.Tolerations, resourcev1.DeviceTaintEffectNoSchedule, resourcev1.DeviceTaintEffectNoExecute)
}

// tolerable reports whether the taints with these effects are tolerated.
func tolerable(d PublishedDevice, by []resourcev1.DeviceToleration, effects ...resourcev1.DeviceTaintEffect) bool {
	return all(d.Device.Taints, func(taint resourcev1.DeviceTaint) bool {
		return !contains(effects, taint.Effect) ||
			exists(by, func(t resourcev1.DeviceToleration) bool { return toleratesDevice(t, taint) })
	})
}

// toleratesDevice reports whether the toleration matches the taint of a device.
//
// Source: field docs of DeviceToleration.
func toleratesDevice(t resourcev1.DeviceToleration, taint resourcev1.DeviceTaint) bool {
	return (t.Effect == "" || t.Effect == taint.Effect) && (t.Key == "" || t.Key == taint.Key) &&
		(t.Operator == resourcev1.DeviceTolerationOpExists ||
			contains([]resourcev1.DeviceTolerationOperator{"", resourcev1.DeviceTolerationOpEqual}, t.Operator) &&
				t.Value == taint.Value)
}
