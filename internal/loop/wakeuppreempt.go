package loop

import (
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// wakeUpToPreempt returns the property that an event which lets a pod evict others wakes it up.
//
// Source: as wakeUp, and https://kubernetes.io/docs/concepts/scheduling-eviction/pod-priority-preemption/ (preemption
// is tried for a pending pod that no node satisfies). If every event were a reason to try again, the pod would get its
// node. That an event must do so which helps the pod to a preemption only is our reading. What no more than some set of
// evictions allows is not asked for: the page documents that a pod with affinity to pods of lower priority on a node
// does not preempt there.
func wakeUpToPreempt() Property {
	return Property{
		Name: "wake-up-to-preempt",
		Doc: "An event that lets a pod preempt, which it could not before, moves it out of unschedulablePods, without " +
			"waiting for the periodic flush.",
		Broken: func(t *Transition) []Violation {
			var broken []Violation
			before, after := t.Before.View(), t.After.View()
			for _, q := range t.After.Queue {
				was, _ := t.Before.Queued(q.Pod)
				ends := t.Before.underWay(q.Pod) && nominatedInVain(in(after, q.Pod), t.After)
				if !q.In(Unschedulable) && !(ends && t.After.asleep(q)) || !was.In(Unschedulable) && !ends ||
					t.After.underWay(q.Pod) || !preempts(t.Model, q.Pod, after) {
					continue
				}
				if !ends && (feasible(t.Model, q.Pod, before) || mayPreempt(t.Model, q.Pod, before)) {
					continue
				}
				v := Violation{
					Pod: q.Pod, About: strings.Join(q.Rejectors, "+") + "/" + t.Action.Class(),
					But: fmt.Sprintf("%s can preempt now, and stays in unschedulablePods; it was rejected by %s", q.Pod,
						strings.Join(q.Rejectors, ", ")),
				}
				if v = v.explained(t); v.Known == "" { // or it is right that the pod sleeps, as kube-scheduler sees it
					v.Known = t.explanation(v.Pod, t.After, func(m *spec.Scheduler, pod *v1.Pod, view *spec.Snapshot) bool {
						return !preempts(m, Key(pod), view)
					})
				}
				broken = append(broken, v)
			}
			return broken
		},
	}
}

// mayPreempt reports whether no node is feasible for the pod, and it may evict others from one.
func mayPreempt(m *spec.Scheduler, key string, view *spec.Snapshot) bool {
	pod := in(view, key)
	return pod != nil && pod.Spec.NodeName == "" && !deleting(pod) && spec.Preempts(pod) &&
		!spec.AwaitsVictims(pod, view) && !m.For(pod).TurnsAway(pod, view) && !feasible(m, key, view) &&
		preemptionEnabled(m, pod, view)
}

// preempts reports whether the pod may evict others from a node in the way that is documented.
func preempts(m *spec.Scheduler, key string, view *spec.Snapshot) bool {
	pod := in(view, key)
	return mayPreempt(m, key, view) && (m.Reading() == spec.Literal || mayEvictMany(pod, view) ||
		len(m.For(pod).DocumentedPreemption(pod, view)) > 0)
}

// dryRunForgotten reports whether the pod can preempt since the step, and what stood in the way before, on every node
// where it can, were filters of which the queue does not know: in the cycle another one came first.
func (t *Transition) dryRunForgotten(pod *v1.Pod) bool {
	before, after := t.Before.View(), t.After.View()
	was, is := in(before, Key(pod)), in(after, Key(pod))
	if was == nil || !mayPreempt(t.Model, Key(pod), after) || mayPreempt(t.Model, Key(pod), before) {
		return false
	}
	helped := false
	for _, node := range after.Nodes {
		victims := spec.Jeopardy(is, node, after)
		if len(victims) == 0 || !t.model(is).Feasibility(is, node, after.Without(victims...)) {
			continue
		}
		helped = true
		earlier := nodeOf(t.Before, node.Name)
		if earlier == nil {
			return false
		}
		left := before.Without(spec.Jeopardy(was, earlier, before)...)
		if slices.ContainsFunc(spec.Filters(), func(f spec.Filter) bool {
			return !f.Holds(t.model(was).Profile, was, earlier, left) && t.rejectedBy(pod, f.Plugin)
		}) {
			return false
		}
	}
	return helped
}
