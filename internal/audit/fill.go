package audit

import (
	"context"
	"fmt"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/internal/cluster"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// Fill is how many copies of a pod fit.
type Fill struct {
	Pod *v1.Pod
	// Copies is how many found a node, and On how many of them each node took, by the node's name.
	Copies int
	On     map[string]int
	// Next is what becomes of the copy after them.
	Next Answer
	// AtOnce of the copies were placed together, as the model has it, which counts how many each node takes where that
	// does not depend on others. kube-scheduler was asked about the first copies, the last one and the next.
	AtOnce int
	// Unfinished: there may be more.
	Unfinished bool
}

// How many copies kube-scheduler is asked about one after the other: where the others can be counted, and at most.
const (
	firstCopies = 20
	mostCopies  = 2_000
)

// fill places copies of the pod until one finds no node.
func (r *run) fill(ctx context.Context, pod *v1.Pod) {
	f := &Fill{Pod: pod, On: map[string]int{}, Unfinished: true}
	r.result.Fill = f
	counted := false
	for asked := 0; asked < mostCopies && ctx.Err() == nil; asked++ {
		if asked == firstCopies && !counted {
			counted = true
			r.fillAtOnce(pod)
		}
		another := r.cluster.Copy(pod, f.name(f.Copies))
		r.progress("filling the cluster", f.Copies, f.Copies+1)
		answer := r.decide(ctx, spec.Question{Pod: another, Snapshot: r.cluster.Now})
		if answer == nil {
			return
		}
		if f.Next = answer.Answer; answer.Type != spec.Bind {
			f.Unfinished = false
			r.cluster.Remove(func(p *v1.Pod) bool { return p == another })
			return
		}
		r.fits(another, answer.node)
	}
}

func (f *Fill) name(copies int) string { return fmt.Sprintf("%s-copy-%d", f.Pod.Name, copies+1) }

// fits binds a copy.
func (r *run) fits(pod *v1.Pod, node int) {
	on := r.cluster.Now.Nodes[node]
	r.cluster.Bind(pod, on)
	r.result.Fill.Copies++
	r.result.Fill.On[on.Name]++
}

// fillAtOnce places all copies but one that nodes take, if that is known of each node by itself.
func (r *run) fillAtOnce(pod *v1.Pod) {
	f := r.result.Fill
	// The copy that asks is not in the cluster.
	byNode, known := r.options.Spec.Copies(pod, spec.NewIndex(r.cluster.Now))
	if !known {
		return
	}
	now := *r.cluster.Now
	now.Pods = append([]*v1.Pod{}, now.Pods...)
	left := -1
	for _, copies := range byNode {
		left += copies
	}
	for n, copies := range byNode {
		for range min(copies, left) {
			on := now.Nodes[n]
			bound := cluster.Pending(pod, f.name(f.Copies))
			model.SetBound(bound, on, model.Running, 0)
			now.Pods = append(now.Pods, bound)
			f.Copies, f.AtOnce, left = f.Copies+1, f.AtOnce+1, left-1
			f.On[on.Name]++
		}
	}
	r.cluster.Now = &now
}
