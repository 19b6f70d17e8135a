package spec

import (
	"math"
	"slices"

	v1 "k8s.io/api/core/v1"
)

// spreadTally is what the filter PodTopologySpread counts for one constraint.
type spreadTally struct {
	v1.TopologySpreadConstraint
	eligible []bool           // by node
	matching map[string]int64 // by domain, of the eligible ones
	self     int64
	// least and next are the two domains that have fewest.
	least, next int64
	leastIn     string
}

// indexedFilter is the fast form of podTopologySpread.
func (r SpreadRules) indexedFilter(p *Profile, pod *v1.Pod, q *indexed) func(at *stage) bool {
	x := q.x
	hard := r.Constraints(p, pod, v1.DoNotSchedule, x.Snapshot)
	complete := each(x.Snapshot.Nodes, func(n *v1.Node) bool { return labelled(n, hard) })
	tallies := each(hard, func(c v1.TopologySpreadConstraint) *spreadTally { return r.tally(c, pod, complete, x) })
	return func(at *stage) bool {
		return complete[at.n] && all(tallies, func(t *spreadTally) bool {
			return t.skew(at.node, r.movedAt(t, pod, at, x)) <= int64(t.MaxSkew)
		})
	}
}

func (r SpreadRules) tally(c v1.TopologySpreadConstraint, pod *v1.Pod, complete []bool, x *Index) *spreadTally {
	t := &spreadTally{TopologySpreadConstraint: c, matching: map[string]int64{}}
	t.eligible = make([]bool, len(complete))
	if SpreadsOver(c, pod, pod) {
		t.self = 1
	}
	for n, node := range x.Snapshot.Nodes {
		if t.eligible[n] = complete[n] && included(c, pod, node, x.Snapshot); t.eligible[n] {
			t.matching[node.Labels[c.TopologyKey]] += int64(count(
				x.on[n],
				func(other *v1.Pod) bool { return r.counts(c, pod, other) },
			))
		}
	}
	t.least, t.next = math.MaxInt64, math.MaxInt64
	for domain, n := range t.matching {
		switch {
		case n < t.least:
			t.least, t.next, t.leastIn = n, t.least, domain
		case n < t.next:
			t.next = n
		}
	}
	return t
}

// movedAt returns by how much pods that are away or put there change what is counted, by domain; nil for not at all.
func (r SpreadRules) movedAt(t *spreadTally, pod *v1.Pod, at *stage, x *Index) map[string]int64 {
	var moved map[string]int64
	move := func(n int, other *v1.Pod, by int64) {
		rule := r.counts
		if r.apart {
			rule = r.moves
		}
		if !t.eligible[n] || !rule(t.TopologySpreadConstraint, pod, other) {
			return
		}
		if moved == nil {
			moved = map[string]int64{}
		}
		moved[x.Snapshot.Nodes[n].Labels[t.TopologyKey]] += by
	}
	for _, other := range at.away {
		if n, bound := x.nodeOf(other); bound {
			move(n, other, -1)
		}
	}
	for _, other := range at.put {
		move(at.n, other, 1)
	}
	return moved
}

// skew is SpreadRules.skew.
func (t *spreadTally) skew(node *v1.Node, moved map[string]int64) int64 {
	domain := node.Labels[t.TopologyKey]
	minDomains := 1
	if t.MinDomains != nil {
		minDomains = int(*t.MinDomains)
	}
	least := int64(0)
	if len(t.matching) >= max(minDomains, 1) {
		least = t.leastWith(moved)
	}
	return t.matching[domain] + moved[domain] + t.self - least
}

// leastWith returns the least number in a domain.
func (t *spreadTally) leastWith(moved map[string]int64) int64 {
	switch len(moved) {
	case 0:
		return t.least
	case 1:
		for domain, by := range moved {
			others := t.least
			if domain == t.leastIn {
				others = t.next
			}
			return min(others, t.matching[domain]+by)
		}
	}
	least := int64(math.MaxInt64)
	for domain, n := range t.matching {
		least = min(least, n+moved[domain])
	}
	return least
}

// indexedScores is the fast form of preferredSpread.
func (r SpreadRules) indexedScores(p *Profile, pod *v1.Pod, feasible []*v1.Node, q *indexed) indexedScores {
	x := q.x
	soft := r.Constraints(p, pod, v1.ScheduleAnyway, x.Snapshot)
	if len(soft) == 0 {
		return indexedScores{abstains: true}
	}
	scored := make([]bool, len(feasible))
	for i, node := range feasible {
		scored[i] = r.complete(p, pod, node, soft)
	}
	totals := make([]float64, len(feasible))
	for _, c := range soft {
		crowds := r.crowded(p, c, soft, pod, x)
		weight := r.weight(p, c, pod, feasible, scored)
		for i, node := range feasible {
			if !scored[i] || !Colocated(c.TopologyKey, node, node) {
				continue
			}
			var crowd int64
			if domain, is := r.domain(p, pod, c, node); is {
				crowd = crowds[domain]
			}
			totals[i] += float64(crowd)*weight + float64(c.MaxSkew-1)
		}
	}
	return normalizedCrowds(totals, scored)
}

// crowded counts, by domain, the pods that count for the constraint.
func (r SpreadRules) crowded(p *Profile, c v1.TopologySpreadConstraint, soft []v1.TopologySpreadConstraint, pod *v1.Pod,
	x *Index) map[string]int64 {
	crowds := map[string]int64{}
	for n, node := range x.Snapshot.Nodes {
		domain, is := r.domain(p, pod, c, node)
		if !is || len(x.on[n]) == 0 || !r.complete(p, pod, node, soft) || !r.crowds(c, pod, node, x.Snapshot) {
			continue
		}
		crowds[domain] += int64(count(x.on[n], func(other *v1.Pod) bool { return r.counts(c, pod, other) }))
	}
	return crowds
}

// weight returns what a pod counts: the more domains there are among the nodes that are scored, the more.
func (r SpreadRules) weight(p *Profile, c v1.TopologySpreadConstraint, pod *v1.Pod, feasible []*v1.Node,
	scored []bool) float64 {
	domains, alone := map[string]bool{}, 0
	for i, node := range feasible {
		if !scored[i] {
			continue
		}
		if domain, is := r.domain(p, pod, c, node); is {
			domains[domain] = true
		} else {
			alone++
		}
	}
	return math.Log(float64(len(domains) + alone + 2))
}

// normalizedCrowds rounds and normalizes the scores of the nodes that are scored, as preferredSpread does.
func normalizedCrowds(totals []float64, scored []bool) indexedScores {
	raw, normalized := make([]int64, len(totals)), make([]int64, len(totals))
	var crowds []int64
	for i, total := range totals {
		if scored[i] {
			raw[i] = int64(math.Round(total))
			crowds = append(crowds, raw[i])
		}
	}
	if len(crowds) == 0 {
		return indexedScores{raw: raw, normalized: normalized}
	}
	most, least := slices.Max(crowds), slices.Min(crowds)
	for i := range totals {
		switch {
		case !scored[i]:
		case most == 0:
			raw[i], normalized[i] = 0, 100
		default:
			normalized[i] = (most + least - raw[i]) * 100 / most
		}
	}
	return indexedScores{raw: raw, normalized: normalized}
}
