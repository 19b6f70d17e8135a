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
				waysToMeet = append(waysToMeet, r.waysOf(p, claim, i, r.deviceState(node, s)))
			}
		}
		choices(waysToMeet, nil, func(facts []Allotment) bool {
			return !r.ValidAllocation(p, facts, claims, node, s) || yield(facts)
		})
	}
}

// waysOf returns the sets of facts that a request can be met by if it were alone.
func (r DeviceRules) waysOf(p *Profile, claim *resourcev1.ResourceClaim, request int,
	at deviceState) [][]Allotment {
	return union(Alternatives(claim.Spec.Devices.Requests[request]), func(a DeviceAlternative) [][]Allotment {
		facts := each(filter(at.on, func(d PublishedDevice) bool { return r.wants(p, a, d, at.s) }),
			func(d PublishedDevice) Allotment {
				return Allotment{Claim: claim, Request: request, Alternative: a, Device: d}
			})
		return filter(subsets(facts), func(some []Allotment) bool { return r.metBy(p, a, some, at) })
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

// PreferredAllocation reports whether a valid allocation respects the order of alternatives: no other is valid that is
// the same for all requests before some request, and meets that by an earlier one of its alternatives.
//
//	~\E Other \in ValidAllocations, Request : /\ Other and Facts are the same for all requests before it
//	                                          /\ Rank(Other, Request) < Rank(Facts, Request)
//
// Source: field doc of DeviceRequest.firstAvailable ("if there are two entries in the list, the scheduler will only
// check the second one if it determines that the first one can not be used", "the scheduler will select the first set
// of devices that satisfies all the requests in the claim ... the set of devices allocated to a claim might not be the
// optimal set").
func (r DeviceRules) PreferredAllocation(p *Profile, facts []Allotment, claims []*resourcev1.ResourceClaim,
	node *v1.Node, s *Snapshot) bool {
	own := byRequest(facts, claims)
	for other := range r.ValidAllocations(p, claims, node, s) {
		for i, theirs := range byRequest(other, claims) {
			if rank(theirs) < rank(own[i]) {
				return false
			}
			if !sameDevices(theirs, own[i]) {
				break
			}
		}
	}
	return true
}

// byRequest returns the facts about each request of each claim.
func byRequest(facts []Allotment, claims []*resourcev1.ResourceClaim) [][]Allotment {
	return union(claims, func(claim *resourcev1.ResourceClaim) [][]Allotment {
		of := make([][]Allotment, len(claim.Spec.Devices.Requests))
		for i := range of {
			of[i] = filter(facts, func(f Allotment) bool { return f.Claim == claim && f.Request == i })
		}
		return of
	})
}

// rank returns the index of the alternative by which the facts meet their request.
func rank(facts []Allotment) int {
	return slices.IndexFunc(Alternatives(facts[0].Claim.Spec.Devices.Requests[facts[0].Request]),
		func(a DeviceAlternative) bool { return a.Name == facts[0].Alternative.Name })
}

// sameDevices reports whether the facts are about the same devices, by the same alternative.
func sameDevices(a, b []Allotment) bool {
	return len(a) == len(b) && all(a, func(f Allotment) bool {
		return exists(b, func(g Allotment) bool {
			return f.Device.ID == g.Device.ID && f.Alternative.Name == g.Alternative.Name
		})
	})
}
