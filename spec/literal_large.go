package spec

import v1 "k8s.io/api/core/v1"

// mostSubsets is how many sets of pods the model as first written weighs for a question. It compares each with each,
// and whoever looks for the errata that explain a decision asks it some hundred times.
const mostSubsets = 1 << 10

// tooMany reports whether the model, as first written or in part mended, would have to weigh more sets of pods than
// mostSubsets to tell what becomes of the pod.
func (m *Scheduler) tooMany(q Question) bool {
	pod, s := q.Pod, q.Snapshot
	if m.text == nil || !m.Profile.Preempts || !m.rules.preempts(pod) {
		return false
	}
	sets := 0
	for _, node := range s.Nodes {
		n := len(Jeopardy(pod, node, s))
		if sets += 1<<min(n, 20) - 1; sets > mostSubsets {
			return !m.SchedulingEnabled(pod, s)
		}
	}
	return false
}

// leaveOpen says what is known without weighing sets of pods. Where the pod fits on a node without all pods in jeopardy
// it preempts, and it is open whom; where it does not, no set helps if the filters are monotone, and else it may wait
// or preempt.
func (m *Scheduler) leaveOpen(e *Expected, q Question) {
	pod, s := q.Pod, q.Snapshot
	stays, waits := wait(pod, true), wait(pod, !m.rules.clears)
	if m.rules.awaits(pod, s) {
		e.Outcomes = append(e.Outcomes, stays)
		if !m.mayForsakeNomination(pod, s) {
			return
		}
	}
	helps := exists(s.Nodes, func(node *v1.Node) bool {
		return m.Feasibility(pod, node, s.Without(Jeopardy(pod, node, s)...))
	})
	if !helps {
		e.Outcomes = distinct(append(e.Outcomes, waits), Outcome.Equal)
	}
	if helps || !m.Monotone(pod, s) {
		e.Unlisted, e.NotWeighed, e.MoreOutcomes = open{}, mostSubsets, true
	}
}

// open leaves every preemption open.
type open struct{}

func (open) Allows(Candidate) (allowed, decided bool)       { return false, false }
func (open) Documents(Candidate) (documented, decided bool) { return false, false }
func (open) Ideal(Candidate) bool                           { return false }
