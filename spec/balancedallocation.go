package spec

import (
	"math"
	"math/big"

	v1 "k8s.io/api/core/v1"
)

// BalancedAllocation is the score
//
//	Raw == 50 + (50 + Balance(after) - Balance(before)) / 2
//	Balance(Used) == (1 - the standard deviation of Min(1, Used / Capacity) over the resources) * 100
//
// where before and after are without and with the pod. Fractions are dropped at each step, the deviation is of
// the whole population. What pods request is Requests. It answers for the plugin
// NodeResourcesBalancedAllocation, reads the node's pods, and needs no normalisation. It abstains
// for pods that request none of the resources, which any node would balance equally well. Before BalanceGained it is
// Balance(after).
//
// Source: https://kubernetes.io/docs/reference/scheduling/config/#scheduling-plugins ("favors nodes that would obtain
// a more balanced resource usage if the Pod is scheduled there") and field doc of
// NodeResourcesBalancedAllocationArgs. No document gives a formula, so the numbers are chosen to be
// those of v1.36. Ratios are float64, which decides on which side of a whole number a score falls.
func BalancedAllocation() ScorePlugin { return balancedAllocation(DocumentedAmounts()) }

func balancedAllocation(r AmountRules) ScorePlugin {
	return ScorePlugin{
		Plugin:    "NodeResourcesBalancedAllocation",
		Footprint: ReadsNodePodsAndDevices,
		Raw: func(p *Profile, pod *v1.Pod, node *v1.Node, s *Snapshot) int64 {
			requests := func(pod *v1.Pod) v1.ResourceList { return r.requests(p, pod) }
			used := r.utilizations(p, p.Balanced, requests, pod, node, s)
			after := balance(each(used, func(u utilization) float64 { return ratio(u.after, u.capacity) }))
			if !p.has(BalanceGained()) {
				return after
			}
			before := balance(each(used, func(u utilization) float64 { return ratio(u.before, u.capacity) }))
			return 50 + (50+after-before)/2
		},
		Abstains: func(p *Profile, pod *v1.Pod, _ []*v1.Node, _ *Snapshot) bool {
			asked := r.requests(p, pod)
			return all(p.Balanced, func(w ResourceWeight) bool { return none(r.amount(w.Resource, asked)) })
		},
	}
}

func ratio(used, capacity *big.Int) float64 {
	part, _ := new(big.Float).SetInt(used).Float64()
	whole, _ := new(big.Float).SetInt(capacity).Float64()
	return min(1, part/whole)
}

func balance(ratios []float64) int64 { return int64((1 - deviation(ratios)) * 100) }

// deviation is the standard deviation of the population. For two elements it is half their distance, in this
// form because the general one would differ in the last bit.
func deviation(ratios []float64) float64 {
	switch len(ratios) {
	case 0, 1:
		return 0
	case 2:
		return math.Abs((ratios[0] - ratios[1]) / 2)
	}
	var total, squares float64
	for _, r := range ratios {
		total += r
	}
	mean := total / float64(len(ratios))
	for _, r := range ratios {
		squares += (r - mean) * (r - mean)
	}
	return math.Sqrt(squares / float64(len(ratios)))
}
