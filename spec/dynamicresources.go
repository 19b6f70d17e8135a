package spec

import (
	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
)

// DynamicResources is the filter
//
//	Holds == /\ \A Entry \in Pod.Spec.ResourceClaims : needless(Entry, Pod) \/ \E Claim \in S : claimServes(Claim, Entry, Pod)
//	         /\ \A Claim \in ClaimsOn(Node) with an allocation : ready(Claim, Pod, S) /\ Claim reaches Node
//	         /\ Allocatable({Claim \in ClaimsOn(Node) without}, Node, S)
//	ClaimsOn(Node) == ResourceClaims(Pod, S) and the claim for the extended resources that Node has as devices
//
// It answers for the filter of the plugin DynamicResources, and reads the node and what there is of devices.
//
// Source: https://kubernetes.io/docs/concepts/resource-management/dynamic-resource-allocation/, field docs of
// PodSpec.resourceClaims and PodStatus.resourceClaimStatuses, and of resource.k8s.io/v1; see Allocatable. Of extended
// resources: KEP-5004; see DevicesFor and EarlierClaim.
//
// An allocation is looked for by FindAllocation, which finds one if and only if the claims are Allocatable.
//
// The question is about Snapshot.Now: what is allocated once the pod is bound is not part of it, and the snapshots of a
// state space keep their claims as they are.
func DynamicResources() Filter { return dynamicResources(DocumentedDevices()) }

func dynamicResources(r DeviceRules) Filter {
	turnsAway := func(_ *Profile, pod *v1.Pod, s *Snapshot) bool {
		claims := ResourceClaims(pod, s)
		return !ResourceClaimsThere(pod, s) || r.classless(filter(claims, unallocated), s) ||
			exists(claims, func(claim *resourcev1.ResourceClaim) bool {
				return !unallocated(claim) && !reserved(claim, pod) && !r.reservable(claim)
			})
	}
	errs := func(p *Profile, waiting []*resourcev1.ResourceClaim, node *v1.Node, s *Snapshot) bool {
		return len(waiting) > 0 && (r.Aborts(p, waiting, node, s) || r.stops(p, waiting, node, s))
	}
	return Filter{
		Plugin:    "DynamicResources",
		Footprint: ReadsNodeAndDevices,
		Holds: func(p *Profile, pod *v1.Pod, node *v1.Node, s *Snapshot) bool {
			claims, usable := r.claimsOn(p, pod, node, s)
			waiting := filter(claims, unallocated)
			if !usable || turnsAway(p, pod, s) || errs(p, waiting, node, s) ||
				!all(claims, func(claim *resourcev1.ResourceClaim) bool {
					return unallocated(claim) || r.ready(p, claim, pod, node, s) && AllocationReaches(claim, node)
				}) {
				return false
			}
			_, allocatable := r.FindAllocation(p, waiting, node, s)
			return allocatable
		},
		TurnsAway: turnsAway,
		Fails: func(p *Profile, pod *v1.Pod, node *v1.Node, s *Snapshot) bool {
			claims, usable := r.claimsOn(p, pod, node, s)
			return usable && !turnsAway(p, pod, s) && errs(p, filter(claims, unallocated), node, s)
		},
		Idle: func(p *Profile, pod *v1.Pod, _ []*v1.Pod, s *Snapshot) bool {
			return len(pod.Spec.ResourceClaims) == 0 && len(r.classes.asked(p, pod, s)) == 0
		},
		Monotone: func(*Profile, *v1.Pod, *Snapshot) bool { return true },
	}
}

func unallocated(claim *resourcev1.ResourceClaim) bool { return claim.Status.Allocation == nil }

// AllocationReaches reports whether what is allocated to the claim is available on the node.
//
// Source: field doc of AllocationResult.nodeSelector ("If unset, they are available everywhere").
func AllocationReaches(claim *resourcev1.ResourceClaim, node *v1.Node) bool {
	selector := claim.Status.Allocation.NodeSelector
	return selector == nil || matchesSelector(selector, node)
}
