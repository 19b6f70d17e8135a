package loop

import (
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
)

// conditionTold returns the property that a pod says whether it is scheduled.
//
// Source: API docs of the condition PodScheduled ("represents status of the scheduling process for this pod"), and of
// the reasons Unschedulable ("the scheduler can't schedule the pod right now") and SchedulerError ("some internal
// error happens during scheduling").
func conditionTold() Property {
	return Property{
		Name: "condition-told",
		Doc: "A pod that comes back from its cycle has the condition PodScheduled=False, with the reason Unschedulable, or " +
			"SchedulerError if an error was reported about it and no plugin rejected it at Permit or PreBind; one that is " +
			"bound has it no longer.",
		Broken: func(t *Transition) []Violation {
			var broken []Violation
			for _, pod := range t.After.API.Pods {
				if but := t.tells(pod); but != "" {
					broken = append(broken, Violation{Pod: Key(pod), But: Key(pod) + " " + but}.explained(t))
				}
			}
			return broken
		},
	}
}

// tells says what is wrong with what the pod says of itself; empty if nothing is, or if the step is not about that.
func (t *Transition) tells(pod *v1.Pod) string {
	was, condition := t.Before.Pod(Key(pod)), scheduled(pod)
	switch {
	case was == nil || was.UID != pod.UID:
	case was.Spec.NodeName != "" && !t.Before.heardBound(was): // kube-scheduler does not know
	case pod.Spec.NodeName != "":
		byHand := t.Action.Verb == Update && t.Action.Ref == RefOf(pod)
		began := was.Spec.NodeName == "" || scheduled(was).Status != v1.ConditionFalse
		if !byHand && began && condition.Status == v1.ConditionFalse {
			return "is on " + pod.Spec.NodeName + ", and its condition PodScheduled is False"
		}
	case !t.Before.heardCondition(was): // what is written is made from what was heard
	case t.comesBack(pod) && t.Action.Fault != LateStatus:
		errors := t.errorsAbout(Key(pod))
		if slices.ContainsFunc(errors, func(text string) bool { return strings.HasPrefix(text, "Error updating pod") }) {
			return "" // the API server did not take it
		}
		reasons := []string{v1.PodReasonUnschedulable, v1.PodReasonSchedulerError}
		if len(errors) == 0 || t.permitRejects() || t.preBindRejects() {
			reasons = reasons[:1]
		}
		if condition.Status != v1.ConditionFalse || !slices.Contains(reasons, condition.Reason) {
			return fmt.Sprintf("comes back from its cycle, and its condition PodScheduled is %q with reason %q, and not False "+
				"with %s", condition.Status, condition.Reason, strings.Join(reasons, " or "))
		}
	}
	return ""
}

// heardCondition reports whether kube-scheduler has heard what the pod says of itself.
func (s *State) heardCondition(pod *v1.Pod) bool {
	heard := s.heard(Key(pod))
	return heard != nil && heard.UID == pod.UID && equality.Semantic.DeepEqual(scheduled(heard), scheduled(pod))
}

// heardBound reports whether kube-scheduler has heard that the pod has a node.
func (s *State) heardBound(pod *v1.Pod) bool {
	heard := s.heard(Key(pod))
	return heard != nil && heard.UID == pod.UID && heard.Spec.NodeName != ""
}

// comesBack reports whether the pod, which is pending, is back in the queue from the cycle that the step ran, or whose
// wait on permit it ended.
func (t *Transition) comesBack(pod *v1.Pod) bool {
	q, queued := t.After.Queued(Key(pod))
	ran := t.Step.Popped == Key(pod) && !t.remade(pod) || t.permitRejects() && t.Action.Ref.Key() == Key(pod)
	return ran && queued && !q.Waits && !deleting(pod)
}

// permitRejects reports whether the step has a permit plugin reject a pod, at once or as it waits, or its wait run out,
// which is to be rejected, too: "The pod will also be rejected if the wait timeout or the pod is rejected while
// waiting" (doc comment of PermitPlugin).
func (t *Transition) permitRejects() bool {
	was, _ := t.Before.Queued(t.Action.Ref.Key())
	return t.Action.Fault == RejectPermit && !t.errsBeforePermit() || t.Action.Verb == Reject ||
		t.Action.Verb == Expire && !was.Volumes && !t.Action.EndsTimeOfDrivers()
}

// preBindRejects reports whether the step has a pre-bind plugin reject a pod, and no other one failed.
func (t *Transition) preBindRejects() bool {
	return t.Action.Fault == RejectPreBind && !t.failed() && !slices.ContainsFunc(t.errors(), func(text string) bool {
		return strings.Contains(text, "running ")
	})
}

// errsBeforePermit reports whether the cycle ended in an error before permit plugins were asked.
func (t *Transition) errsBeforePermit() bool {
	return t.failed() || slices.ContainsFunc(t.errors(), func(text string) bool {
		return strings.Contains(text, "running Reserve plugin")
	})
}

// scheduled returns the pod's condition PodScheduled; one without status if it has none.
func scheduled(pod *v1.Pod) v1.PodCondition {
	for _, c := range pod.Status.Conditions {
		if c.Type == v1.PodScheduled {
			return c
		}
	}
	return v1.PodCondition{}
}
