package loop

import (
	"cmp"
	"slices"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// preemptorCircles is the defect that a pod is tried over and over until its victim has heeded that it is preempted.
func preemptorCircles() Known {
	return Known{
		Name: "preemptor-circles", Class: spec.Unconfirmed, Upstream: "not reported", Since: "v1.37",
		Doc: "A victim is at pre-bind, and a plugin there has not heeded yet that it was cancelled: the pod that it makes " +
			"room for is put into activeQ at once, without backoff, does not fit, cancels the victim once more, and so on, " +
			"as fast as there are cycles.",
		Explains: func(t *Transition, pod *v1.Pod) bool {
			q, _ := t.After.Queued(Key(pod))
			is := t.After.Pod(Key(pod))
			return t.Step.Popped == Key(pod) && q.In(Active) && is != nil && is.Status.NominatedNodeName != "" &&
				slices.ContainsFunc(t.After.Queue, func(other Queued) bool {
					victim := t.After.heard(other.Pod)
					return other.Fault == Cancelled && victim != nil &&
						cmp.Or(victim.Spec.NodeName, t.After.AssumedOn(other.Pod)) == is.Status.NominatedNodeName
				})
		},
	}
}

// circles returns the name of that defect if by it the pod of the step is tried again at once; "" if not.
func (t *Transition) circles() string {
	pod := t.After.Pod(t.Step.Popped)
	if circles := preemptorCircles(); pod != nil && circles.Explains(t, pod) {
		return t.has(circles.Name)
	}
	return ""
}
