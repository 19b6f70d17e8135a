package model

import (
	"slices"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// Normal replaces the victims of an outcome of the question by the first pods that are like them: which of several
// pods that are alike dies makes no difference. Victims that are not bound to the node stay as they are.
func (a *Evaluation) Normal(q *CanonicalQuestion, o spec.Outcome) spec.Outcome {
	if o.Type == spec.Preempt {
		o.Victims = a.normal(q, o.Node, o.Victims)
	}
	return o
}

// NormalCandidate does the same for a candidate.
func (a *Evaluation) NormalCandidate(q *CanonicalQuestion, c spec.Candidate) spec.Candidate {
	return spec.Candidate{Node: c.Node, Victims: a.normal(q, c.Node, c.Victims)}
}

// NormalWrites does the same for what was written for the sake of an outcome: of victims that are alike, those are
// written to that Normal names.
func (a *Evaluation) NormalWrites(q *CanonicalQuestion, o spec.Outcome, writes []spec.Write) []spec.Write {
	if o.Type != spec.Preempt {
		return writes
	}
	instead := map[*v1.Pod]*v1.Pod{}
	free := slices.DeleteFunc(
		a.normal(q, o.Node, o.Victims),
		func(p *v1.Pod) bool { return slices.Contains(o.Victims, p) },
	)
	kept := a.normal(q, o.Node, o.Victims)
	code := func(p *v1.Pod) uint32 { return q.Nodes[o.Node].Bound[slices.Index(a.PodsOf[o.Node], p)].code() }
	for _, victim := range o.Victims {
		if slices.Contains(kept, victim) {
			continue
		}
		i := slices.IndexFunc(free, func(p *v1.Pod) bool { return code(p) == code(victim) })
		instead[victim] = free[i]
		free = slices.Delete(free, i, i+1)
	}
	normal := slices.Clone(writes)
	for i := range normal {
		if other := instead[normal[i].Pod]; other != nil {
			normal[i].Pod = other
		}
	}
	return normal
}

func (a *Evaluation) normal(q *CanonicalQuestion, node int, victims []*v1.Pod) []*v1.Pod {
	var here []int
	var elsewhere []*v1.Pod
	for _, victim := range victims {
		if i := slices.Index(a.PodsOf[node], victim); i >= 0 {
			here = append(here, i)
		} else {
			elsewhere = append(elsewhere, victim)
		}
	}
	var normal []*v1.Pod
	for _, i := range firstAlike(q.Nodes[node].Bound, here) {
		normal = append(normal, a.PodsOf[node][i])
	}
	return append(normal, elsewhere...)
}
