package spec

import (
	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
)

// PreferredAlternatives is the score
//
//	Raw       == IF nothing is to be allocated THEN 0
//	             ELSE sum over the requests of the pod's claims that have alternatives: 8 - the index of the one that is met
//	Normalize == Raw, as a percentage of the greatest; 0 everywhere if that is 0
//
// It answers for the score of the plugin DynamicResources, and reads the node and what there is of devices.
//
// Source: KEP-4816 (nodes where earlier alternatives can be met score higher), FirstAvailableDeviceRequestMaxSize in
// k8s.io/api/resource/v1. Which of several valid allocations would be made is not documented: it is the first by the
// names of driver, pool and slice, by a comment in the code ("this allows driver authors to influence prioritization
// through their naming conventions"). That requests count which have been met before, and not if all have, is stated in
// code alone; where they count they are the same on every node.
func PreferredAlternatives() ScorePlugin { return preferredAlternatives(DocumentedDevices()) }

func preferredAlternatives(r DeviceRules) ScorePlugin {
	return ScorePlugin{
		Plugin:    "DynamicResources",
		Footprint: ReadsNodeAndDevices,
		Raw: func(p *Profile, pod *v1.Pod, node *v1.Node, s *Snapshot) int64 {
			if all(ResourceClaims(pod, s), func(claim *resourcev1.ResourceClaim) bool { return !unallocated(claim) }) &&
				len(r.classes.asked(p, pod, s)) == 0 {
				return 0
			}
			claims, _ := r.claimsOn(p, pod, node, s)
			if !exists(claims, hasAlternatives) {
				return 0
			}
			facts, _ := r.FindAllocation(p, filter(claims, unallocated), node, s)
			return sum(claims, func(claim *resourcev1.ResourceClaim) int64 {
				return sum(claim.Spec.Devices.Requests, func(request resourcev1.DeviceRequest) int64 {
					return ratedAlternative(claim, request, facts)
				})
			})
		},
		Normalize: func(raw []int64) []int64 {
			greatest := int64(0)
			for _, score := range raw {
				greatest = max(greatest, score)
			}
			return each(raw, func(score int64) int64 {
				if greatest == 0 {
					return 0
				}
				return score * 100 / greatest
			})
		},
	}
}

// hasAlternatives reports whether there are alternatives to meet some request of the claim.
func hasAlternatives(claim *resourcev1.ResourceClaim) bool {
	return exists(claim.Spec.Devices.Requests, func(r resourcev1.DeviceRequest) bool { return r.Exactly == nil })
}

// ratedAlternative returns what the alternative counts by which the request is met, or has been met.
func ratedAlternative(claim *resourcev1.ResourceClaim, request resourcev1.DeviceRequest, facts []Allotment) int64 {
	if request.Exactly != nil {
		return 0
	}
	met := func(name string) bool {
		if unallocated(claim) {
			return exists(facts, func(f Allotment) bool { return f.Claim == claim && f.Alternative.Name == name })
		}
		return exists(claim.Status.Allocation.Devices.Results,
			func(result resourcev1.DeviceRequestAllocationResult) bool { return result.Request == name })
	}
	for i, a := range Alternatives(request) {
		if met(a.Name) {
			return int64(resourcev1.FirstAvailableDeviceRequestMaxSize - i)
		}
	}
	return 0
}
