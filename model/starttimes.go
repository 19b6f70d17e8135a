package model

import (
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// Of equally important pods the one that started first counts as the more important, and of candidates that are
// otherwise alike the one dies whose most important pods started last. So a start time is compared with those of
// pods of the same priority only, and nothing but the order counts: a state has, for each bound pod that somebody
// could preempt, how many starts of bound pods of its priority came before. When a pod is gone, those after it move
// up.

// StartTime returns when bound pods start whose template does not say when: production would read the clock for pods
// without one, and decisions would depend on it.
func StartTime() metav1.Time { return metav1.Unix(1_700_000_000, 0) }

// startOf returns the start of a bound pod of the rank: rank 0 is as its template says.
func startOf(template *v1.Pod, rank int) *metav1.Time {
	switch {
	case rank > 0:
		return &metav1.Time{Time: StartTime().Add(time.Duration(rank) * time.Second)}
	case template.Status.StartTime != nil:
		return template.Status.StartTime.DeepCopy()
	default:
		first := StartTime()
		return &first
	}
}

// ranked reports whether the starts of pods of the template are told apart: whether somebody could preempt them.
func (s *Scenario) ranked(template int) bool {
	priority := s.Pods[template].Priority()
	return s.Actions.StartInOrder && slices.ContainsFunc(s.Pods, func(k PodTemplate) bool {
		return k.Priority() > priority && spec.Preempts(k.Pod)
	})
}

// started returns the pod as one that is bound now, later than all that are there.
func (a *Arrangement) started(s *Scenario, p Pod) Pod {
	if !s.ranked(p.Template()) {
		return p
	}
	last := 0
	a.equals(s, p, func(other *Pod) { last = max(last, other.Rank()) })
	return p.withRank(last + 1)
}

// closeRank lets those move up that started after the pod that is gone, unless another one has its rank.
func (a *Arrangement) closeRank(s *Scenario, gone Pod) {
	if gone.Rank() == 0 {
		return
	}
	shared := false
	a.equals(s, gone, func(other *Pod) { shared = shared || other.Rank() == gone.Rank() })
	if shared {
		return
	}
	a.equals(s, gone, func(other *Pod) {
		if other.Rank() > gone.Rank() {
			*other = other.withRank(other.Rank() - 1)
		}
	})
}

// equals calls each with the bound pods of the pod's priority.
func (a *Arrangement) equals(s *Scenario, p Pod, each func(other *Pod)) {
	priority := s.Pods[p.Template()].Priority()
	for i := range a.Nodes {
		for j := range a.Nodes[i].Bound {
			if other := &a.Nodes[i].Bound[j]; s.Pods[other.Template()].Priority() == priority {
				each(other)
			}
		}
	}
}

// rankAll ranks the pods that are bound in the initial state by what their templates say of their start. Equal
// starts are one rank.
func (a *Arrangement) rankAll(s *Scenario) {
	starts := map[int32][]time.Time{}
	start := func(p Pod) time.Time { return startOf(s.Pods[p.Template()].Pod, 0).Time }
	each := func(do func(p *Pod, priority int32)) {
		for i := range a.Nodes {
			for j := range a.Nodes[i].Bound {
				if p := &a.Nodes[i].Bound[j]; s.ranked(p.Template()) {
					do(p, s.Pods[p.Template()].Priority())
				}
			}
		}
	}
	each(func(p *Pod, priority int32) { starts[priority] = append(starts[priority], start(*p)) })
	for priority := range starts {
		slices.SortFunc(starts[priority], time.Time.Compare)
		starts[priority] = slices.CompactFunc(starts[priority], time.Time.Equal)
	}
	each(func(p *Pod, priority int32) {
		rank, _ := slices.BinarySearchFunc(starts[priority], start(*p), time.Time.Compare)
		*p = p.withRank(rank + 1)
	})
}
