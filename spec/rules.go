package spec

import (
	"slices"

	v1 "k8s.io/api/core/v1"
)

// rules are what the model says of nominations and preemption: the part of it that is neither filter nor score.
type rules struct {
	// budgets are the rules by which preemption heeds disruption budgets.
	budgets Budgets
	// respected returns the nominated pods to which the pod must leave their room on the node.
	respected func(pod *v1.Pod, node *v1.Node, s *Snapshot) []*v1.Pod
	// unscored returns the feasible nodes that are taken without score, if there are any.
	unscored func(pod *v1.Pod, feasible []*v1.Node) []*v1.Node
	// preempts reports whether the pod ever evicts others.
	preempts func(pod *v1.Pod) bool
	// awaits reports whether the pod waits for an earlier preemption to finish.
	awaits func(pod *v1.Pod, s *Snapshot) bool
	// clears: a nomination goes when the pod can neither be bound nor preempt.
	clears bool
	// putsBack: victims are chosen by putting pods back, not by comparing all sets.
	putsBack bool
	// keepsRoom tells of a preemption after which nominations of lower priority on the node stay; nil for none.
	keepsRoom func(o Outcome) bool
	// useless: sets of pods whose eviction does not make the pod feasible compete too.
	useless bool
	// amounts are the rules by which what pods request together is compared with what there is.
	amounts AmountRules
	// compare is negative if a is less damage than b.
	compare func(a, b Casualty) int
}

// documentedRules are the rules that Kubernetes documents.
func documentedRules() rules {
	return rules{
		budgets: DocumentedBudgets(), respected: Respected, unscored: nominatedAmong,
		preempts: Preempts, awaits: AwaitsVictims, clears: true, putsBack: true, compare: Casualty.Compare,
		amounts: DocumentedAmounts(),
	}
}

// Cleared returns the pods that lose their nomination when the pod preempts: those of lower priority that are
// nominated to the node, in the snapshot's order.
//
//	{Other \in NominatedTo(Node, S) \ {Pod} : Priority(Other) < Priority(Pod)}
//
// Source: https://kubernetes.io/docs/concepts/scheduling-eviction/pod-priority-preemption/#user-exposed-information
// ("scheduler may give Node N to the new higher priority Pod. In such a case, scheduler clears nominatedNodeName of
// Pod P").
func (m *Scheduler) Cleared(pod *v1.Pod, o Outcome, s *Snapshot) []*v1.Pod {
	if o.Type != Preempt || m.rules.keepsRoom != nil && m.rules.keepsRoom(o) {
		return nil
	}
	return filter(NominatedTo(s.Nodes[o.Node], s), func(other *v1.Pod) bool {
		return other != pod && Priority(other) < Priority(pod) && !exists(m.quirks, func(q Quirk) bool {
			return q.Overlooks != nil && q.Overlooks(m.Profile, pod, other)
		})
	})
}

// nominatedAmong returns the node that the pod is nominated to, if it is feasible.
func nominatedAmong(pod *v1.Pod, feasible []*v1.Node) []*v1.Node {
	return filter(feasible, func(node *v1.Node) bool { return node.Name == pod.Status.NominatedNodeName })
}

// leastRivals returns the preemptions of least casualty among all that compete: those on the nodes of the shortlist if
// there is one, unless each of them breaks a budget, and one on another node does not.
//
// Source: https://kubernetes.io/docs/concepts/scheduling-eviction/pod-priority-preemption/ ("tries to find victims whose
// PDB are not violated by preemption, but if no such victims are found, preemption will still happen"), of which the
// field docs of DefaultPreemptionArgs make no exception: budgets "play a role in the number of candidates shortlisted".
func (m *Scheduler) leastRivals(q Question) []Candidate {
	rivals := func(nodes []*v1.Node) [][]Candidate {
		return union(nodes, func(node *v1.Node) [][]Candidate { return m.rivals(q.Pod, node, q.Snapshot) })
	}
	keepsBudgets := func(rivals [][]Candidate) bool {
		return exists(slices.Concat(rivals...), func(c Candidate) bool {
			return m.CasualtyOf(q.Pod, c, q.Snapshot).Violations == 0
		})
	}
	compete := rivals(q.Shortlist.Of(q.Snapshot.Nodes, q.Snapshot))
	if q.Shortlist != nil && !keepsBudgets(compete) {
		if everywhere := rivals(q.Snapshot.Nodes); keepsBudgets(everywhere) {
			compete = everywhere
		}
	}
	return m.LeastCasualty(q.Pod, compete, q.Snapshot)
}

// candidates returns the preemptions that an expectation names beside its outcomes. Where all sets of pods compete, the
// chosen ones are ideal, and no procedure gives others.
func (m *Scheduler) candidates(pod *v1.Pod, s *Snapshot) (documented, ideal []Candidate) {
	if !m.rules.putsBack || m.rules.useless {
		return nil, m.leastRivals(Question{Pod: pod, Snapshot: s})
	}
	return union(
		s.Nodes,
		func(node *v1.Node) []Candidate { return m.DocumentedCandidates(pod, node, s) },
	), m.Preemption(pod, s)
}

// rivals returns the sets of victims of a node that compete, in groups: of each group one set is compared with
// the other groups', and it is open which.
func (m *Scheduler) rivals(pod *v1.Pod, node *v1.Node, s *Snapshot) [][]Candidate {
	if m.rules.putsBack && !m.rules.useless {
		return [][]Candidate{m.DocumentedCandidates(pod, node, s)}
	}
	helpful := m.preemptable(pod, node, s)
	if len(helpful) == 0 {
		return nil
	}
	alone := func(c Candidate) []Candidate { return []Candidate{c} }
	groups := each(helpful, alone)
	if m.rules.putsBack {
		groups = [][]Candidate{m.DocumentedCandidates(pod, node, s)}
	}
	if m.rules.useless {
		groups = append(groups, each(m.useless(pod, node, helpful, s), alone)...)
	}
	return groups
}

// useless returns the sets of pods in jeopardy on the node that are not among the helpful ones.
func (m *Scheduler) useless(pod *v1.Pod, node *v1.Node, helpful []Candidate, s *Snapshot) []Candidate {
	others := filter(subsets(Jeopardy(pod, node, s)), func(pods []*v1.Pod) bool {
		return !exists(helpful, func(c Candidate) bool { return SamePods(c.Victims, pods) })
	})
	return each(others, func(pods []*v1.Pod) Candidate { return Candidate{Node: helpful[0].Node, Victims: pods} })
}
