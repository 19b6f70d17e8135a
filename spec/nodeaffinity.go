package spec

import (
	"strconv"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// NodeAffinity is the filter
//
//	Holds == /\ \A Label \in DOMAIN Pod.Spec.NodeSelector : Node.Labels[Label] = Pod.Spec.NodeSelector[Label]
//	         /\ \A Required \in {the pod's required node affinity, the profile's added one} :
//	                \E Term \in Required.NodeSelectorTerms : MatchesTerm(Term, Node)
//
// It answers for the filter of the plugin NodeAffinity, and reads only the node.
//
// Source: https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#node-affinity,
// field docs of PodSpec.nodeSelector, NodeAffinity and NodeSelector, and of NodeAffinityArgs.addedAffinity.
// Affinity that is absent asks for nothing; affinity that is there without terms matches no node.
func NodeAffinity() Filter {
	return Filter{
		Plugin:    "NodeAffinity",
		Footprint: ReadsNode,
		Holds: func(p *Profile, pod *v1.Pod, node *v1.Node, _ *Snapshot) bool {
			return hasLabels(node, pod.Spec.NodeSelector) &&
				all(nodeAffinities(p, pod), func(a *v1.NodeAffinity) bool { return meetsRequired(a, node) })
		},
	}
}

// meetsOwnAffinity is NodeAffinity without what the profile adds.
func meetsOwnAffinity(pod *v1.Pod, node *v1.Node) bool {
	return hasLabels(node, pod.Spec.NodeSelector) &&
		(pod.Spec.Affinity == nil || pod.Spec.Affinity.NodeAffinity == nil ||
			meetsRequired(pod.Spec.Affinity.NodeAffinity, node))
}

// meetsRequired reports whether the node meets what the affinity requires, if it requires anything.
func meetsRequired(affinity *v1.NodeAffinity, node *v1.Node) bool {
	required := affinity.RequiredDuringSchedulingIgnoredDuringExecution
	return required == nil ||
		exists(required.NodeSelectorTerms, func(t v1.NodeSelectorTerm) bool { return MatchesTerm(t, node) })
}

// nodeAffinities returns the pod's own node affinity and the one that the profile adds, where present.
func nodeAffinities(p *Profile, pod *v1.Pod) []*v1.NodeAffinity {
	both := []*v1.NodeAffinity{p.AddedAffinity}
	if pod.Spec.Affinity != nil {
		both = append(both, pod.Spec.Affinity.NodeAffinity)
	}
	return filter(both, func(a *v1.NodeAffinity) bool { return a != nil })
}

func hasLabels(node *v1.Node, selector map[string]string) bool {
	return all(sortedKeys(selector), func(key string) bool {
		value, ok := node.Labels[key]
		return ok && value == selector[key]
	})
}

// MatchesTerm reports whether a node selector term matches the node:
//
//	MatchesTerm(Term, Node) ==
//	    /\ Term.MatchExpressions \cup Term.MatchFields # {}
//	    /\ \A Requirement \in Term.MatchExpressions : MatchesLabels(Requirement, Node)
//	    /\ \A Requirement \in Term.MatchFields      : MatchesFields(Requirement, Node)
//
// Source: doc of NodeSelectorTerm ("a null or empty node selector term matches no objects").
func MatchesTerm(term v1.NodeSelectorTerm, node *v1.Node) bool {
	return len(term.MatchExpressions)+len(term.MatchFields) > 0 &&
		all(term.MatchExpressions, func(r v1.NodeSelectorRequirement) bool { return MatchesLabels(r, node) }) &&
		all(term.MatchFields, func(r v1.NodeSelectorRequirement) bool { return MatchesFields(r, node) })
}

// MatchesLabels reports whether the node's labels meet the requirement. With Value the node's label, if it has one:
//
//	In            the label is there and Value \in Values
//	NotIn         ~(the label is there and Value \in Values): also if it is missing
//	Exists        the label is there
//	DoesNotExist  it is not
//	Gt            the label is there, is an integer, and Value > the only element of Values
//	Lt            likewise, and Value < the only element of Values
//
// Source: field docs of NodeSelectorRequirement, and
// https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#operators.
// A requirement with the wrong number of values, or whose bound of Gt or Lt is not an integer, is met by no node.
func MatchesLabels(r v1.NodeSelectorRequirement, node *v1.Node) bool {
	value, labelled := node.Labels[r.Key]
	among := labelled && contains(r.Values, value)
	switch r.Operator {
	case v1.NodeSelectorOpIn:
		return len(r.Values) > 0 && among
	case v1.NodeSelectorOpNotIn:
		return len(r.Values) > 0 && !among
	case v1.NodeSelectorOpExists:
		return len(r.Values) == 0 && labelled
	case v1.NodeSelectorOpDoesNotExist:
		return len(r.Values) == 0 && !labelled
	case v1.NodeSelectorOpGt:
		return labelled && compares(value, r.Values, func(label, bound int64) bool { return label > bound })
	case v1.NodeSelectorOpLt:
		return labelled && compares(value, r.Values, func(label, bound int64) bool { return label < bound })
	default:
		return false
	}
}

// compares reports whether the label and the only bound are integers in that relation.
func compares(label string, bounds []string, related func(label, bound int64) bool) bool {
	if len(bounds) != 1 {
		return false
	}
	value, notANumber := strconv.ParseInt(label, 10, 64)
	bound, notABound := strconv.ParseInt(bounds[0], 10, 64)
	return notANumber == nil && notABound == nil && related(value, bound)
}

// MatchesFields reports whether the node's fields meet the requirement. The only field is
// metadata.name, the only operators are In and NotIn, with exactly one value.
//
// Source: the API's validation of matchFields, and field doc of NodeSelectorTerm.matchFields.
func MatchesFields(r v1.NodeSelectorRequirement, node *v1.Node) bool {
	if r.Key != metav1.ObjectNameField || len(r.Values) != 1 {
		return false
	}
	switch r.Operator {
	case v1.NodeSelectorOpIn:
		return node.Name == r.Values[0]
	case v1.NodeSelectorOpNotIn:
		return node.Name != r.Values[0]
	default:
		return false
	}
}
