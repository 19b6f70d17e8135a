package loop

import (
	"fmt"
	"slices"
)

// permitted returns the property that permit plugins are heeded.
//
// Source: doc comment of PermitPlugin in k8s.io/kube-scheduler/framework ("must return success or wait with timeout
// duration, or the pod will be rejected"), and the page on the scheduling framework, by which a pod waits where a
// plugin returns wait.
func permitted() Property {
	return Property{
		Name: "permitted",
		Doc: "A pod that a permit plugin rejects, at once or as it waits, or whose wait runs out, is not bound by that, " +
			"nor placed any longer. A pod waits on permit only if a plugin lets it, and then is not bound before it may.",
		Broken: func(t *Transition) (broken []Violation) {
			if pod := t.Step.Popped; t.waitsUnasked() {
				broken = append(broken, Violation{Pod: pod, About: "waits", Known: t.leftWaiting(pod), But: fmt.Sprintf(
					"%s waits on permit, as no plugin says", pod)})
			}
			if t.Action.Verb == Schedule && t.Action.Fault == WaitPermit {
				for _, pod := range t.newlyBound() {
					if Key(pod) == t.Step.Popped {
						broken = append(broken, Violation{Pod: Key(pod), About: "bound", But: fmt.Sprintf(
							"%s is bound to %s, as a permit plugin lets it wait", Key(pod), pod.Spec.NodeName)})
					}
				}
			}
			key := t.Step.Popped
			if t.Action.Verb != Schedule {
				key = t.Action.Ref.Key()
			}
			was, is := t.Before.Pod(key), t.After.Pod(key)
			if !t.permitRejects() || was == nil || is == nil || was.Spec.NodeName != "" {
				return broken
			}
			if node := is.Spec.NodeName + t.After.AssumedOn(key); node != "" {
				broken = append(broken, Violation{Pod: key, But: fmt.Sprintf("%s is rejected, and on %s", key, node)})
			}
			return broken
		},
	}
}

// waitsUnasked reports whether the pod of the step waits on permit, and no plugin has said so.
func (t *Transition) waitsUnasked() bool {
	asked := slices.Contains([]Fault{WaitPermit, FailPreFlight}, t.Action.Fault)
	q, _ := t.After.Queued(t.Step.Popped)
	return t.Action.Verb == Schedule && !asked && q.Waits && q.In(InFlight)
}
