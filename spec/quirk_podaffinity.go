package spec

import v1 "k8s.io/api/core/v1"

// NamespaceSelectorAbsence is a defect of kube-scheduler v1.36. The selector of a term of the pending pod is
// resolved to a list of namespaces, and kept: it is asked again of another pod's namespace, as if that had no
// labels.
func NamespaceSelectorAbsence() Quirk {
	return Quirk{
		Name: "namespace-selector-absence", Class: Reported, Upstream: "kubernetes/kubernetes#141526",
		Title:  "NotIn in a namespaceSelector selects every namespace",
		Plugin: "InterPodAffinity",
		Doc: "A namespaceSelector that matches namespaces without labels, as NotIn and DoesNotExist do, selects " +
			"every namespace.",
		Since: "v1.34", Mended: "v1.37",
		Change: func(p *Predicates) {
			p.Affinity.about = func(term v1.PodAffinityTerm, pod, other *v1.Pod, s *Snapshot) bool {
				return MatchesPod(term, pod, other, s) ||
					Selects(term.NamespaceSelector, nil) && Selects(term.LabelSelector, other.Labels)
			}
		},
	}
}

// TermsBySamePod is a defect of kube-scheduler v1.36. The field doc intersects lists of nodes, one for each term.
func TermsBySamePod() Quirk {
	return Quirk{
		Name: "terms-by-same-pod", Class: Documentation, Upstream: "kubernetes/kubernetes#68173",
		Title:  "all affinity terms must be met by one and the same pod",
		Plugin: "InterPodAffinity",
		Doc: "Terms of required affinity are satisfied only by pods that all the terms are about, not by a pod " +
			"each.",
		Needs: func(_ *Profile, pod *v1.Pod, _ *Snapshot) bool { return len(requiredAffinity(pod)) > 1 },
		Change: func(p *Predicates) {
			p.Affinity.satisfies = func(r AffinityRules, _ v1.PodAffinityTerm, pod, other *v1.Pod, s *Snapshot) bool {
				return r.ofItsGroup(pod, other, s)
			}
		},
	}
}

// GroupOutsideTopology is a defect of kube-scheduler v1.36. What is counted is domains with pods of the group, and
// a node without the topology keys is in none.
func GroupOutsideTopology() Quirk {
	return Quirk{
		Name: "group-outside-topology", Class: Interpretation, Upstream: "kubernetes/kubernetes#129319",
		Title:  "a second pod of a group counts as the first of its group",
		Plugin: "InterPodAffinity",
		Doc: "A pod counts as the first of its group though another of the group is bound, to a node without any " +
			"of the topology keys.",
		Needs: func(_ *Profile, pod *v1.Pod, s *Snapshot) bool {
			return !all(s.Nodes, func(n *v1.Node) bool { return inTopology(pod, n) })
		},
		Change: func(p *Predicates) { p.Affinity.belongs = inTopology },
	}
}

// inTopology reports whether the node has a topology key of the pod's required affinity.
func inTopology(pod *v1.Pod, node *v1.Node) bool {
	return exists(
		requiredAffinity(pod),
		func(t v1.PodAffinityTerm) bool { return Colocated(t.TopologyKey, node, node) },
	)
}

// NominatedRepels is a defect of kube-scheduler v1.36. The filter abstains from a pod that has no required terms if no
// pod bound in the topology has anti-affinity to it, and is not told of nominated pods then.
func NominatedRepels() Quirk {
	return Quirk{
		Name: "nominated-repels", Class: Unconfirmed, Upstream: "not reported",
		Title:  "anti-affinity of a nominated pod is overlooked",
		Plugin: "InterPodAffinity",
		Doc: "Required anti-affinity of a nominated pod is overlooked if no other pod and no term of its own " +
			"affects the pending pod.",
		Needs: nominatedThere,
		Change: func(p *Predicates) {
			p.Affinity.heeds = func(pod *v1.Pod, anywhere func() bool) bool {
				return len(requiredAffinity(pod))+len(requiredAntiAffinity(pod)) > 0 || anywhere()
			}
		},
	}
}

// WeightPerPod is a defect of kube-scheduler v1.36. The field doc adds the weight "if the node has pods which
// matches the corresponding podAffinityTerm".
func WeightPerPod() Quirk {
	return Quirk{
		Name: "weight-per-pod", Class: Documentation, Upstream: "not reported",
		Title:  "a preferred affinity term counts once per matching pod",
		Plugin: "InterPodAffinity",
		Doc:    "A preferred term adds its weight for each pod it is about, not once.",
		Change: func(p *Predicates) { p.Affinity.times = func(pods int) int64 { return int64(pods) } },
	}
}

// ExistingTermsIgnored is a defect of kube-scheduler v1.36. The field ignorePreferredTermsOfExistingPods is
// documented to ignore preferred terms, "unless the incoming pod has inter-pod affinities".
func ExistingTermsIgnored() Quirk {
	return Quirk{
		Name: "existing-terms-ignored", Class: Documentation, Upstream: "kubernetes/kubernetes#114267",
		Title:  "ignorePreferredTermsOfExistingPods ignores required terms too",
		Plugin: "InterPodAffinity",
		Doc: "With ignorePreferredTermsOfExistingPods, a pod without preferred terms is not scored at all, " +
			"whatever else it or others require.",
		Change: func(p *Predicates) {
			p.Affinity.heeded = func(profile *Profile, pod, other *v1.Pod) []v1.WeightedPodAffinityTerm {
				if profile.PodAffinity.IgnorePreferredTermsOfExistingPods && len(preferences(pod)) == 0 {
					return nil
				}
				return heeded(profile, pod, other)
			}
		},
	}
}
