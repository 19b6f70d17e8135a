package spec

import (
	"slices"

	v1 "k8s.io/api/core/v1"
)

// Viability rates a node among the feasible ones:
//
//	Viability(Pod, Node, Feasible, S) == sum of Weight(R) * Normalized rating of R, R \in Raters
//
// It depends on the other feasible nodes, because normalisation does. The node must be one of them.
//
// Source: https://kubernetes.io/docs/concepts/scheduling-eviction/scheduling-framework/#scoring and #normalize-scoring.
func (m *Scheduler) Viability(pod *v1.Pod, node *v1.Node, feasible []*v1.Node, s *Snapshot) int64 {
	ratings := m.Ratings(pod, feasible, s)
	return Total(ratings[slices.Index(feasible, node)])
}

// Total adds the ratings of one node.
func Total(ratings []Rating) int64 {
	return sum(ratings, func(r Rating) int64 { return r.Value })
}

// Ratings rates each of the feasible nodes: one row per node, in the given order, in it one rating
// per rater, in the order of Raters.
func (m *Scheduler) Ratings(pod *v1.Pod, feasible []*v1.Node, s *Snapshot) [][]Rating {
	rows := make([][]Rating, len(feasible))
	for _, r := range m.raters {
		for i, rating := range m.Rate(r, pod, feasible, s) {
			rows[i] = append(rows[i], rating)
		}
	}
	return rows
}

// Rate gives the ratings of one rater for the feasible nodes, in the given order.
func (m *Scheduler) Rate(r Rater, pod *v1.Pod, feasible []*v1.Node, s *Snapshot) []Rating {
	switch {
	case len(feasible) == 0:
		return nil // so that no predicate is asked about nothing
	case r.Abstains != nil && r.Abstains(m.Profile, pod, feasible, s):
		return each(feasible, func(*v1.Node) Rating { return Rating{Skipped: true} })
	case r.RateAll != nil:
		raw, normalized := r.RateAll(m.Profile, pod, feasible, s)
		return m.weighted(r, raw, normalized)
	default:
		return m.Weighted(r, each(feasible, func(node *v1.Node) int64 { return r.Raw(m.Profile, pod, node, s) }))
	}
}

// Weighted normalises the raw ratings that one rater gives the feasible nodes, and multiplies them by
// its weight. The order is kept.
func (m *Scheduler) Weighted(r Rater, raw []int64) []Rating {
	normalized := raw
	if r.Normalize != nil {
		normalized = r.Normalize(raw)
	}
	return m.weighted(r, raw, normalized)
}

func (m *Scheduler) weighted(r Rater, raw, normalized []int64) []Rating {
	ratings, weight := make([]Rating, len(raw)), m.Weight(r)
	for i := range raw {
		ratings[i] = Rating{Raw: raw[i], Value: normalized[i] * weight}
	}
	return ratings
}

// mostBest maps raw ratings from 0..max to 0..100, without fractions. If all are 0 they stay 0: nobody is preferred.
//
// Source: doc comment of DefaultNormalizeScore in k8s.io/kubernetes/pkg/scheduler/framework/plugins/helper. The
// case of all zeros is not documented; for the choice of a node it makes no difference.
func mostBest(raw []int64) []int64 {
	most := int64(0)
	for _, value := range raw {
		most = max(most, value)
	}
	return each(raw, func(value int64) int64 {
		if most == 0 {
			return 0
		}
		return value * 100 / most
	})
}

// fewestBest is 100 minus mostBest. If all are 0, all get 100.
func fewestBest(raw []int64) []int64 {
	return each(mostBest(raw), func(value int64) int64 { return 100 - value })
}
