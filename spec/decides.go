package spec

import v1 "k8s.io/api/core/v1"

// Decides reports whether there is a decision. There always is, unless a filter Fails, of devices or by a quirk: then
// there is none if the filter is asked about some node, that is, if no filter before it rejects the node, nominated
// pods included. Nor is there if by a quirk ScoringFails and nodes are scored, of which there must be two.
//
// A pod that is turned away asks no filter. One whose nominated node is feasible asks about that node only; an
// error there is passed over, and all nodes are asked about.
func (m *Scheduler) Decides(pod *v1.Pod, s *Snapshot) bool {
	return m.decides(Question{Pod: pod, Snapshot: s})
}

// decides is Decides. A search that a question tells of has come to its end, so no filter that it asked ended in an
// error.
func (m *Scheduler) decides(q Question) bool {
	failsOn := func(node *v1.Node) bool { return m.FailsOn(q.Pod, node, q.Snapshot) }
	return !m.Crashes(q.Pod, q.Snapshot) && (q.Sample != nil || m.filtersDecide(q.Pod, q.Snapshot, failsOn)) &&
		!m.scoringFails(q)
}

// DecidesWhere is Answers, given the nodes that FailsOn.
func (m *Scheduler) DecidesWhere(pod *v1.Pod, s *Snapshot, failsOn func(*v1.Node) bool) bool {
	return !m.Crashes(pod, s) && m.filtersDecide(pod, s, failsOn) &&
		!m.scoringFails(Question{Pod: pod, Snapshot: s})
}

func (m *Scheduler) filtersDecide(pod *v1.Pod, s *Snapshot, failsOn func(*v1.Node) bool) bool {
	if !m.canFail(pod, s) || m.TurnsAway(pod, s) {
		return true
	}
	fails := filter(s.Nodes, failsOn)
	return len(fails) == 0 ||
		exists(minus(nominatedNodes(pod, s), fails), func(node *v1.Node) bool { return m.Feasibility(pod, node, s) })
}

func (m *Scheduler) scoringFails(q Question) bool {
	pod, s := q.Pod, q.Snapshot
	failing := filter(s.Nodes, func(node *v1.Node) bool { return m.ScoringFailsOn(pod, node, s) })
	if len(failing) == 0 || m.TurnsAway(pod, s) {
		return false
	}
	feasible := q.Sample.Of(m.Feasible(pod, s), s)
	return len(feasible) > 1 && len(m.rules.unscored(pod, feasible)) == 0 &&
		exists(failing, func(node *v1.Node) bool { return contains(feasible, node) })
}

// TurnsAway reports whether the state of the pod's claims alone, of volumes or devices, keeps it from every node, so
// that no filter is asked.
func (m *Scheduler) TurnsAway(pod *v1.Pod, s *Snapshot) bool {
	return m.Profile.VolumesTurnAway(pod, s) ||
		exists(m.filters, func(f Filter) bool { return f.TurnsAway != nil && f.TurnsAway(m.Profile, pod, s) })
}

// canFail reports whether a filter that may end in an error has something to say about the pod.
func (m *Scheduler) canFail(pod *v1.Pod, s *Snapshot) bool {
	return exists(m.filters, func(f Filter) bool {
		return f.Fails != nil && (f.Idle == nil || !f.Idle(m.Profile, pod, s.Pods, s))
	})
}

// dryRunFails reports whether nothing comes of a preemption because filters end in an error when they are asked
// about a node without the pods in jeopardy, and no other node helps. The scheduler lets the pod wait then, with
// its nomination.
func (m *Scheduler) dryRunFails(pod *v1.Pod, s *Snapshot) bool {
	return m.canFail(pod, s) && !m.TurnsAway(pod, s) && !AwaitsVictims(pod, s) &&
		exists(s.Nodes, func(node *v1.Node) bool {
			jeopardy := Jeopardy(pod, node, s)
			return len(jeopardy) > 0 && m.FailsOn(pod, node, s.Without(jeopardy...))
		}) && len(m.leastRivals(Question{Pod: pod, Snapshot: s})) == 0
}

// FailsOn reports whether asking the filters about the node, with the nominated pods that must be respected and
// then without, ends in an error before one of them rejects it.
func (m *Scheduler) FailsOn(pod *v1.Pod, node *v1.Node, s *Snapshot) bool {
	if !m.canFail(pod, s) {
		return false
	}
	for _, stage := range m.stages(pod, node, s) {
		for _, f := range m.filters {
			switch {
			case m.fails(f, pod, node, stage):
				return true
			case !f.Holds(m.Profile, pod, node, stage):
				return false
			}
		}
	}
	return false
}

// Panics reports whether, by a quirk, kube-scheduler comes to no decision but panics.
func (m *Scheduler) Panics(pod *v1.Pod, s *Snapshot) bool {
	return exists(m.quirks, func(q Quirk) bool { return q.Panics }) && !m.Decides(pod, s)
}

// Crashes reports whether, by a quirk, kube-scheduler panics before it asks anything.
func (m *Scheduler) Crashes(pod *v1.Pod, s *Snapshot) bool {
	return exists(m.quirks, func(q Quirk) bool { return q.Crashes != nil && q.Crashes(m, pod, s) })
}

// ScoringFailsOn reports whether the cycle ends in an error if the node is scored.
func (m *Scheduler) ScoringFailsOn(pod *v1.Pod, node *v1.Node, s *Snapshot) bool {
	return exists(
		m.quirks,
		func(q Quirk) bool { return q.ScoringFails != nil && q.ScoringFails(m, pod, node, s) },
	)
}

// stages are the snapshots that filters are asked about the node in: with the nominated pods that must be
// respected, if there are any, and without.
func (m *Scheduler) stages(pod *v1.Pod, node *v1.Node, s *Snapshot) []*Snapshot {
	if respected := m.rules.respected(pod, node, s); len(respected) > 0 {
		return []*Snapshot{s.WithBound(node, respected...), s}
	}
	return []*Snapshot{s}
}

func (m *Scheduler) fails(f Filter, pod *v1.Pod, node *v1.Node, s *Snapshot) bool {
	return f.Fails != nil && f.Fails(m.Profile, pod, node, s)
}
