package spec

import v1 "k8s.io/api/core/v1"

// InterPodAffinity is the filter
//
//	Holds == /\ Attracted(Pod, Node)
//	         /\ \A Term \in the pod's required anti-affinity :
//	                ~\E Other \in Beside(Term, Node) : MatchesPod(Term, Pod, Other)
//	         /\ \A Other bound, Term \in Other's required anti-affinity :
//	                MatchesPod(Term, Other, Pod) => ~Colocated(Term.TopologyKey, Node, Other's node)
//
//	Attracted == /\ \A Term \in the pod's required affinity : Term.TopologyKey \in DOMAIN Node.Labels
//	             /\ \/ \A Term \in the pod's required affinity :
//	                       \E Other \in Beside(Term, Node) : MatchesPod(Term, Pod, Other)
//	                \/ FirstOfItsGroup(Pod)
//
// where Beside are the pods bound to nodes in the node's domain. It answers for the filter of the plugin
// InterPodAffinity, and reads the cluster. Pods that terminate count until they are gone.
//
// Source: field docs of PodAffinity ("when there are multiple elements, the lists of nodes corresponding to each
// podAffinityTerm are intersected"), PodAntiAffinity and PodAffinityTerm,
// https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#inter-pod-affinity-and-anti-affinity,
// and the design proposal podaffinity.md for the symmetry of required anti-affinity.
//
// Each term of required affinity may be satisfied by another pod, since lists of nodes are intersected, not sets of
// pods. A node without the topology key is in no domain: required affinity never holds there, anti-affinity always.
func InterPodAffinity() Filter { return interPodAffinity(DocumentedAffinity()).monotone(noAffinity) }

func interPodAffinity(r AffinityRules) Filter {
	return Filter{
		Plugin:    "InterPodAffinity",
		Footprint: ReadsCluster,
		Holds: func(_ *Profile, pod *v1.Pod, node *v1.Node, s *Snapshot) bool {
			return r.attracted(pod, node, s) && !r.repelled(pod, node, s) && !r.repels(pod, node, s)
		},
		indexed: r.indexedFilter,
		Idle: func(_ *Profile, pod *v1.Pod, others []*v1.Pod, s *Snapshot) bool {
			return len(requiredAffinity(pod)) == 0 && !exists(others, func(other *v1.Pod) bool {
				return r.aboutAny(requiredAntiAffinity(pod), pod, other, s) ||
					matchesAny(requiredAntiAffinity(other), other, pod, s)
			})
		},
	}
}

// attracted reports whether the pod's required affinity holds on the node.
func (r AffinityRules) attracted(pod *v1.Pod, node *v1.Node, s *Snapshot) bool {
	terms := requiredAffinity(pod)
	satisfied := func(t v1.PodAffinityTerm) bool {
		return exists(
			beside(t.TopologyKey, node, s),
			func(other *v1.Pod) bool { return r.satisfies(r, t, pod, other, s) },
		)
	}
	return all(terms, func(t v1.PodAffinityTerm) bool { return Colocated(t.TopologyKey, node, node) }) &&
		(all(terms, satisfied) || r.firstOfItsGroup(pod, s))
}

// repelled reports whether the pod's required anti-affinity keeps it off the node.
func (r AffinityRules) repelled(pod *v1.Pod, node *v1.Node, s *Snapshot) bool {
	return exists(requiredAntiAffinity(pod), func(t v1.PodAffinityTerm) bool { return r.found(t, pod, node, s) > 0 })
}

// repels reports whether required anti-affinity of pods that are bound already keeps the pod off the node.
func (r AffinityRules) repels(pod *v1.Pod, node *v1.Node, s *Snapshot) bool {
	anywhere := func() bool {
		first := atFirst(s)
		return exists(s.Nodes, func(n *v1.Node) bool { return repels(pod, n, first) })
	}
	return r.heeds(pod, anywhere) && repels(pod, node, s)
}

// repels reports whether the required anti-affinity of a pod that is bound already keeps the pod off the node.
func repels(pod *v1.Pod, node *v1.Node, s *Snapshot) bool {
	return exists(s.Nodes, func(n *v1.Node) bool {
		return exists(PodsOn(n, s), func(other *v1.Pod) bool {
			return exists(requiredAntiAffinity(other), func(t v1.PodAffinityTerm) bool {
				return Colocated(t.TopologyKey, node, n) && MatchesPod(t, other, pod, s)
			})
		})
	})
}

// found counts the pods in the node's domain that the term of the pod is about.
func (r AffinityRules) found(term v1.PodAffinityTerm, pod *v1.Pod, node *v1.Node, s *Snapshot) int {
	return count(beside(term.TopologyKey, node, s), func(other *v1.Pod) bool { return r.about(term, pod, other, s) })
}

// found reports whether a pod that the term of owner is about is bound in the node's domain.
func found(term v1.PodAffinityTerm, owner *v1.Pod, node *v1.Node, s *Snapshot) bool {
	return DocumentedAffinity().found(term, owner, node, s) > 0
}

// FirstOfItsGroup reports whether the pod is the first of a series of pods that have affinity to themselves, which
// may start anywhere the topology keys exist:
//
//	FirstOfItsGroup(Pod, S) == LET Terms == the pod's required affinity IN
//	    /\ \A Term \in Terms : MatchesPod(Term, Pod, Pod)
//	    /\ ~\E Other bound : \A Term \in Terms : MatchesPod(Term, Pod, Other)
//
// Source:
// https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#scheduling-a-group-of-pods-with-inter-pod-affinity-to-themselves
// ("no other pod in the cluster matches the namespace and selector of this pod"). Bound pods count wherever they
// are, also on nodes without the topology key. Pending pods do not, or pods that wait for each other would wait for
// ever. That a pod must match all terms to be one of the group is a choice.
func FirstOfItsGroup(pod *v1.Pod, s *Snapshot) bool {
	return DocumentedAffinity().firstOfItsGroup(pod, s)
}

func (r AffinityRules) firstOfItsGroup(pod *v1.Pod, s *Snapshot) bool {
	return r.ofItsGroup(pod, pod, s) && !exists(s.Nodes, func(n *v1.Node) bool {
		return r.belongs(pod, n) &&
			exists(PodsOn(n, s), func(other *v1.Pod) bool { return r.ofItsGroup(pod, other, s) })
	})
}

// ofItsGroup reports whether all terms of the pod's required affinity are about another pod, or the pod itself.
func (r AffinityRules) ofItsGroup(pod, other *v1.Pod, s *Snapshot) bool {
	return all(requiredAffinity(pod), func(t v1.PodAffinityTerm) bool { return r.about(t, pod, other, s) })
}

// aboutAny reports whether some of the pod's terms are about another pod.
func (r AffinityRules) aboutAny(terms []v1.PodAffinityTerm, pod, other *v1.Pod, s *Snapshot) bool {
	return exists(terms, func(t v1.PodAffinityTerm) bool { return r.about(t, pod, other, s) })
}

func matchesAny(terms []v1.PodAffinityTerm, owner, other *v1.Pod, s *Snapshot) bool {
	return exists(terms, func(t v1.PodAffinityTerm) bool { return MatchesPod(t, owner, other, s) })
}
