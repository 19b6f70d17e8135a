package loop

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// countedTwice is the defect that a pod whose devices are yet to become ready has twice as much of them.
func countedTwice() Known {
	return Known{
		Name: "capacity-counted-twice", Class: spec.Unconfirmed, Since: "v1.37",
		Upstream: "not reported",
		Doc: "While a pod waits for its devices to become ready, what its claims consume of the capacity of devices that " +
			"several share is counted twice, as written and as in flight: others are rejected for want of capacity, and " +
			"nothing wakes them when the wait ends.",
		Sees: func(s *State, _ *v1.Pod) *spec.Snapshot {
			if len(s.CountedTwice) == 0 {
				return nil
			}
			view := s.View()
			for i, claim := range view.ResourceClaims {
				if slices.Contains(s.CountedTwice, Key(claim)) {
					view.ResourceClaims[i] = consumingTwice(claim)
				}
			}
			return view
		},
	}
}

// consumingTwice returns the claim as if it had got each part of the capacity of devices twice.
func consumingTwice(claim *resourcev1.ResourceClaim) *resourcev1.ResourceClaim {
	claim = claim.DeepCopy()
	for _, result := range claim.Status.Allocation.Devices.Results {
		for name, amount := range result.ConsumedCapacity {
			amount.Add(amount)
			result.ConsumedCapacity[name] = amount
		}
	}
	return claim
}
