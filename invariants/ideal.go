package invariants

import (
	"github.com/seed-a3f26817/modelcheck/spec"
)

// The sorts of preemptions that are documented and not ideal. Least damage is on some node: the one that was
// chosen, or else another, and then the sort has Elsewhere before it. There the documented procedure either finds
// nobody to evict, or evicts a set that is more damage, and the sort is what makes it more: the first of the
// criteria that differ. So every such preemption is of exactly one sort.
const (
	// NobodyToEvict: without all pods that may be evicted the pod does not fit, but without some of them. It wants
	// one of them beside it, or counts on it.
	NobodyToEvict  = "nobody-to-evict"
	MoreViolations = "more-violations"
	// HigherPriority: the most important victim is more important.
	HigherPriority = "higher-priority"
	// MoreVictims: the sum of priorities, each counted from the lowest there is, is larger. For the same most
	// important victim that is, but for priorities worlds apart, the number of victims.
	MoreVictims  = "more-victims"
	EarlierStart = "earlier-start"
	Elsewhere    = "elsewhere-"
)

// IdealSorts are the sorts.
func IdealSorts() []string {
	var sorts []string
	for _, where := range []string{"", Elsewhere} {
		for _, why := range []string{NobodyToEvict, MoreViolations, HigherPriority, MoreVictims, EarlierStart} {
			if where+why != NobodyToEvict { // where somebody was evicted there was somebody to evict
				sorts = append(sorts, where+why)
			}
		}
	}
	return sorts
}

// whyNotIdeal returns the sort of a documented preemption that does more damage than the ideal one.
func (c *Case) whyNotIdeal(o spec.Outcome, ideal spec.Candidate) string {
	where := ""
	damage := c.casualty
	chosen := spec.Candidate{Node: o.Node, Victims: o.Victims}
	if ideal.Node != o.Node {
		where = Elsewhere
		// Of what the procedure may evict there, the least; what was chosen is not more than that.
		found := false
		for _, candidate := range c.Expected.Candidates {
			if candidate.Node == ideal.Node && (!found || damage(candidate).Compare(damage(chosen)) < 0) {
				chosen, found = candidate, true
			}
		}
		if !found {
			return where + NobodyToEvict
		}
	}
	much, little := damage(chosen), damage(ideal)
	switch {
	case much.Violations != little.Violations:
		return where + MoreViolations
	case much.HighestPriority != little.HighestPriority:
		return where + HigherPriority
	case much.PrioritySum != little.PrioritySum || much.Count != little.Count:
		return where + MoreVictims
	default:
		return where + EarlierStart
	}
}
