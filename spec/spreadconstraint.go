package spec

import v1 "k8s.io/api/core/v1"

// Constraints returns the topology spread constraints on the pod of the kind that the action names: DoNotSchedule
// filters, ScheduleAnyway scores. They are the pod's own or, if it defines none of either kind, the default ones.
//
// Source:
// https://kubernetes.io/docs/concepts/scheduling-eviction/topology-spread-constraints/#cluster-level-default-constraints.
func (r SpreadRules) Constraints(p *Profile, pod *v1.Pod, action v1.UnsatisfiableConstraintAction,
	s *Snapshot) []v1.TopologySpreadConstraint {
	constraints := pod.Spec.TopologySpreadConstraints
	if len(constraints) == 0 {
		constraints = r.defaultConstraints(p, pod, s)
	}
	return filter(constraints, func(c v1.TopologySpreadConstraint) bool { return c.WhenUnsatisfiable == action })
}

// labelled reports whether the node has the topology keys of all the constraints.
//
// Source: https://kubernetes.io/docs/concepts/scheduling-eviction/topology-spread-constraints/#implicit-conventions
// ("nodes missing any of these topologyKeys are bypassed").
func labelled(node *v1.Node, constraints []v1.TopologySpreadConstraint) bool {
	return all(constraints, func(c v1.TopologySpreadConstraint) bool { return Colocated(c.TopologyKey, node, node) })
}

// included reports whether the constraint's policies include the node in the calculation:
//
//	Included == /\ nodeAffinityPolicy = Ignore \/ the node meets the pod's node selector and required node affinity
//	            /\ nodeTaintsPolicy # Honor    \/ the pod tolerates the node's taints
//
// Source: field docs of nodeAffinityPolicy (nil is Honor) and nodeTaintsPolicy (nil is Ignore). The affinity is
// "Pod's nodeAffinity/nodeSelector"; what the profile adds is not the pod's. The taints are those that keep pods
// off a node, as in the filter TaintToleration: the documents only speak of taints.
func included(c v1.TopologySpreadConstraint, pod *v1.Pod, node *v1.Node, _ *Snapshot) bool {
	ignoresAffinity := c.NodeAffinityPolicy != nil && *c.NodeAffinityPolicy == v1.NodeInclusionPolicyIgnore
	honorsTaints := c.NodeTaintsPolicy != nil && *c.NodeTaintsPolicy == v1.NodeInclusionPolicyHonor
	return (ignoresAffinity || meetsOwnAffinity(pod, node)) && (!honorsTaints || toleratesTaints(pod, node))
}

// SpreadsOver reports whether another pod, or the pod itself, is one of those over which the pod's constraint spreads:
//
//	SpreadsOver(C, Pod, Other) ==
//	    /\ Other.Namespace = Pod.Namespace
//	    /\ Selects(C.LabelSelector, Other.Labels)
//	    /\ \A Key \in C.MatchLabelKeys : Key \in DOMAIN Pod.Labels => Other.Labels[Key] = Pod.Labels[Key]
//
// Source: field docs of TopologySpreadConstraint.labelSelector and matchLabelKeys (KEP-3243), and the implicit
// conventions ("only the Pods holding the same namespace as the incoming Pod can be matching candidates").
func SpreadsOver(c v1.TopologySpreadConstraint, pod, other *v1.Pod) bool {
	return other.Namespace == pod.Namespace && Selects(c.LabelSelector, other.Labels) &&
		all(c.MatchLabelKeys, func(key string) bool {
			value, ok := pod.Labels[key]
			theirs, has := other.Labels[key]
			return !ok || has && theirs == value
		})
}

// matching counts the pods on the nodes that count for the constraint.
func (r SpreadRules) matching(c v1.TopologySpreadConstraint, pod *v1.Pod, nodes []*v1.Node, s *Snapshot) int64 {
	there := union(nodes, func(n *v1.Node) []*v1.Pod { return PodsOn(n, s) })
	counted := filter(there, func(other *v1.Pod) bool { return r.counts(c, pod, other) })
	return int64(len(counted)) + r.moved(c, pod, nodes, s)
}

// countsForSpread reports whether another pod on a node counts for the constraint: it is spread over, and does not
// terminate.
//
// The documents do not mention terminating pods; that they are left out follows issue 87621, since a replacement
// must not be spread away from the pod it replaces.
func countsForSpread(c v1.TopologySpreadConstraint, pod, other *v1.Pod) bool {
	return other.DeletionTimestamp == nil && SpreadsOver(c, pod, other)
}

// domain returns those of the nodes that are in the node's domain of the constraint's topology.
func domain(c v1.TopologySpreadConstraint, node *v1.Node, nodes []*v1.Node) []*v1.Node {
	return filter(nodes, func(other *v1.Node) bool { return Colocated(c.TopologyKey, node, other) })
}

// domains returns one node of each domain that the nodes make up. Every node must have the topology key.
func domains(c v1.TopologySpreadConstraint, nodes []*v1.Node) []*v1.Node {
	return distinct(nodes, func(a, b *v1.Node) bool { return Colocated(c.TopologyKey, a, b) })
}
