package spec

import (
	"slices"

	v1 "k8s.io/api/core/v1"
)

// DocumentedPreemption returns the preemptions that Kubernetes documents: each node brings one of its
// DocumentedCandidates, and the least casualty among them wins.
//
//	{C \in Candidates : \A Node : DocumentedCandidates(Node) # {} =>
//	     \E Other \in DocumentedCandidates(Node) : Casualty(C.Victims) <= Casualty(Other.Victims)}
//
// A node brings more than one candidate only if pods on it are equally important. Then the document leaves open
// which one is compared.
//
// Source: https://kubernetes.io/docs/concepts/scheduling-eviction/pod-priority-preemption/#preemption, and the criteria
// given with Casualty. The scheduler may stop looking once it found enough nodes, see Limits; a Question that has a
// Shortlist takes the best of these.
func (m *Scheduler) DocumentedPreemption(pod *v1.Pod, s *Snapshot) []Candidate {
	perNode := each(s.Nodes, func(node *v1.Node) []Candidate { return m.DocumentedCandidates(pod, node, s) })
	return m.LeastCasualty(pod, perNode, s)
}

// LeastCasualty chooses among the candidates of several nodes, as DocumentedPreemption does. Each
// element holds the candidates of one node, or nothing.
func (m *Scheduler) LeastCasualty(pod *v1.Pod, perNode [][]Candidate, s *Snapshot) []Candidate {
	type rival struct {
		Candidate
		casualty Casualty
	}
	rivals := each(
		filter(perNode, func(node []Candidate) bool { return len(node) > 0 }),
		func(node []Candidate) []rival {
			return each(node, func(c Candidate) rival { return rival{c, m.CasualtyOf(pod, c, s)} })
		},
	)
	least := filter(slices.Concat(rivals...), func(c rival) bool {
		return all(rivals, func(node []rival) bool {
			return exists(node, func(other rival) bool { return m.rules.compare(c.casualty, other.casualty) <= 0 })
		})
	})
	return each(least, func(r rival) Candidate { return r.Candidate })
}

// DocumentedCandidates returns the sets of victims by which the documented procedure makes the pod feasible on the
// node; none if it cannot, or if the node is feasible as it is. All pods in jeopardy are taken away; if the pod
// then fits, they are put back one at a time: first those whose eviction breaks a disruption budget, then the
// others, of both the most important first; and whoever leaves no room for the pod is a victim. Equally important
// pods may come in any order, which is why there can be several sets.
//
// It depends on the node, the pods bound to it and the pods nominated to it, if the filters do.
//
// Source: doc comment of MoreImportantPodFunc in k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption.
func (m *Scheduler) DocumentedCandidates(pod *v1.Pod, node *v1.Node, s *Snapshot) []Candidate {
	jeopardy := Jeopardy(pod, node, s)
	if !m.Feasibility(pod, node, s.Without(jeopardy...)) {
		return nil
	}
	stages := []reprieve{{waiting: jeopardy}}
	for range jeopardy {
		stages = distinct(
			union(stages, func(r reprieve) []reprieve { return m.putBack(pod, node, s, r) }),
			reprieve.equal,
		)
	}
	evicting := filter(stages, func(r reprieve) bool { return len(r.victims) > 0 })
	return each(evicting, func(r reprieve) Candidate {
		return Candidate{Node: slices.Index(s.Nodes, node), Victims: r.victims}
	})
}

// reprieve is a stage of the documented procedure. Both sets are off the node, in the snapshot's order.
type reprieve struct {
	waiting []*v1.Pod // to be put back
	victims []*v1.Pod // they left no room
}

func (r reprieve) equal(other reprieve) bool {
	return slices.Equal(r.waiting, other.waiting) && slices.Equal(r.victims, other.victims)
}

// FirstBack returns the pods that may be put back first: the most important that wait, of those whose eviction
// breaks a budget if any do.
func (m *Scheduler) FirstBack(waiting, jeopardy []*v1.Pod, s *Snapshot) []*v1.Pod {
	protected := m.rules.budgets.Protected(jeopardy, s)
	first := filter(waiting, func(pod *v1.Pod) bool { return contains(protected, pod) })
	if len(first) == 0 {
		first = waiting
	}
	return mostImportant(first)
}

// putBack returns the stages that can come next: one for each choice of the most important pod that waits.
func (m *Scheduler) putBack(pod *v1.Pod, node *v1.Node, s *Snapshot, r reprieve) []reprieve {
	return each(m.FirstBack(r.waiting, Jeopardy(pod, node, s), s), func(returning *v1.Pod) reprieve {
		away := append(minus(r.waiting, []*v1.Pod{returning}), r.victims...)
		next := reprieve{waiting: minus(r.waiting, []*v1.Pod{returning}), victims: r.victims}
		if !m.Feasibility(pod, node, s.Without(away...)) {
			next.victims = filter(s.Pods, func(p *v1.Pod) bool { return p == returning || contains(r.victims, p) })
		}
		return next
	})
}
