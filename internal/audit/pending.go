package audit

import (
	"context"
	"slices"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// Pending are pods that wait for a node and that nothing but the name tells apart.
type Pending struct {
	Pods []*v1.Pod
	// Answer is what becomes of the first of them now, before anything else changes.
	Answer Answer
	// ReasonOf has, for each node of the cluster, the index in Answer.Reasons of the reason it gives first, -1 for
	// none. It is nil if the pod is bound.
	ReasonOf []int32
}

// Hopeless reports whether the pods can go to no node now, whoever is evicted.
func (p *Pending) Hopeless() bool { return p.Answer.Type == spec.Wait && p.Answer.Failure == "" }

// pending asks about the pods that wait, one of those that are alike. It leaves open which nodes they can go to.
func (a *auditor) pending(ctx context.Context) {
	waiting := a.waiting()
	groups := alike(waiting)
	a.result.PendingPods = len(waiting)
	closed := make([]int, len(a.options.Cluster.Nodes))
	each(ctx, a, "asking about pending pods", len(groups), func(s *session, i int) *answered {
		return s.ask(spec.Question{Pod: groups[i][0], Snapshot: a.options.Cluster})
	}, func(i int, answer *answered) {
		a.learn(answer)
		a.result.Pending = append(a.result.Pending, Pending{Pods: groups[i], Answer: answer.Answer,
			ReasonOf: answer.reasonOf})
		for _, n := range answer.closed {
			closed[n]++
		}
	})
	for n, node := range a.options.Cluster.Nodes {
		a.result.Nodes = append(a.result.Nodes, Node{Node: node,
			Unreachable: len(groups) > 0 && closed[n] == len(groups)})
	}
}

// sum adds lengths of groups up.
func sum(groups []Pending, counts func(*Pending) bool) int {
	n := 0
	for i := range groups {
		if counts(&groups[i]) {
			n += len(groups[i].Pods)
		}
	}
	return n
}

// Hopeless returns the groups of pods that no node can take, whoever is evicted, the largest first.
func (r *Result) Hopeless() []Pending {
	return largest(slices.DeleteFunc(slices.Clone(r.Pending), func(p Pending) bool { return !p.Hopeless() }))
}

// Preempting returns the groups of pods that would evict others, the largest first.
func (r *Result) Preempting() []Pending {
	return largest(slices.DeleteFunc(slices.Clone(r.Pending), func(p Pending) bool {
		return p.Answer.Type != spec.Preempt
	}))
}

func largest(groups []Pending) []Pending {
	slices.SortStableFunc(groups, func(a, b Pending) int { return len(b.Pods) - len(a.Pods) })
	return groups
}

// Placeable returns how many pods a node would take now.
func (r *Result) Placeable() int {
	return sum(r.Pending, func(p *Pending) bool { return p.Answer.Type == spec.Bind })
}
