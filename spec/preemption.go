package spec

import (
	"slices"

	v1 "k8s.io/api/core/v1"
)

// PreemptionEnabled reports whether evictions from some node would make the pod feasible there:
//
//	PreemptionEnabled(Pod) == \E Node : \E Pods \in SUBSET Jeopardy(Pod, Node, S) : Feasibility(Pod, Node, S \ Pods)
func (m *Scheduler) PreemptionEnabled(pod *v1.Pod, s *Snapshot) bool {
	return exists(s.Nodes, func(node *v1.Node) bool { return len(m.preemptable(pod, node, s)) > 0 })
}

// Preemption returns the ideal preemptions: of all nodes and all sets of pods whose eviction makes the pod
// feasible, those of the least casualty.
//
//	Preemptable == {<<Node, Pods>> : Pods \in SUBSET Jeopardy(Pod, Node, S) /\ Feasibility(Pod, Node, S \ Pods)}
//	Preemption(Pod) == {Least \in Preemptable : \A Other \in Preemptable : Casualty(Least.Pods) <= Casualty(Other.Pods)}
//
// Order: that of the snapshot's nodes, then smaller sets first. The cost is exponential in the number of pods on a
// node.
//
// Source: the formal model, corrected: only sets that make the pod feasible compete. Kubernetes promises less, see
// DocumentedPreemption.
func (m *Scheduler) Preemption(pod *v1.Pod, s *Snapshot) []Candidate {
	preemptable := union(s.Nodes, func(node *v1.Node) []Candidate { return m.preemptable(pod, node, s) })
	return filter(preemptable, func(least Candidate) bool {
		return all(preemptable, func(other Candidate) bool {
			return m.CasualtyOf(pod, least, s).Compare(m.CasualtyOf(pod, other, s)) <= 0
		})
	})
}

// preemptable returns every set of pods of the node whose eviction makes the pod feasible there.
func (m *Scheduler) preemptable(pod *v1.Pod, node *v1.Node, s *Snapshot) []Candidate {
	helpful := filter(subsets(Jeopardy(pod, node, s)), func(pods []*v1.Pod) bool {
		return m.Feasibility(pod, node, s.Without(pods...))
	})
	return each(helpful, func(pods []*v1.Pod) Candidate {
		return Candidate{Node: slices.Index(s.Nodes, node), Victims: pods}
	})
}
