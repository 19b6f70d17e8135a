package spec

import v1 "k8s.io/api/core/v1"

// SchedulingEnabled reports whether the pod can be bound now:
//
//	SchedulingEnabled(Pod) == \E Node : Feasibility(Pod, Node, Objects)
func (m *Scheduler) SchedulingEnabled(pod *v1.Pod, s *Snapshot) bool {
	return exists(s.Nodes, func(node *v1.Node) bool { return m.Feasibility(pod, node, s) })
}

// Scheduling returns the nodes to which the pod may be bound, in the snapshot's order:
//
//	Feasible == {Node \in S : Feasibility(Pod, Node, S)}
//	Scheduling(Pod) ==
//	    IF the pod holds a nomination to a node in Feasible
//	    THEN {that node}
//	    ELSE {Node \in Feasible : \A Other \in Feasible :
//	              Viability(Pod, Other, Feasible, S) <= Viability(Pod, Node, Feasible, S)}
//
// Source: https://kubernetes.io/docs/concepts/scheduling-eviction/kube-scheduler/#kube-scheduler-implementation
// ("if there is more than one node with equal scores, kube-scheduler selects one of these at random"). That a
// nominated node is taken as it is, without comparing it with others: KEP-1923 (prefer nominated node).
//
// In clusters of 100 nodes or more the scheduler may stop looking once it found enough feasible nodes; a Question that
// has a Sample takes the best of these.
func (m *Scheduler) Scheduling(pod *v1.Pod, s *Snapshot) []*v1.Node {
	return m.scheduling(Question{Pod: pod, Snapshot: s})
}

func (m *Scheduler) scheduling(q Question) []*v1.Node {
	pod, s := q.Pod, q.Snapshot
	feasible := q.Sample.Of(m.Feasible(pod, s), s)
	if unrated := m.rules.unscored(pod, feasible); len(unrated) > 0 {
		return unrated
	}
	viability := make(map[*v1.Node]int64, len(feasible))
	for i, scores := range m.Scores(pod, feasible, s) {
		viability[feasible[i]] = Total(scores)
	}
	return filter(feasible, func(node *v1.Node) bool {
		return all(feasible, func(other *v1.Node) bool { return viability[other] <= viability[node] })
	})
}
