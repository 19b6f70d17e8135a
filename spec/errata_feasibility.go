package spec

import v1 "k8s.io/api/core/v1"

const (
	taintsPage = "https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/"
	assignPage = "https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/"
)

// feasibilityErrata are about the filters that are written.
func feasibilityErrata() []Erratum {
	return []Erratum{
		{
			ID: "E3", Name: "what is left", Plugin: "NodeResourcesFit",
			Written:    `requests <= Node.Status.Allocatable, and 1 <= Node.Status.Allocatable["pods"], whoever is on the node`,
			Documented: "requests are compared with what the pods on the node leave of allocatable",
			Source:     "https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/#how-pods-with-resource-requests-are-scheduled",
			mend:       func(t *text) { t.occupants = PodsOn },
		},
		{
			ID: "E4", Name: "PreferNoSchedule does not filter", Plugin: "TaintToleration",
			Written: `\A Taint \in Node.Spec.Taints : \E Toleration \in Pod.Spec.Tolerations : Match(Toleration, Taint)`,
			Documented: "only taints with the effects NoSchedule and NoExecute must be tolerated; PreferNoSchedule " +
				"is a score",
			Source: taintsPage,
			mend:   func(t *text) { t.repels = mustBeTolerated },
		},
		{
			ID: "E5", Name: "wildcards of tolerations", Plugin: "TaintToleration",
			Written: `Match: Toleration.Key = Taint.Key, Toleration.Effect = Taint.Effect, and Toleration.Operator \in {"Exists", "Equal"}`,
			Documented: "an empty effect matches every effect, an empty key with the operator Exists every key, and " +
				"an empty operator is Equal",
			Source: "field docs of Toleration, and " + taintsPage,
			mend:   func(t *text) { t.match = Tolerates },
		},
		{
			ID: "E6", Name: "the phase of a node is not read", Plugin: "NodeUnschedulable",
			Written:    `Node.Status.Phase = "Running"`,
			Documented: "the field is deprecated and never set; conditions of a node reach the scheduler as taints",
			Source:     "field doc of NodeStatus.phase, and " + taintsPage + "#taint-nodes-by-condition",
			mend:       func(t *text) { t.running = func(*v1.Node) bool { return true } },
		},
		{
			ID: "E8", Name: "anti-affinity is symmetric", Plugin: "InterPodAffinity",
			Written:    `\A Term \in Pod.Spec.Affinity.AntiPodAffinity.Required : ~P_Affinity(Term, Node), of the incoming pod only`,
			Documented: "required anti-affinity of pods already there keeps the incoming pod away too",
			Source: "design proposal podaffinity.md, on the symmetry of required anti-affinity; see " +
				"InterPodAffinity",
			mend: func(t *text) { t.repelledBy = repels },
		},
		{
			ID: "E9", Name: "the first pod of a group may start", Plugin: "InterPodAffinity",
			Written: `\A Term \in Pod.Spec.Affinity.PodAffinity.Required : P_Affinity(Term, Node), also if the term is about pods like this one and there is none yet`,
			Documented: "the first of a series of pods with affinity to themselves may start on any node that has " +
				"the topology keys",
			Source: assignPage + "#scheduling-a-group-of-pods-with-inter-pod-affinity-to-themselves",
			mend:   func(t *text) { t.attracted = DocumentedAffinity().attracted },
		},
		{
			ID: "E15", Name: "a cordoned node can be tolerated", Plugin: "NodeUnschedulable",
			Written: "Node.Spec.Unschedulable = False",
			Documented: "a pod that tolerates the taint node.kubernetes.io/unschedulable:NoSchedule may go to a " +
				"cordoned node",
			Source: taintsPage + "#taint-nodes-by-condition",
			mend: func(t *text) {
				documented := NodeUnschedulable()
				t.closed = func(pod *v1.Pod, node *v1.Node) bool { return !documented.Holds(nil, pod, node, nil) }
			},
		},
		{
			ID: "E16", Name: "matchFields, and terms without requirements", Plugin: "NodeAffinity",
			Written: "Match_NS asks a requirement about Node.Labels; nothing else is part of a term",
			Documented: "a term also has matchFields, about the name of the node, and a term without any requirement " +
				"matches no node",
			Source: "field docs of NodeSelectorTerm",
			mend:   func(t *text) { t.matches = MatchesTerm },
		},
	}
}
