package loop

import (
	"fmt"
	"slices"
	"strings"
)

// sleeps returns the property that who was rejected waits until something happens.
//
// Source: comments of the queue in k8s.io/kubernetes/pkg/scheduler/backend/queue ("unschedulableEntities holds entities
// that were already attempted for scheduling and are currently determined to be unschedulable", but for the line
// break), and of determineSchedulingHintForInFlightPod, which looks for an event that happened meanwhile.
func sleeps() Property {
	return Property{
		Name: "sleeps",
		Doc: "A pod that a cycle rejects, in which nothing else happens, is put into unschedulablePods, if it is not " +
			"gated, and not tried again without a reason; a plugin that rejects it is noted, whose events may help it.",
		Broken: func(t *Transition) []Violation {
			q, queued := t.After.Queued(t.Step.Popped)
			if slices.Contains(rejecting, t.Action.Fault) && queued && !q.Waits && len(q.Rejectors) == 0 &&
				len(t.errors()) == 0 && len(t.Before.View().Nodes) > 0 { // where there are none nobody is asked
				return []Violation{{Pod: q.Pod, About: t.Action.Fault.String(), But: fmt.Sprintf(
					"%s was rejected (%v), and it is not noted by whom: it is %v", q.Pod, t.Action.Fault, q.Queues)}}
			}
			if t.Action.Verb != Schedule || t.Action.Fault != NoFault || !queued || len(q.Rejectors) == 0 || q.Waits ||
				q.In(Unschedulable) || q.In(Gated) || t.changes() {
				return nil
			}
			return []Violation{{Pod: q.Pod, About: strings.Join(q.Rejectors, "+"), Known: t.circles(), But: fmt.Sprintf(
				"%s was rejected by %s, nothing else has happened, and it is %v", q.Pod,
				strings.Join(q.Rejectors, ", "), q.Queues)}}
		},
	}
}

// retried returns the property that who failed for an error does not wait for an event.
//
// Source: comment of determineSchedulingHintForInFlightPod in k8s.io/kubernetes/pkg/scheduler/backend/queue ("we should
// retry scheduling it because this Pod may not be retried until the next flush"), and doc of the code Error in
// k8s.io/kube-scheduler/framework ("the Pod will be requeued to activeQ/backoffQ soon").
func retried() Property {
	return Property{
		Name: "retried",
		Doc: "A pod that no plugin has rejected, whose attempt ended in an error, is not put into unschedulablePods, as no " +
			"event would bring it back; nor is one for which a PostFilter plugin failed.",
		Broken: func(t *Transition) []Violation {
			var broken []Violation
			for _, q := range t.After.Queue {
				was, _ := t.Before.Queued(q.Pod)
				switch {
				case !q.In(Unschedulable):
				case len(q.Rejectors) == 0 && !(was.In(Unschedulable) && len(was.Rejectors) == 0):
					broken = append(broken, Violation{Pod: q.Pod, But: q.Pod +
						" is in unschedulablePods, and no plugin has rejected it"})
				case q.Pod == t.Step.Popped && t.madeToFail() && postFilterFails(t.errors()):
					broken = append(broken, Violation{Pod: q.Pod, Known: postFilterErrorSleeps, But: q.Pod +
						" is in unschedulablePods; it reports " + strings.Join(t.errors(), "; ")})
				}
			}
			return broken
		},
	}
}

// postFilterErrorSleeps is the name of the defect that the property retried tells by what is reported.
const postFilterErrorSleeps = "post-filter-error-sleeps"

// postFilterFails reports whether by the errors about a pod a PostFilter plugin ended in one.
func postFilterFails(errors []string) bool {
	return slices.ContainsFunc(errors, func(text string) bool {
		return strings.HasPrefix(text, "Status after running PostFilter plugins")
	})
}

// changes reports whether the step, a cycle, changed anything but the status of its pod, or a nomination, or took
// another pod back that waited.
func (t *Transition) changes() bool {
	others := func(s *State) (rest []string) {
		for _, object := range Objects(s.API) {
			if ref := RefOf(object); ref.Kind != "Pod" || ref.Key() != t.Step.Popped {
				rest = append(rest, s.canonical(object))
			}
		}
		return rest
	}
	was, is := t.Before.Pod(t.Step.Popped), t.After.Pod(t.Step.Popped)
	return was == nil || is == nil || was.Status.NominatedNodeName != is.Status.NominatedNodeName ||
		!slices.Equal(t.Before.Nominated, t.After.Nominated) || !slices.Equal(t.Before.Assumed, t.After.Assumed) ||
		!slices.Equal(others(t.Before), others(t.After))
}

// forgets returns the property that what nobody needs is not kept.
//
// Source: comment of unlockedDone in k8s.io/kubernetes/pkg/scheduler/backend/queue ("Remove events which are only
// referred to by this Pod so that the inFlightEvents list doesn't grow infinitely").
func forgets() Property {
	return Property{
		Name: "forgets",
		Doc:  "While no pod is in flight the queue remembers no events for one.",
		Broken: func(t *Transition) []Violation {
			if t.Step.Remembered == 0 {
				return nil
			}
			return []Violation{{But: fmt.Sprintf("no pod is in flight, and %d events are remembered", t.Step.Remembered)}}
		},
	}
}

// heeds returns the property that no event is lost on a pod, whether it waits or is being tried.
//
// Source: KEP-4247, and comments of the queue in k8s.io/kubernetes/pkg/scheduler/backend/queue ("check if there is an
// event that makes this Pod schedulable based on pInfo.UnschedulablePlugins", of what happened while it was tried).
func heeds() Property {
	return Property{
		Name: "heeds",
		Doc: "No pod is left in unschedulablePods, or put there, if about an event since it was taken off the queue last " +
			"the hint of a plugin that rejected it says Queue.",
		Broken: func(t *Transition) []Violation {
			var broken []Violation
			for _, unheeded := range t.Step.Unheeded {
				broken = append(broken, Violation{About: t.Action.Class(), But: unheeded})
			}
			return broken
		},
	}
}

// keepsPlace returns the property that who changes while it waits for its turn does not lose it.
//
// Source: comment of Update in k8s.io/kubernetes/pkg/scheduler/backend/queue ("updates a pod in the active or backoff
// queue if present").
func keepsPlace() Property {
	return Property{
		Name: "keeps-place",
		Doc: "A pod that is changed while it is in activeQ or backoffQ stays there, with the account of its failures, and " +
			"no pod that came after it is before it.",
		Broken: func(t *Transition) []Violation {
			key := t.Action.Ref.Key()
			was, queued := t.Before.Queued(key)
			pod := t.After.heard(key)
			if t.Action.Verb != Update || t.Action.Ref.Kind != "Pod" || !queued || pod == nil || pod.Spec.NodeName != "" ||
				!was.In(Active) && !was.In(BackingOff) {
				return nil
			}
			is, _ := t.After.Queued(key)
			if !slices.Equal(was.Queues, is.Queues) || !slices.Equal(was.Rejectors, is.Rejectors) || was.Erred != is.Erred {
				return []Violation{{Pod: key, But: fmt.Sprintf("%s was %v, rejected by %v, and is %v, rejected by %v", key,
					was.Queues, was.Rejectors, is.Queues, is.Rejectors)}}
			}
			if before, after := t.Before.behind(key), t.After.behind(key); !slices.Equal(before, after) {
				return []Violation{{Pod: key, About: "order", But: fmt.Sprintf("behind %s were %v, and now are %v", key, before,
					after)}}
			}
			return nil
		},
	}
}

// behind returns the pods of the queue that came after the pod, in that order.
func (s *State) behind(pod string) []string {
	var behind []string
	for i := len(s.Queue) - 1; i >= 0 && s.Queue[i].Pod != pod; i-- {
		behind = append(behind, s.Queue[i].Pod)
	}
	return behind
}
