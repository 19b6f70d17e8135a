package spec

import v1 "k8s.io/api/core/v1"

// Answers tells whether there is a decision. There always is, but for quirks by which a filter Fails: then there is none if
// the filter is asked about some node, that is, if no filter before it rejects the node, nominated pods included.
//
// A pod that is turned away asks no filter. One whose nominated node is feasible asks about that node only; an error there
// is passed over, and all nodes are asked about.
func (m *Scheduler) Answers(pod *v1.Pod, s *Snapshot) bool {
	if !m.canFail() || TurnedAway(pod, s) {
		return true
	}
	fails := filter(s.Nodes, func(node *v1.Node) bool { return m.failsOn(pod, node, s) })
	return len(fails) == 0 || exists(minus(nominatedNodes(pod, s), fails), func(node *v1.Node) bool { return m.Feasibility(pod, node, s) })
}

func (m *Scheduler) canFail() bool {
	return exists(m.filters, func(f Filter) bool { return f.Fails != nil })
}

// dryRunFails tells whether nothing comes of a preemption because filters end in an error when they are asked about a node
// without the pods in jeopardy, and no other node helps. The scheduler lets the pod wait then, with its nomination.
func (m *Scheduler) dryRunFails(pod *v1.Pod, s *Snapshot) bool {
	return m.canFail() && !TurnedAway(pod, s) && !AwaitsVictims(pod, s) && len(m.leastRivals(pod, s)) == 0 &&
		exists(s.Nodes, func(node *v1.Node) bool {
			jeopardy := Jeopardy(pod, node, s)
			return len(jeopardy) > 0 && m.failsOn(pod, node, s.Without(jeopardy...))
		})
}

// failsOn tells whether asking the filters about the node, with the nominated pods that must be respected and then without,
// ends in an error before one of them rejects it.
func (m *Scheduler) failsOn(pod *v1.Pod, node *v1.Node, s *Snapshot) bool {
	stages := []*Snapshot{s}
	if respected := m.rules.respected(pod, node, s); len(respected) > 0 {
		stages = []*Snapshot{s.WithBound(node, respected...), s}
	}
	for _, stage := range stages {
		for _, f := range m.filters {
			switch allowed := m.Allowed(f, pod, node, stage); {
			case allowed.Fails:
				return true
			case !allowed.Holds:
				return false
			}
		}
	}
	return false
}
