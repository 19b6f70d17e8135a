package spec

import (
	"slices"

	v1 "k8s.io/api/core/v1"
)

// PreferredPodAffinity is the score
//
//	Raw == sum of Term.Weight over {Term \in the pod's preferred affinity : Found(Term, Pod, Node)}
//	     - sum of Term.Weight over {Term \in the pod's preferred anti-affinity : Found(Term, Pod, Node)}
//	     + sum over {Other bound, Term \in Other's terms : Wants(Term, Other)} of
//	           hardPodAffinityWeight   for required affinity
//	           Term.Weight             for preferred affinity
//	           -Term.Weight            for preferred anti-affinity
//	Wants(Term, Other) == MatchesPod(Term, Other, Pod) /\ Colocated(Term.TopologyKey, Node, Other's node)
//
// where Found tells that some pod the term is about is bound in the node's domain. It is normalised so that the
// least is 0 and the most 100 (see spread). It answers for the score of the plugin InterPodAffinity, and reads the
// cluster.
//
// Source: field docs of PodAffinity and PodAntiAffinity ("adding weight to the sum if the node has pods which
// matches the corresponding podAffinityTerm": once for a term, however many pods match), and of
// InterPodAffinityArgs.
//
// The documents disagree about the preferred terms of pods already there: the page on assigning pods to nodes says
// under "Scheduling Behavior" that they are ignored, InterPodAffinityArgs has a field to ignore them, off by
// default. The field counts here. What each of several such pods, or of several required terms of one, adds is not
// documented; each adds.
func PreferredPodAffinity() ScorePlugin { return preferredPodAffinity(DocumentedAffinity()) }

func preferredPodAffinity(r AffinityRules) ScorePlugin {
	return ScorePlugin{
		Plugin:    "InterPodAffinity",
		Footprint: ReadsCluster,
		Raw: func(p *Profile, pod *v1.Pod, node *v1.Node, s *Snapshot) int64 {
			return sum(preferences(pod), func(t v1.WeightedPodAffinityTerm) int64 {
				return int64(t.Weight) * r.times(r.found(t.PodAffinityTerm, pod, node, s))
			}) + r.welcome(p, pod, node, s)
		},
		indexed:   r.indexedScores,
		Normalize: spread,
		Abstains: func(p *Profile, pod *v1.Pod, _ []*v1.Node, s *Snapshot) bool {
			return r.indifferent(p, pod, boundPods(s), s)
		},
		Idle: r.indifferent,
	}
}

// welcome returns what the terms of all pods already there add for the pod on the node.
func (r AffinityRules) welcome(p *Profile, pod *v1.Pod, node *v1.Node, s *Snapshot) int64 {
	return sum(s.Nodes, func(n *v1.Node) int64 {
		return sum(PodsOn(n, s), func(other *v1.Pod) int64 { return r.wanted(p, pod, node, other, n, s) })
	})
}

// wanted returns what the terms of another pod, bound to its node, add for the pod on this node.
func (r AffinityRules) wanted(p *Profile, pod *v1.Pod, node *v1.Node, other *v1.Pod, itsNode *v1.Node,
	s *Snapshot) int64 {
	return sum(r.heeded(p, pod, other), func(t v1.WeightedPodAffinityTerm) int64 {
		if !Colocated(t.PodAffinityTerm.TopologyKey, node, itsNode) || !MatchesPod(t.PodAffinityTerm, other, pod, s) {
			return 0
		}
		return int64(t.Weight)
	})
}

// heeded returns the terms of another pod that count when the pod is scored, with hardPodAffinityWeight as the
// weight of required affinity.
//
// Source: field docs of InterPodAffinityArgs. The field ignorePreferredTermsOfExistingPods names preferred terms
// only, "unless the incoming pod has inter-pod affinities", of whatever sort.
func heeded(p *Profile, pod, other *v1.Pod) []v1.WeightedPodAffinityTerm {
	hard := each(requiredAffinity(other), func(t v1.PodAffinityTerm) v1.WeightedPodAffinityTerm {
		return v1.WeightedPodAffinityTerm{Weight: p.PodAffinity.HardPodAffinityWeight, PodAffinityTerm: t}
	})
	affine := len(requiredAffinity(pod))+len(requiredAntiAffinity(pod))+len(preferences(pod)) > 0
	if p.PodAffinity.IgnorePreferredTermsOfExistingPods && !affine {
		return hard
	}
	return append(hard, preferences(other)...)
}

// preferences returns the pod's preferred terms, those of anti-affinity with their weight negated.
func preferences(pod *v1.Pod) []v1.WeightedPodAffinityTerm {
	avoided := each(preferredAntiAffinity(pod), func(t v1.WeightedPodAffinityTerm) v1.WeightedPodAffinityTerm {
		return v1.WeightedPodAffinityTerm{Weight: -t.Weight, PodAffinityTerm: t.PodAffinityTerm}
	})
	return slices.Concat(preferredAffinity(pod), avoided)
}

// indifferent reports whether no term of the pod is about one of the others, and none of theirs that counts is
// about the pod.
func (r AffinityRules) indifferent(p *Profile, pod *v1.Pod, others []*v1.Pod, s *Snapshot) bool {
	own := preferences(pod)
	return all(others, func(other *v1.Pod) bool {
		return !exists(
			own,
			func(t v1.WeightedPodAffinityTerm) bool { return r.about(t.PodAffinityTerm, pod, other, s) },
		) &&
			!exists(r.heeded(p, pod, other),
				func(t v1.WeightedPodAffinityTerm) bool { return MatchesPod(t.PodAffinityTerm, other, pod, s) })
	})
}

// spread maps raw scores to 0..100, the least to 0 and the most to 100, without fractions. If all are the same, all
// get 0.
//
// The documents give no formula for it, so the numbers are chosen to be those of v1.36. The ratio is a float64, which
// decides on which side of a whole number a score falls.
func spread(raw []int64) []int64 {
	if len(raw) == 0 {
		return nil
	}
	least, most := slices.Min(raw), slices.Max(raw)
	return each(raw, func(value int64) int64 {
		if most == least {
			return 0
		}
		return int64(100 * (float64(value-least) / float64(most-least)))
	})
}
