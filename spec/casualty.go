package spec

import (
	"cmp"
	"math"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
)

// Casualty is the damage done by deleting a set of pods. Fields come in order of precedence: a later one matters
// only if all before it are equal.
//
// Source: doc of the criteria by which the plugin DefaultPreemption picks a node (fewest budget
// violations; lowest highest priority; smallest sum of priorities; fewest victims; latest start).
//
// In the sum, each priority is counted from the lowest there is: otherwise one more victim of a negative priority
// would make the damage less. So says the comment beside that criterion in
// k8s.io/kubernetes/pkg/scheduler/framework/preemption; the concept pages are silent. It follows that the number of
// victims decides before their priorities do, unless these are worlds apart.
type Casualty struct {
	// Violations is the number of victims whose eviction breaks a disruption budget.
	Violations int
	// HighestPriority of the victims; the lowest number if there are none.
	HighestPriority int32
	// PrioritySum adds the victims' priorities, each counted from the lowest 32-bit number.
	PrioritySum int64
	// Count is the number of victims.
	Count int
	// EarliestStart is the earliest start among the victims of the highest priority: the later, the less damage.
	EarliestStart time.Time
}

// CasualtyOf returns the damage done by evicting the victims, for the sake of the pod.
func (m *Scheduler) CasualtyOf(pod *v1.Pod, c Candidate, s *Snapshot) Casualty {
	pods := c.Victims
	priorities := each(pods, Priority)
	highest := slices.Max(append(priorities, math.MinInt32))
	eldest := filter(pods, func(pod *v1.Pod) bool { return Priority(pod) == highest })
	notStarted := startTime(&v1.Pod{})
	return Casualty{
		Violations:      m.rules.budgets.Violations(pods, Jeopardy(pod, s.Nodes[c.Node], s), s),
		HighestPriority: highest,
		PrioritySum:     sum(pods, func(pod *v1.Pod) int64 { return int64(Priority(pod)) - math.MinInt32 }),
		Count:           len(pods),
		EarliestStart:   slices.MinFunc(append(each(eldest, startTime), notStarted), time.Time.Compare),
	}
}

// Compare is negative if c is less damage than other, positive if it is more, 0 if they are equal.
func (c Casualty) Compare(other Casualty) int {
	return cmp.Or(cmp.Compare(c.Violations, other.Violations), cmp.Compare(c.HighestPriority, other.HighestPriority),
		cmp.Compare(c.PrioritySum, other.PrioritySum), cmp.Compare(c.Count, other.Count),
		other.EarliestStart.Compare(c.EarliestStart))
}
