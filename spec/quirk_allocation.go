package spec

import (
	"math/big"
	"strings"

	v1 "k8s.io/api/core/v1"
)

// ZeroScoreLeftOut is a defect of kube-scheduler v1.36. The page on bin packing divides by the sum of all weights.
func ZeroScoreLeftOut() Quirk {
	return Quirk{
		Name: "zero-score-left-out", Class: Unconfirmed, Upstream: "not reported",
		Title:  "RequestedToCapacityRatio leaves out resources of score 0",
		Plugin: "NodeResourcesFit",
		Doc: "With RequestedToCapacityRatio, a resource whose score is 0 is left out of the mean, so the worst that " +
			"can be said of it is " +
			"as good as nothing.",
		Needs: func(p *Profile, _ *v1.Pod, _ *Snapshot) bool { return p.Fit.Strategy == "RequestedToCapacityRatio" },
		Change: func(p *Predicates) {
			counts := p.Allocation.counts
			p.Allocation.counts = func(args FitArgs, u utilization) bool {
				return counts(args, u) &&
					(args.Strategy != "RequestedToCapacityRatio" || p.Allocation.amounts.score(args, u) > 0)
			}
		},
	}
}

// LookalikeDomain is a defect of kube-scheduler v1.36. Extended resources are those outside the domain kubernetes.io
// (page on managing resources), which it looks for anywhere in the name.
func LookalikeDomain() Quirk {
	lookalike := func(name v1.ResourceName) bool {
		return Extended(name) && strings.Contains(string(name), kubernetesDomain+"/")
	}
	f := NodeResourcesFit()
	f.indexed = nil // the fast form is of what is documented
	holds := f.Holds
	f.Holds = func(p *Profile, pod *v1.Pod, node *v1.Node, s *Snapshot) bool {
		return holds(p, pod, node, s) && fits(DocumentedAmounts(), p.Requests(pod), each(PodsOn(node, s), p.Requests),
			node, func(name v1.ResourceName) bool { return !lookalike(name) })
	}
	return Quirk{
		Name: "lookalike-domain", Class: Documentation, Upstream: "kubernetes/kubernetes#61860",
		Title:  "a resource of notkubernetes.io is taken for Kubernetes' own",
		Plugin: "NodeResourcesFit", Filter: &f, mends: true,
		Doc: "A resource of another domain that ends in kubernetes.io, as notkubernetes.io/x, is taken for one of " +
			"Kubernetes' own, so that ignoredResources and ignoredResourceGroups do not take it out.",
		Needs: func(p *Profile, pod *v1.Pod, _ *Snapshot) bool {
			return exists(sortedKeys(p.Requests(pod)), lookalike)
		},
	}
}

// RequestsOverflow is a defect of kube-scheduler v1.36: it counts in int64. What adds up to 2^63 and more turns
// negative or 0, so that a pending pod for more memory than there is anywhere fits every node, and a node on which
// pods request that much is empty. Where several nodes seem to fit, the scores can leave the range of 0 to 100, and
// the cycle ends in an error.
func RequestsOverflow() Quirk {
	return Quirk{
		Name: "requests-overflow", Class: Reported, Upstream: "kubernetes/kubernetes#102134",
		Title:  "requests that add up to 2^63 or more count as nothing",
		Plugin: "NodeResourcesFit", Also: []string{"NodeResourcesBalancedAllocation"},
		Amounts: overflowing,
		Doc: "Requests that add up to 2^63 or more count as a negative number or as nothing, so the pod fits on " +
			"any node, or its cycle ends in an error.",
		Needs: func(p *Profile, _ *v1.Pod, s *Snapshot) bool {
			return exists(s.Pods, func(pod *v1.Pod) bool { return large(p.Requests(pod)) }) ||
				exists(s.Nodes, func(node *v1.Node) bool { return large(node.Status.Allocatable) })
		},
		ScoringFails: outOfRange,
	}
}

// outOfRange reports whether a score of the node that adds requests up is not one of 0 to 100.
func outOfRange(m *Scheduler, pod *v1.Pod, node *v1.Node, s *Snapshot) bool {
	return m.vast(pod, node, s) && exists(m.scorePlugins, func(r ScorePlugin) bool {
		nodes := []*v1.Node{node}
		if !contains([]string{"NodeResourcesFit", "NodeResourcesBalancedAllocation"}, r.Plugin) ||
			r.Abstains != nil && r.Abstains(m.Profile, pod, nodes, s) {
			return false
		}
		raw := r.Raw(m.Profile, pod, node, s)
		return raw < 0 || raw > 100
	})
}

// large reports whether an amount, of cpu in thousandths, is 2^46 or more. Of smaller ones, a hundred times the sum
// of a thousand is an int64.
func large(list v1.ResourceList) bool {
	for name, quantity := range list {
		limit := int64(1 << 46)
		if name == v1.ResourceCPU {
			limit /= 1000
		}
		if quantity.CmpInt64(limit) >= 0 {
			return true
		}
	}
	return false
}

// vast reports whether amounts on the node, all added up, are so large that a hundred times as much is no int64.
// Else there is nothing to look for.
func (m *Scheduler) vast(pod *v1.Pod, node *v1.Node, s *Snapshot) bool {
	requested := DocumentedAllocation().requested(m.Profile)
	lists := append(each(PodsOn(node, s), requested), requested(pod), node.Status.Allocatable)
	return exists(sortedKeys(total(lists...)), func(name v1.ResourceName) bool {
		hundredfold := DocumentedAmounts().together(name, lists)
		return !hundredfold.Mul(hundredfold, big.NewInt(100)).IsInt64()
	})
}

// overflowing changes the rules to those by which numbers are int64.
func overflowing(r *AmountRules) {
	r.wraps = true
	r.amount = func(name v1.ResourceName, list v1.ResourceList) *big.Int {
		quantity := list[name]
		if name == v1.ResourceCPU {
			return big.NewInt(quantity.MilliValue())
		}
		return big.NewInt(quantity.Value())
	}
	r.result = func(n *big.Int) *big.Int {
		low := new(big.Int).And(n, new(big.Int).SetUint64(1<<64-1))
		return big.NewInt(int64(low.Uint64()))
	}
}
