package spec

import v1 "k8s.io/api/core/v1"

// Statuses returns the statuses that a filter may give of the node, nominations left aside:
//
//	{Fits}                    the filter holds
//	{Rejects}                 it would hold if no pod were bound to the node
//	{Rejects, RejectsForGood} it fails even then
//
// Source: doc of the codes Unschedulable and UnschedulableAndUnresolvable in k8s.io/kube-scheduler/framework: the
// latter means that preemption "would not change anything", the former is right "if it is possible" that it does. A
// filter that cannot tell is free to give the weaker answer.
func (m *Scheduler) Statuses(f Filter, pod *v1.Pod, node *v1.Node, s *Snapshot) []Status {
	switch {
	case f.Holds(m.Profile, pod, node, s):
		return []Status{Fits}
	case f.Holds(m.Profile, pod, node, s.Without(PodsOn(node, s)...)):
		return []Status{Unschedulable}
	default:
		return []Status{Unschedulable, Unresolvable}
	}
}

// Overall returns the statuses that all filters together may give of the node, with the nominations that must be
// respected: Fits exactly if the node is feasible, RejectsForGood only if some filter may say so.
//
// Which filter speaks for the node when several reject it is not documented.
func (m *Scheduler) Overall(pod *v1.Pod, node *v1.Node, s *Snapshot) []Status {
	switch {
	case m.Feasibility(pod, node, s):
		return []Status{Fits}
	case m.Passes(pod, node, s.Without(PodsOn(node, s)...)):
		return []Status{Unschedulable}
	default:
		return []Status{Unschedulable, Unresolvable}
	}
}
