package spec

import (
	"slices"

	v1 "k8s.io/api/core/v1"
)

// Viability scores a node among the feasible ones:
//
//	Viability(Pod, Node, Feasible, S) == sum of Weight(R) * Normalized score of R, R \in ScorePlugins
//
// It depends on the other feasible nodes, because normalisation does. The node must be one of them.
//
// Source: https://kubernetes.io/docs/concepts/scheduling-eviction/scheduling-framework/#scoring and #normalize-scoring.
func (m *Scheduler) Viability(pod *v1.Pod, node *v1.Node, feasible []*v1.Node, s *Snapshot) int64 {
	scores := m.Scores(pod, feasible, s)
	return Total(scores[slices.Index(feasible, node)])
}

// Total adds the scores of one node.
func Total(scores []Score) int64 {
	return sum(scores, func(r Score) int64 { return r.Value })
}

// Scores scores each of the feasible nodes: one row per node, in the given order, in it one score
// per score plugin, in the order of ScorePlugins.
func (m *Scheduler) Scores(pod *v1.Pod, feasible []*v1.Node, s *Snapshot) [][]Score {
	rows := make([][]Score, len(feasible))
	for _, r := range m.scorePlugins {
		for i, score := range m.Score(r, pod, feasible, s) {
			rows[i] = append(rows[i], score)
		}
	}
	return rows
}

// Score returns the scores of one score plugin for the feasible nodes, in the given order.
func (m *Scheduler) Score(r ScorePlugin, pod *v1.Pod, feasible []*v1.Node, s *Snapshot) []Score {
	switch {
	case len(feasible) == 0:
		return nil // so that no predicate is asked about nothing
	case r.Abstains != nil && r.Abstains(m.Profile, pod, feasible, s):
		return each(feasible, func(*v1.Node) Score { return Score{Skipped: true} })
	case r.ScoreAll != nil:
		raw, normalized := r.ScoreAll(m.Profile, pod, feasible, s)
		return m.appendWeighted(nil, r, raw, normalized)
	default:
		return m.Weighted(r, each(feasible, func(node *v1.Node) int64 { return r.Raw(m.Profile, pod, node, s) }))
	}
}

// Weighted normalises the raw scores that one score plugin gives the feasible nodes, and multiplies them by
// its weight. The order is kept.
func (m *Scheduler) Weighted(r ScorePlugin, raw []int64) []Score {
	return m.AppendWeighted(make([]Score, 0, len(raw)), r, raw)
}

// AppendWeighted is Weighted, and appends the scores to others.
func (m *Scheduler) AppendWeighted(scores []Score, r ScorePlugin, raw []int64) []Score {
	normalized := raw
	if r.Normalize != nil {
		normalized = r.Normalize(raw)
	}
	return m.appendWeighted(scores, r, raw, normalized)
}

func (m *Scheduler) appendWeighted(scores []Score, r ScorePlugin, raw, normalized []int64) []Score {
	weight := m.Weight(r)
	for i := range raw {
		scores = append(scores, Score{Raw: raw[i], Value: normalized[i] * weight})
	}
	return scores
}

// mostBest maps raw scores from 0..max to 0..100, without fractions. If all are 0 they stay 0: nobody is preferred.
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
