package spec

import v1 "k8s.io/api/core/v1"

// Feasibility reports whether the node can take the pod now:
//
//	Feasibility(Pod, Node, S) ==
//	    /\ Passes(Pod, Node, S)
//	    /\ Passes(Pod, Node, S with Respected(Pod, Node, S) bound to Node)
//
// The pods that hold a nomination to the node may come to run there or elsewhere, so the pod must fit both with and
// without them.
//
// Source:
// https://kubernetes.io/docs/concepts/scheduling-eviction/pod-priority-preemption/#user-exposed-information, field
// doc of PodStatus.nominatedNodeName, and doc comment of RunFilterPluginsWithNominatedPods in
// k8s.io/kubernetes/pkg/scheduler/framework/runtime ("plus higher and equal priority pods nominated to run on the
// node").
func (m *Scheduler) Feasibility(pod *v1.Pod, node *v1.Node, s *Snapshot) bool {
	return m.Passes(pod, node, s) && m.PassesWithNominated(pod, node, s)
}

// PassesWithNominated is the second part of Feasibility: all filters let the node pass when the pods are on it to
// which the pod must leave their room. Where there are none it is left to Passes, and this holds.
func (m *Scheduler) PassesWithNominated(pod *v1.Pod, node *v1.Node, s *Snapshot) bool {
	respected := m.rules.respected(pod, node, s)
	return len(respected) == 0 || m.Passes(pod, node, s.WithBound(node, respected...))
}

// Passes reports whether all filters let the node pass, nominations left aside:
//
//	Passes(Pod, Node, S) == Filter_1 /\ Filter_2 /\ ...
func (m *Scheduler) Passes(pod *v1.Pod, node *v1.Node, s *Snapshot) bool {
	return all(m.filters, func(f Filter) bool { return f.Holds(m.Profile, pod, node, s) })
}

// Feasible returns the feasible nodes, in the snapshot's order:
//
//	{Node \in S : Feasibility(Pod, Node, S)}
func (m *Scheduler) Feasible(pod *v1.Pod, s *Snapshot) []*v1.Node {
	return filter(s.Nodes, func(node *v1.Node) bool { return m.Feasibility(pod, node, s) })
}

// Respected returns the pods nominated to the node to which the pod must leave their room, in the snapshot's
// order: the others of at least its priority.
//
//	{Other \in NominatedTo(Node, S) \ {Pod} : Priority(Other) >= Priority(Pod)}
func Respected(pod *v1.Pod, node *v1.Node, s *Snapshot) []*v1.Pod {
	return filter(NominatedTo(node, s), func(other *v1.Pod) bool {
		return other != pod && Priority(other) >= Priority(pod)
	})
}
