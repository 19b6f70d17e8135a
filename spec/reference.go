package spec

import (
	"cmp"
	"math"

	v1 "k8s.io/api/core/v1"
)

// NewReference returns the literal reading cut down to what general-purpose checkers can run as well: cpu, taints,
// node selectors, priorities and the score of the least allocated cpu. It is the model as first written with the
// errata E1, E3 and E20 mended, and with a casualty of
//
//	<<highest priority of the victims and 0, sum of their priorities, number of victims>>
//
// in lexicographic order. Unlike in Casualty.Compare, priorities are summed up as they are.
//
// Source: the formal model, as docs/reference-model.md gives it for these predicates.
func NewReference() *Scheduler {
	profile := &Profile{
		SchedulerName: v1.DefaultSchedulerName,
		Filters:       []string{"NodeUnschedulable", "TaintToleration", "NodeAffinity", "NodeResourcesFit"},
		ScorePlugins:  []Weighted{{"NodeResourcesFit", 1}},
		Preempts:      true,
		Fit:           FitArgs{Strategy: "LeastAllocated", Resources: []ResourceWeight{{v1.ResourceCPU, 1}}},
	}
	mended := filter(Errata(), func(e Erratum) bool { return contains([]string{"E1", "E3", "E20"}, e.ID) })
	mended = append(mended, Erratum{ID: "casualty", mend: func(t *text) { t.rules.compare = comparePlainly }})
	return literally(profile, each(mended, Erratum.quirk))
}

// comparePlainly compares casualties as the reference module has it.
func comparePlainly(a, b Casualty) int {
	plainSum := func(c Casualty) int64 { return c.PrioritySum + int64(c.Count)*math.MinInt32 }
	return cmp.Or(cmp.Compare(max(a.HighestPriority, 0), max(b.HighestPriority, 0)),
		cmp.Compare(plainSum(a), plainSum(b)), cmp.Compare(a.Count, b.Count))
}

// CompareCasualty is negative if a is less damage than b by the rules of the model, positive if it is more, 0 if
// neither.
func (m *Scheduler) CompareCasualty(a, b Casualty) int { return m.rules.compare(a, b) }

// WeighsHelpfulSets reports whether preemption compares the casualties of exactly those sets of pods whose eviction
// makes the pod feasible, over all nodes: what Preemption wants, and no procedure that looks at fewer sets.
func (m *Scheduler) WeighsHelpfulSets() bool { return !m.rules.putsBack && !m.rules.useless }
