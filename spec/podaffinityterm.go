package spec

import (
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// MatchesPod reports whether another pod is one of those that an affinity or anti-affinity term is about. Owner is
// the pod that has the term.
//
//	MatchesPod(Term, Owner, Other, S) ==
//	    /\ \/ Other.Namespace \in Term.Namespaces
//	       \/ Term.NamespaceSelector # nil /\ Selects(Term.NamespaceSelector, labels of Other's namespace)
//	       \/ Term.Namespaces = {} /\ Term.NamespaceSelector = nil /\ Other.Namespace = Owner.Namespace
//	    /\ Selects(Term.LabelSelector, Other.Labels)
//
// MatchLabelKeys and MismatchLabelKeys are not read: when a pod is created, the API server merges them into
// labelSelector (KEP-3633), and the pods of a snapshot are admitted ones. A namespace that is not in the snapshot
// has no labels.
//
// Source: field docs of PodAffinityTerm, and
// https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#namespace-selector.
func MatchesPod(term v1.PodAffinityTerm, owner, other *v1.Pod, s *Snapshot) bool {
	own := len(term.Namespaces) == 0 && term.NamespaceSelector == nil
	return (own && other.Namespace == owner.Namespace ||
		contains(term.Namespaces, other.Namespace) ||
		Selects(term.NamespaceSelector, namespaceLabels(other.Namespace, s))) &&
		Selects(term.LabelSelector, other.Labels)
}

// Selects reports whether the label selector matches the labels. Nil matches nothing, the empty selector everything.
//
// Source: doc of LabelSelector. A malformed expression, which the API server refuses, matches nothing here.
func Selects(selector *metav1.LabelSelector, set map[string]string) bool {
	if selector == nil {
		return false
	}
	for key, wanted := range selector.MatchLabels {
		if value, there := set[key]; !there || value != wanted {
			return false
		}
	}
	return all(selector.MatchExpressions, func(r metav1.LabelSelectorRequirement) bool { return meets(r, set) })
}

// meets reports whether the labels meet one requirement of a label selector.
//
// Source: field docs of LabelSelectorRequirement, and
// https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#set-based-requirement (NotIn: "as well
// as all resources with no labels with the key").
func meets(r metav1.LabelSelectorRequirement, set map[string]string) bool {
	value, there := set[r.Key]
	switch r.Operator {
	case metav1.LabelSelectorOpIn:
		return there && contains(r.Values, value)
	case metav1.LabelSelectorOpNotIn:
		return len(r.Values) > 0 && !(there && contains(r.Values, value))
	case metav1.LabelSelectorOpExists:
		return there && len(r.Values) == 0
	case metav1.LabelSelectorOpDoesNotExist:
		return !there && len(r.Values) == 0
	}
	return false
}

func namespaceLabels(name string, s *Snapshot) map[string]string {
	named := filter(s.Namespaces, func(ns *v1.Namespace) bool { return ns.Name == name })
	if len(named) == 0 {
		return nil
	}
	return named[0].Labels
}

// Colocated reports whether two nodes are in the same domain of a topology: both have the label, with the same value.
//
// Source: field doc of PodAffinityTerm.topologyKey. A node without the label is in no domain, not even its own.
func Colocated(topologyKey string, a, b *v1.Node) bool {
	valueA, labelledA := a.Labels[topologyKey]
	valueB, labelledB := b.Labels[topologyKey]
	return labelledA && labelledB && valueA == valueB
}

// beside returns the pods bound to nodes in the node's domain.
func beside(topologyKey string, node *v1.Node, s *Snapshot) []*v1.Pod {
	domain := filter(s.Nodes, func(other *v1.Node) bool { return Colocated(topologyKey, node, other) })
	return union(domain, func(n *v1.Node) []*v1.Pod { return PodsOn(n, s) })
}

// boundPods returns the pods that are bound to some node, node by node.
func boundPods(s *Snapshot) []*v1.Pod {
	return union(s.Nodes, func(n *v1.Node) []*v1.Pod { return PodsOn(n, s) })
}

// The terms of a pod.

func requiredAffinity(pod *v1.Pod) []v1.PodAffinityTerm {
	if pod.Spec.Affinity == nil || pod.Spec.Affinity.PodAffinity == nil {
		return nil
	}
	return pod.Spec.Affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution
}

func requiredAntiAffinity(pod *v1.Pod) []v1.PodAffinityTerm {
	if pod.Spec.Affinity == nil || pod.Spec.Affinity.PodAntiAffinity == nil {
		return nil
	}
	return pod.Spec.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution
}

func preferredAffinity(pod *v1.Pod) []v1.WeightedPodAffinityTerm {
	if pod.Spec.Affinity == nil || pod.Spec.Affinity.PodAffinity == nil {
		return nil
	}
	return pod.Spec.Affinity.PodAffinity.PreferredDuringSchedulingIgnoredDuringExecution
}

func preferredAntiAffinity(pod *v1.Pod) []v1.WeightedPodAffinityTerm {
	if pod.Spec.Affinity == nil || pod.Spec.Affinity.PodAntiAffinity == nil {
		return nil
	}
	return pod.Spec.Affinity.PodAntiAffinity.PreferredDuringSchedulingIgnoredDuringExecution
}
