package loop

import (
	"slices"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// preFlightLeavesWaiting is the name of a defect of roll-back and permitted.
const preFlightLeavesWaiting = "pre-flight-leaves-waiting"

// leavesWaiting is the defect that who fails before it waits on permit is still taken for one that does.
func leavesWaiting() Known {
	return Known{
		Name: preFlightLeavesWaiting, Class: spec.Unconfirmed, Upstream: "not reported", Since: "v1.35",
		Doc: "A permit plugin lets a pod wait, and a pre-bind plugin fails in PreBindPreFlight, which comes before the " +
			"wait: the pod goes back to the queue and stays among those that wait on permit. Its next cycle waits, though no " +
			"plugin asks it to, until the time of the wait before is over; chosen as a victim meanwhile, as somebody else has " +
			"bound it, it is taken from that wait in the place of being evicted.",
		Explains: func(t *Transition, pod *v1.Pod) bool {
			is := t.After.Pod(Key(pod))
			return t.Step.Popped == Key(pod) && is != nil && slices.ContainsFunc(t.Before.LeftWaiting, func(left string) bool {
				victim := t.Before.heard(left)
				return victim != nil && !deleting(victim) && victim.Spec.NodeName != "" &&
					victim.Spec.NodeName == is.Status.NominatedNodeName
			})
		},
	}
}

// TakenFromWait is the end of the words for a pod of State.LeftWaiting that a preemption has taken from its wait.
const TakenFromWait = ", taken from it"

// leftWaiting returns the defect by which the pod waits on permit although no plugin says so; "" if there is none.
func (t *Transition) leftWaiting(pod string) string {
	if !slices.Contains(t.Before.LeftWaiting, pod) {
		return ""
	}
	return t.has(preFlightLeavesWaiting)
}
