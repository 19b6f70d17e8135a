package spec

import (
	"iter"
	"slices"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
)

// Allocatable reports whether the claims, none of which has an allocation yet, can get what they ask for on the node:
//
//	Allocatable(Claims, Node, S) == \E Facts : ValidAllocation(Facts, Claims, Node, S)
//
// A set of facts is made of one alternative for each request, and as many devices.
func (r DeviceRules) Allocatable(p *Profile, claims []*resourcev1.ResourceClaim, node *v1.Node, s *Snapshot) bool {
	for range r.ValidAllocations(p, claims, node, s) {
		return true
	}
	return false
}

// ValidAllocations yields the allocations of the claims that are valid, one after the other: all of them, one for each
// choice of alternatives and devices.
func (r DeviceRules) ValidAllocations(p *Profile, claims []*resourcev1.ResourceClaim, node *v1.Node,
	s *Snapshot) iter.Seq[[]Allotment] {
	return func(yield func([]Allotment) bool) {
		var waysToMeet [][][]Allotment // by request of each claim
		for _, claim := range claims {
			for i := range claim.Spec.Devices.Requests {
				waysToMeet = append(waysToMeet, r.waysOf(p, claim, i, node, s))
			}
		}
		choices(waysToMeet, nil, func(facts []Allotment) bool {
			return !r.ValidAllocation(p, facts, claims, node, s) || yield(facts)
		})
	}
}

// waysOf returns the sets of facts that a request can be met by if it were alone.
func (r DeviceRules) waysOf(p *Profile, claim *resourcev1.ResourceClaim, request int, node *v1.Node, s *Snapshot) [][]Allotment {
	on := r.DevicesOn(node, s)
	return union(Alternatives(claim.Spec.Devices.Requests[request]), func(a DeviceAlternative) [][]Allotment {
		facts := each(filter(on, func(d PublishedDevice) bool { return r.wants(p, a, d, s) }),
			func(d PublishedDevice) Allotment { return Allotment{claim, request, a, d} })
		return filter(subsets(facts), func(some []Allotment) bool { return r.metBy(p, a, some, node, s) })
	})
}

// choices calls visit with the union of one of each of the sets of ways, for every choice, until it returns false.
func choices(ways [][][]Allotment, chosen []Allotment, visit func([]Allotment) bool) bool {
	if len(ways) == 0 {
		return visit(slices.Clone(chosen))
	}
	return all(ways[0], func(way []Allotment) bool {
		return choices(ways[1:], append(slices.Clip(chosen), way...), visit)
	})
}

// PreferredAllocation reports whether a valid allocation respects the order of alternatives: no other is valid that
// meets some request by an earlier one of its alternatives, and none by a later one.
//
//	~\E Other \in ValidAllocations : /\ \A Request : Rank(Other, Request) <= Rank(Facts, Request)
//	                                 /\ \E Request : Rank(Other, Request) <  Rank(Facts, Request)
//
// Source: field doc of DeviceRequest.firstAvailable ("if there are two entries in the list, the scheduler will only
// check the second one if it determines that the first one can not be used"). Which of several requests has its way,
// where not all can, is not said.
func (r DeviceRules) PreferredAllocation(p *Profile, facts []Allotment, claims []*resourcev1.ResourceClaim, node *v1.Node,
	s *Snapshot) bool {
	own := ranks(facts, claims)
	for other := range r.ValidAllocations(p, claims, node, s) {
		theirs := ranks(other, claims)
		better := false
		for i := range own {
			if theirs[i] > own[i] {
				better = false
				break
			}
			better = better || theirs[i] < own[i]
		}
		if better {
			return false
		}
	}
	return true
}

// ranks returns, for each request of each claim, the index of the alternative that it is met by.
func ranks(facts []Allotment, claims []*resourcev1.ResourceClaim) []int {
	return union(claims, func(claim *resourcev1.ResourceClaim) []int {
		of := make([]int, len(claim.Spec.Devices.Requests))
		for _, f := range facts {
			if f.Claim == claim {
				of[f.Request] = slices.IndexFunc(Alternatives(claim.Spec.Devices.Requests[f.Request]),
					func(a DeviceAlternative) bool { return a.Name == f.Alternative.Name })
			}
		}
		return of
	})
}
