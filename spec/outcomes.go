package spec

import (
	"slices"

	v1 "k8s.io/api/core/v1"
)

// Outcomes returns everything that the documentation lets become of the pod; never empty.
//
//	some node is feasible         bind it to a node in Scheduling
//	preemptionPolicy is Never     wait; a nomination stays
//	it awaits its victims         wait; a nomination stays. If the nominated node may be unresolvable, it may
//	                              also preempt elsewhere, as below
//	otherwise                     nominate it by a DocumentedPreemption; if there is none, wait, and a nomination is cleared
//
// What becomes of a nomination when nobody is asked to preempt, because there are no nodes or the profile has no
// preemption plugin, is not documented: it may stay or go.
//
// Source: https://kubernetes.io/docs/concepts/scheduling-eviction/scheduling-framework/#post-filter, and doc
// comments of Evaluator.Preempt in k8s.io/kubernetes/pkg/scheduler/framework/preemption (no result: the nomination
// is unchanged; an empty node name: it is cleared) and of PodEligibleToPreemptOthers.
func (m *Scheduler) Outcomes(pod *v1.Pod, s *Snapshot) []Outcome {
	return m.outcomes(Question{Pod: pod, Snapshot: s})
}

func (m *Scheduler) outcomes(q Question) []Outcome {
	pod, s := q.Pod, q.Snapshot
	stays, goes := wait(pod, true), wait(pod, !m.rules.clears)
	switch {
	case m.SchedulingEnabled(pod, s):
		return each(m.scheduling(q), func(node *v1.Node) Outcome {
			return Outcome{Type: Bind, Node: slices.Index(s.Nodes, node)}
		})
	case len(s.Nodes) == 0 || !m.Profile.Preempts:
		return distinct([]Outcome{stays, goes}, Outcome.Equal)
	case !m.rules.preempts(pod), m.KeepsNomination(pod, s):
		return []Outcome{stays}
	case !m.rules.awaits(pod, s):
		return m.preempting(q)
	case m.mayForsakeNomination(pod, s):
		return distinct(append([]Outcome{stays}, m.preempting(q)...), Outcome.Equal)
	default:
		return []Outcome{stays}
	}
}

// KeepsNomination tells of a pod that has no feasible node that it stays pending with its nomination, where a quirk
// says so.
func (m *Scheduler) KeepsNomination(pod *v1.Pod, s *Snapshot) bool {
	return m.dryRunFails(pod, s) ||
		exists(m.quirks, func(q Quirk) bool { return q.KeepsNomination != nil && q.KeepsNomination(m.Profile, pod, s) })
}

// preempting returns the outcomes for a pod that may preempt now.
func (m *Scheduler) preempting(q Question) []Outcome {
	chosen := m.leastRivals(q)
	if len(chosen) == 0 {
		return []Outcome{wait(q.Pod, !m.rules.clears)}
	}
	return each(chosen, func(c Candidate) Outcome {
		return Outcome{Type: Preempt, Node: c.Node, Victims: c.Victims}
	})
}

// mayForsakeNomination reports whether the node that the pod is nominated to may be unresolvable.
func (m *Scheduler) mayForsakeNomination(pod *v1.Pod, s *Snapshot) bool {
	return exists(nominatedNodes(pod, s), func(node *v1.Node) bool {
		return contains(m.Overall(pod, node, s), Unresolvable)
	})
}

// wait is the outcome that the pod stays pending. A nomination it does not hold cannot stay.
func wait(pod *v1.Pod, keepsNomination bool) Outcome {
	return Outcome{Type: Wait, Node: -1, KeepsNomination: keepsNomination && pod.Status.NominatedNodeName != ""}
}

// Equal reports whether two outcomes of the same question are the same. Victims are the same objects, in any order.
func (o Outcome) Equal(other Outcome) bool {
	return o.Type == other.Type && o.Node == other.Node && o.KeepsNomination == other.KeepsNomination &&
		SamePods(o.Victims, other.Victims)
}
