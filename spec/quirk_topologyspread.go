package spec

import v1 "k8s.io/api/core/v1"

// SpreadEmptySelector is a defect of kube-scheduler v1.36. The empty selector matches every pod. A dry run of
// preemption does count whom it takes away or puts there.
func SpreadEmptySelector() Quirk {
	return Quirk{
		Name: "spread-empty-selector", Class: Reported, Upstream: "kubernetes/kubernetes#141339",
		Title:  "a spread constraint with selector {} counts no pod",
		Plugin: "PodTopologySpread",
		Doc:    "A topology spread constraint with the selector {} counts no pod that is there.",
		Needs: func(_ *Profile, pod *v1.Pod, s *Snapshot) bool {
			return exists(
				pod.Spec.TopologySpreadConstraints,
				func(c v1.TopologySpreadConstraint) bool { return matchesEverything(c, pod) },
			) ||
				len(pod.Spec.TopologySpreadConstraints) == 0 && exists(controllerSelectors(pod, s), emptySelector)
		},
		Change: func(p *Predicates) {
			counts := p.Spread.counts
			p.Spread.counts = func(c v1.TopologySpreadConstraint, pod, other *v1.Pod) bool {
				return !matchesEverything(c, pod) && counts(c, pod, other)
			}
			p.Spread.apart = true
		},
	}
}

// matchesEverything reports whether the constraint's selector has no requirement, nor gets one from labels of the pod.
func matchesEverything(c v1.TopologySpreadConstraint, pod *v1.Pod) bool {
	return c.LabelSelector != nil && len(c.LabelSelector.MatchLabels)+len(c.LabelSelector.MatchExpressions) == 0 &&
		!exists(c.MatchLabelKeys, func(key string) bool { _, has := pod.Labels[key]; return has })
}

// SpreadTerminating is a defect of kube-scheduler v1.36. A pod that terminates is not counted, and subtracted all
// the same when a dry run of preemption takes it away.
func SpreadTerminating() Quirk {
	return Quirk{
		Name: "spread-terminating", Class: Unconfirmed, Upstream: "not reported",
		Title:  "evicting a terminating pod is taken to even out a spread",
		Plugin: "PodTopologySpread",
		Doc:    "Evicting a pod that terminates is taken to make room in its domain, though it did not count there.",
		Needs:  terminatingThere,
		Change: func(p *Predicates) {
			p.Spread.moves, p.Spread.apart = SpreadsOver, true
		},
	}
}

// moved returns the difference that it makes to count pods by another rule when a dry run takes them away, or
// puts them there, than when they are there from the start.
func (r SpreadRules) moved(c v1.TopologySpreadConstraint, pod *v1.Pod, nodes []*v1.Node, s *Snapshot) int64 {
	if !r.apart {
		return 0
	}
	misjudged := func(other *v1.Pod) int64 {
		here := exists(nodes, func(n *v1.Node) bool { return n.Name == other.Spec.NodeName })
		counts, moves := r.counts(c, pod, other), r.moves(c, pod, other)
		switch {
		case here && moves && !counts:
			return 1
		case here && counts && !moves:
			return -1
		default:
			return 0
		}
	}
	taken, put := moves(s)
	return sum(put, misjudged) - sum(taken, misjudged)
}
