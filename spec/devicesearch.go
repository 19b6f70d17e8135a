package spec

import (
	"math"
	"slices"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
)

// deviceSearch looks for a valid allocation: request after request, alternative after alternative, device after device.
// It gives a choice up as soon as no further facts can make it valid, so it finds one where Allocatable says that there
// is one, and it is Preferred; TestDeviceSearch in internal/conformance holds it to that.
type deviceSearch struct {
	r        DeviceRules
	at       deviceState
	requests []searchedRequest
	// unordered: devices are tried in any order.
	unordered bool
	// everything: devices that are too few are tried, too, as one of them may end the search.
	everything bool
	// stopped: the search ended with an error.
	stopped bool
}

// searchedRequest is a request of a claim, and what each alternative to meet it can be met by.
type searchedRequest struct {
	claim   *resourcev1.ResourceClaim
	request int
	ways    []searchedAlternative
}

type searchedAlternative struct {
	DeviceAlternative
	facts []Allotment
	// open: as many devices as are needed may be had, as far as can be told without choosing any.
	open bool
}

// FindAllocation returns a valid allocation of the claims, none of which has one yet; false if there is none.
func (r DeviceRules) FindAllocation(p *Profile, claims []*resourcev1.ResourceClaim, node *v1.Node,
	s *Snapshot) ([]Allotment, bool) {
	if len(claims) == 0 {
		return nil, true
	}
	q := r.newDeviceSearch(p, claims, node, s)
	return q.meet(0, nil)
}

func (r DeviceRules) newDeviceSearch(p *Profile, claims []*resourcev1.ResourceClaim, node *v1.Node,
	s *Snapshot) *deviceSearch {
	r.incompleteUsed = !p.has(WholePoolsOnly())
	at := r.deviceState(node, s)
	near := func(h holding) bool {
		return exists(at.on, func(d PublishedDevice) bool { return d.ID.InPool() == h.device.InPool() })
	}
	at.held = filter(at.held, near)
	r.keepsCounters = r.keepsCounters &&
		exists(at.on, func(d PublishedDevice) bool { return len(d.Device.ConsumesCounters) > 0 })
	q := &deviceSearch{r: r, at: at, unordered: !p.has(DevicesOrdered()), everything: r.keepsCounters}
	for _, claim := range claims {
		for i, request := range claim.Spec.Devices.Requests {
			ways := each(Alternatives(request), func(a DeviceAlternative) searchedAlternative {
				return q.alternative(p, claim, i, a)
			})
			q.requests = append(q.requests, searchedRequest{claim, i, ways})
		}
	}
	return q
}

// alternative returns what an alternative can be met by: all devices that it wants, or those of them that it could get
// if the claims wanted nothing else.
func (q *deviceSearch) alternative(p *Profile, claim *resourcev1.ResourceClaim, request int,
	a DeviceAlternative) searchedAlternative {
	fact := func(d PublishedDevice) Allotment {
		return Allotment{Claim: claim, Request: request, Alternative: a, Device: d}
	}
	if a.All {
		facts := each(q.r.allWanted(p, a, q.at), fact)
		return searchedAlternative{a, facts, len(facts) > 0 && !q.at.unclear}
	}
	wanted := filter(q.at.on, func(d PublishedDevice) bool {
		return q.r.wants(p, a, d, q.at.s) && (a.TolerableFor(d) || q.r.keepsCounters) &&
			(q.r.namesakes || q.available([]Allotment{fact(d)})) // of namesakes one may be had behind another only
	})
	return searchedAlternative{a, each(wanted, fact), int64(len(wanted)) >= a.Count || q.everything}
}

// available reports whether the devices may be had together, constraints of claims left aside.
func (q *deviceSearch) available(facts []Allotment) bool {
	return q.r.exclusive(facts, q.at) && q.r.withinCounters(facts, q.at) && q.r.withinCapacity(facts, q.at)
}

// constrained reports whether the facts about the claim of the last one meet its constraints.
func (q *deviceSearch) constrained(facts []Allotment) bool {
	claim := facts[len(facts)-1].Claim
	of := filter(facts, func(f Allotment) bool { return f.Claim == claim })
	return all(claim.Spec.Devices.Constraints,
		func(c resourcev1.DeviceConstraint) bool { return q.r.meetsConstraint(c, of) })
}

// meet returns the facts with others that meet the requests from the given one on.
func (q *deviceSearch) meet(request int, facts []Allotment) ([]Allotment, bool) {
	if request == len(q.requests) {
		return facts, true
	}
	next := q.requests[request]
	of := count(facts, func(f Allotment) bool { return f.Claim == next.claim })
	for w, way := range next.ways {
		needed := int(min(way.Count, resourcev1.AllocationResultsMaxSize+1))
		if way.All {
			needed = len(way.facts)
		}
		if !way.open || of+needed > resourcev1.AllocationResultsMaxSize {
			continue
		}
		var found []Allotment
		var is bool
		switch {
		case way.All && w > 0 && q.r.laterAllLost:
			found, is = q.takeAll(way.facts[:1], facts, func(with []Allotment) ([]Allotment, bool) {
				return q.meetRest(request, next.ways[0], with)
			})
		case way.All:
			found, is = q.meetByAll(request, way.facts, facts)
		default:
			found, is = q.meetBySome(request, way.facts, needed, facts)
		}
		if is || q.stopped {
			return found, is
		}
	}
	return nil, false
}

func (q *deviceSearch) meetByAll(request int, devices, facts []Allotment) ([]Allotment, bool) {
	return q.takeAll(devices, facts, func(with []Allotment) ([]Allotment, bool) { return q.meet(request+1, with) })
}

// meetRest goes on with an alternative of which it has the first device, as a quirk says.
func (q *deviceSearch) meetRest(request int, way searchedAlternative, facts []Allotment) ([]Allotment, bool) {
	switch {
	case way.All && len(way.facts) > 1:
		return q.meetByAll(request, way.facts[1:], facts)
	case !way.All && way.Count > 1:
		return q.meetBySome(request, way.facts, int(min(way.Count, resourcev1.AllocationResultsMaxSize+1))-1, facts)
	default:
		return q.meet(request+1, facts)
	}
}

// takeAll takes all the devices, and goes on.
func (q *deviceSearch) takeAll(devices, facts []Allotment,
	next func([]Allotment) ([]Allotment, bool)) ([]Allotment, bool) {
	facts = slices.Clip(facts)
	from, missed := len(facts), false
	for _, fact := range devices {
		before := facts
		facts = append(facts, fact)
		if q.r.allStops != nil && q.r.allStops(q.r, facts, q.at) {
			q.stopped = true
			return nil, false
		}
		had := q.r.exclusive(facts, q.at) && q.r.withinCounters(facts, q.at)
		if !had || !fact.Alternative.TolerableFor(fact.Device) {
			if !q.unordered || !q.r.constraintStops {
				if had {
					q.gaveUp(facts, false)
				}
				return q.backtrack(before, from)
			}
			facts, missed = before, true // those that can be had may be tried first, and not meet a constraint
			continue
		}
		if !q.constrained(facts) {
			q.stopped = q.r.constraintStops
			return nil, false
		}
		if !q.r.withinCapacity(facts, q.at) {
			return q.backtrack(before, from)
		}
	}
	if missed {
		return nil, false
	}
	if found, is := next(facts); is || q.stopped {
		return found, is
	}
	return q.backtrack(facts, from)
}

// backtrack gives up the devices of the facts from the given one on.
func (q *deviceSearch) backtrack(facts []Allotment, from int) ([]Allotment, bool) {
	for ; len(facts) > from; facts = facts[:len(facts)-1] {
		q.gaveUp(facts, true)
	}
	return nil, false
}

func (q *deviceSearch) meetBySome(request int, devices []Allotment, needed int,
	facts []Allotment) ([]Allotment, bool) {
	if needed == 0 {
		return q.meet(request+1, facts)
	}
	for i := 0; i < len(devices) && (q.everything || i+needed <= len(devices)); i++ {
		with := append(slices.Clip(facts), devices[i])
		if devices[i].broken {
			if q.stopped = q.r.exclusive(with, q.at); q.stopped {
				return nil, false
			}
			continue
		}
		with[len(facts)].tried = devices[:i]
		if !q.available(with) {
			continue
		}
		if !devices[i].Alternative.TolerableFor(devices[i].Device) || !q.constrained(with) {
			q.gaveUp(with, false)
			continue
		}
		found, is := q.meetBySome(request, devices[i+1:], needed-1, with)
		if is || q.stopped {
			return found, is
		}
		q.gaveUp(with, true)
	}
	return nil, false
}

// gaveUp has the search keep the counters of the device of the last of the facts, as a quirk says, if it takes of them
// newly: it was not tolerated, or did not meet a constraint; or it was tried, and may be allocated more than once.
func (q *deviceSearch) gaveUp(facts []Allotment, tried bool) {
	device := facts[len(facts)-1].Device
	if !q.r.keepsCounters || tried && !device.Shareable() {
		return
	}
	if len(q.r.takers(q.r, facts, q.at.held)) > len(q.r.takers(q.r, facts[:len(facts)-1], q.at.held)) {
		q.at.kept = append(q.at.kept, device)
	}
}

// stops reports whether production's search ends with an error, which ends the cycle, as a quirk says.
func (r DeviceRules) stops(p *Profile, claims []*resourcev1.ResourceClaim, node *v1.Node, s *Snapshot) bool {
	wants := func(everything bool) bool {
		return exists(claims, func(claim *resourcev1.ResourceClaim) bool {
			return exists(claim.Spec.Devices.Requests, func(request resourcev1.DeviceRequest) bool {
				return exists(Alternatives(request), func(a DeviceAlternative) bool { return a.All == everything })
			})
		})
	}
	wantsAll := wants(true)
	if !r.limitStops && !r.unsoundStops && !r.countsStop &&
		!(wantsAll && (r.unclearStops || r.constraintStops || r.allStops != nil)) {
		return false
	}
	q := r.newDeviceSearch(p, claims, node, s)
	if r.unsoundStops && wants(false) && exists(q.at.pools, func(pool DevicePool) bool {
		pool.Slices = r.slicesFor(pool.Slices, node)
		return !pool.Sound()
	}) {
		return true
	}
	if r.limitStops && exists(claims, q.exceedsLimit) || r.countsStop && exists(claims, q.wraps) {
		return true
	}
	if !wantsAll {
		return false
	}
	if r.unclearStops && q.at.unclear {
		return true
	}
	q.meet(0, nil)
	return q.stopped
}

// exceedsLimit reports whether the requests of the claim, by the alternatives that need the fewest devices, are for
// more than a claim may have.
func (q *deviceSearch) exceedsLimit(claim *resourcev1.ResourceClaim) bool {
	return q.least(claim, resourcev1.AllocationResultsMaxSize+1) > resourcev1.AllocationResultsMaxSize
}

// wraps reports whether what exceedsLimit adds up is less than nothing in 64 bits.
func (q *deviceSearch) wraps(claim *resourcev1.ResourceClaim) bool {
	return q.least(claim, math.MaxInt64) < 0
}

// least adds up how many devices the requests of the claim need, each at most most.
func (q *deviceSearch) least(claim *resourcev1.ResourceClaim, most int64) (total int64) {
	for _, request := range q.requests {
		if request.claim == claim {
			total += slices.Min(each(request.ways, func(way searchedAlternative) int64 {
				if way.All {
					return int64(len(way.facts))
				}
				return min(way.Count, most)
			}))
		}
	}
	return total
}
