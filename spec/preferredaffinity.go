package spec

import v1 "k8s.io/api/core/v1"

// PreferredNodeAffinity is the score
//
//	Raw == sum of Term.Weight over {Term \in Preferred : MatchesTerm(Term.Preference, Node)}
//
// over the preferred terms of the pod and of the profile's added affinity, normalised so that the most is
// best (see mostBest). It answers for the score of the plugin NodeAffinity, and reads only the node. It
// abstains if there are no preferred terms at all.
//
// Source: https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#node-affinity-weight, and field
// docs of PreferredSchedulingTerm ("an empty preferred scheduling term matches all objects with implicit
// weight 0 (i.e. it's a no-op)"; MatchesTerm gives it no weight either) and of NodeAffinityArgs.addedAffinity.
//
// A preference keeps no pod from being scheduled: the scheduler "may choose a node that violates one or more of the
// expressions" (field doc of NodeAffinity). So a term whose bound of Gt or Lt is no integer just does not match, though
// the page on assigning pods to nodes says of such bounds, whether required or preferred, that "the Pod will fail to
// get scheduled".
func PreferredNodeAffinity() ScorePlugin {
	return ScorePlugin{
		Plugin:    "NodeAffinity",
		Footprint: ReadsNode,
		Raw: func(p *Profile, pod *v1.Pod, node *v1.Node, _ *Snapshot) int64 {
			matching := filter(
				preferredTerms(p, pod),
				func(t v1.PreferredSchedulingTerm) bool { return MatchesTerm(t.Preference, node) },
			)
			return sum(matching, func(t v1.PreferredSchedulingTerm) int64 { return int64(t.Weight) })
		},
		Normalize: mostBest,
		Abstains: func(p *Profile, pod *v1.Pod, _ []*v1.Node, _ *Snapshot) bool {
			return len(preferredTerms(p, pod)) == 0
		},
	}
}

func preferredTerms(p *Profile, pod *v1.Pod) []v1.PreferredSchedulingTerm {
	return union(nodeAffinities(p, pod), func(a *v1.NodeAffinity) []v1.PreferredSchedulingTerm {
		return a.PreferredDuringSchedulingIgnoredDuringExecution
	})
}
