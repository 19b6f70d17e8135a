package spec

import (
	"math"
	"math/big"

	v1 "k8s.io/api/core/v1"
)

// Allocation is the score
//
//	Raw == (sum of Weight(R) * Score(R)) / (sum of Weight(R)), R \in the resources of the strategy; 0 if there is none
//
// with, for capacity C and R being requested in the amount A once the pod is there,
//
//	LeastAllocated             Score == (C - A) * 100 / C; 0 if A > C
//	MostAllocated              Score == A * 100 / C; 100 if A > C
//	RequestedToCapacityRatio   Score == Shape(A * 100 / C), the broken line through the points of the shape; Shape(100) if A > C
//
// Divisions of the first two, and inside the third, drop the fraction; the mean of the third is rounded to the nearest.
// What pods request is NonZeroRequests, not Requests. It answers for the score of the plugin NodeResourcesFit,
// reads the node's pods, and needs no normalisation.
//
// Source: field docs of NodeResourcesFitArgs and ScoringStrategy, and
// https://kubernetes.io/docs/concepts/scheduling-eviction/resource-bin-packing/. How fractions are dropped is
// documented by the examples there only.
func Allocation() ScorePlugin { return allocation(DocumentedAllocation()) }

func allocation(r AllocationRules) ScorePlugin {
	return ScorePlugin{
		Plugin:    "NodeResourcesFit",
		Footprint: ReadsNodePodsAndDevices,
		Raw: func(p *Profile, pod *v1.Pod, node *v1.Node, s *Snapshot) int64 {
			used := filter(
				r.amounts.utilizations(p, p.Fit.Resources, r.requested(p), pod, node, s),
				func(u utilization) bool { return r.counts(p.Fit, u) },
			)
			weights := sum(used, func(u utilization) int64 { return u.weight })
			score := sum(used, func(u utilization) int64 { return u.weight * r.amounts.score(p.Fit, u) })
			switch {
			case weights == 0:
				return 0
			case p.Fit.Strategy == "RequestedToCapacityRatio":
				return int64(math.Round(float64(score) / float64(weights)))
			default:
				return score / weights
			}
		},
	}
}

// score scores the use of one resource by the strategy, 0 to 100.
func (m AmountRules) score(args FitArgs, u utilization) int64 {
	requested := u.after
	if atMost(u.capacity, requested) {
		requested = u.capacity
	}
	switch args.Strategy {
	case "MostAllocated":
		return m.percent(requested, u.capacity)
	case "RequestedToCapacityRatio":
		return shapeScore(args.Shape, m.percent(requested, u.capacity))
	default:
		return m.percent(m.result(new(big.Int).Sub(u.capacity, requested)), u.capacity)
	}
}

// percent is Part * 100 / Whole, the fraction dropped.
func (m AmountRules) percent(part, whole *big.Int) int64 {
	hundredfold := m.result(new(big.Int).Mul(part, big.NewInt(100)))
	return new(big.Int).Quo(hundredfold, whole).Int64()
}

// shapeScore is the broken line through the points, level before the first and after the last. Scores of
// the shape go from 0 to 10, scores from 0 to 100.
func shapeScore(shape []ShapePoint, percent int64) int64 {
	later := filter(shape, func(point ShapePoint) bool { return percent <= point.Utilization })
	earlier := shape[:len(shape)-len(later)]
	switch {
	case len(shape) == 0:
		return 0
	case len(earlier) == 0:
		return later[0].Score * 10
	case len(later) == 0:
		return earlier[len(earlier)-1].Score * 10
	default:
		from, to := earlier[len(earlier)-1], later[0]
		return from.Score*10 + (to.Score-from.Score)*10*(percent-from.Utilization)/(to.Utilization-from.Utilization)
	}
}
