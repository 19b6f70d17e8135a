package spec

import (
	"math"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// Consumption is how much of its capacities, under its own names for them, an allocation of a device takes.
type Consumption map[resourcev1.QualifiedName]resource.Quantity

// Consumes returns what an allocation of the device for the alternative takes of each of its capacities, and false if
// a request policy does not allow as much:
//
//	requested, with a policy     the least amount that the policy allows and that is enough
//	requested, without           what is requested
//	not requested                the policy's default, if it has one, or all there is
//
// Source: field docs of CapacityRequirements.requests, DeviceCapacity.requestPolicy and CapacityRequestPolicy.
func (r DeviceRules) Consumes(a DeviceAlternative, d PublishedDevice) (Consumption, bool) {
	taken := Consumption{}
	for _, name := range sortedKeys(d.Device.Capacity) {
		capacity := d.Device.Capacity[name]
		amount, requested := r.requested(a, d, name)
		switch policy := capacity.RequestPolicy; {
		case !requested && policy != nil && policy.Default != nil:
			taken[name] = *policy.Default
		case !requested:
			taken[name] = capacity.Value
		case policy == nil:
			taken[name] = amount
		default:
			allowed, is := r.policyAllows(*policy, amount)
			if !is {
				return nil, false
			}
			taken[name] = allowed
		}
	}
	return taken, true
}

// requested returns how much of a capacity of the device is requested, and whether any is.
func (r DeviceRules) requested(a DeviceAlternative, d PublishedDevice,
	capacity resourcev1.QualifiedName) (resource.Quantity, bool) {
	for _, name := range sortedKeys(a.Capacity) {
		if r.names(d, name, capacity) {
			return a.Capacity[name], true
		}
	}
	return resource.Quantity{}, false
}

// unsaid reports whether so much is requested of a capacity with a range that 64 bits cannot say the next step.
func (r DeviceRules) unsaid(a DeviceAlternative, d PublishedDevice) bool {
	return exists(sortedKeys(d.Device.Capacity), func(name resourcev1.QualifiedName) bool {
		amount, requested := r.requested(a, d, name)
		policy := d.Device.Capacity[name].RequestPolicy
		if !requested || policy == nil || policy.ValidRange == nil {
			return false
		}
		_, said := r.steppedUp(*policy.ValidRange, amount)
		return !said
	})
}

// policyAllows returns the least amount that the policy allows and that is not less than what is requested; false if
// there is none.
//
// Source: field docs of CapacityRequestPolicy.validValues ("the smallest valid value that is greater than or equal to
// the request") and doc of CapacityRequestPolicyRange.
func (r DeviceRules) policyAllows(policy resourcev1.CapacityRequestPolicy,
	requested resource.Quantity) (resource.Quantity, bool) {
	switch {
	case len(policy.ValidValues) > 0:
		enough := filter(policy.ValidValues, func(value resource.Quantity) bool { return value.Cmp(requested) >= 0 })
		if len(enough) == 0 {
			return resource.Quantity{}, false
		}
		least := enough[0]
		for _, value := range enough {
			if value.Cmp(least) < 0 {
				least = value
			}
		}
		return least, true
	case policy.ValidRange != nil:
		amount, is := r.steppedUp(*policy.ValidRange, requested)
		return amount, is && (policy.ValidRange.Max == nil || amount.Cmp(*policy.ValidRange.Max) <= 0)
	default:
		return requested, true
	}
}

// steppedUp returns the least amount of Min, Min + Step, Min + 2*Step, ... that is not less than what is requested; of
// all amounts from Min on if there is no step. It is false if there is none that 64 bits can say.
//
// Source: doc of CapacityRequestPolicyRange ("all comparisons use 64-bit integer arithmetic via
// resource.Quantity.Value()", which rounds fractions up, unless DRAFractionalCapacityRange is on: by default it is not,
// as it needs a minimum compatibility version of 1.37); release note of kubernetes/kubernetes#140442 ("a capacity
// request that a device's integer ... range arithmetic cannot represent ... is rejected").
func (r DeviceRules) steppedUp(of resourcev1.CapacityRequestPolicyRange,
	requested resource.Quantity) (resource.Quantity, bool) {
	least := valueOr(of.Min, resource.Quantity{})
	switch {
	case requested.Cmp(least) < 0:
		return least, true
	case of.Step == nil || of.Step.Sign() <= 0:
		return requested, true
	}
	step, over := of.Step.Value(), requested.Value()-least.Value()
	steps := over / step
	if over%step > 0 {
		steps++ // not added before the division: there may be no such number
	}
	said := requested.CmpInt64(math.MaxInt64) <= 0 && steps <= (math.MaxInt64-least.Value())/step
	amount := least.Value() + steps*step
	return *resource.NewQuantity(amount, least.Format), said || r.capacityWraps && (amount-least.Value())%step == 0
}
