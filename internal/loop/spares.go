package loop

import (
	"fmt"
	"slices"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// sparesWaiting returns the property that a preemption does not delete who has not started.
//
// Source: comments of NewExecutor in k8s.io/kubernetes/pkg/scheduler/framework/preemption ("If the victim is a
// WaitingPod, try to preempt it without a delete call (victim will go back to backoff queue)", "If the victim is in the
// preBind cancel the binding process"; the second holds from v1.36 on).
func sparesWaiting() Property {
	return Property{
		Name: "spares-waiting",
		Doc: "A victim that waits on permit, or, from v1.36 on, for its volumes or devices or another pre-bind " +
			"plugin, goes back to the queue and is not deleted.",
		Broken: func(t *Transition) []Violation {
			if t.Action.Verb == Write {
				return t.boundCancelled()
			}
			if t.Action.Verb != Schedule && t.Action.Verb != Evict {
				return nil
			}
			cancels := spec.Quirk{Since: "v1.36"}.In(t.Model.Profile.Release)
			var broken []Violation
			for _, was := range t.Before.API.Pods {
				q, _ := t.Before.Queued(Key(was))
				is := t.After.Pod(Key(was))
				onPermit := q.Waits && !q.Volumes && !q.Devices && !q.Binds
				preBinds := q.Volumes || q.Devices || q.Binds && slices.Contains([]Fault{SlowPreBind, Cancelled}, q.Fault)
				waits := (onPermit || cancels && preBinds) && was.Spec.NodeName == ""
				if waits && !deleting(was) && (is == nil || deleting(is)) {
					broken = append(broken, Violation{Pod: Key(was),
						But: fmt.Sprintf("%s is deleted, which waited to be bound", Key(was))})
				}
			}
			return broken
		},
	}
}

// boundCancelled returns the violation of a pod that the step binds although it was preempted at pre-bind.
func (t *Transition) boundCancelled() []Violation {
	pod := t.Action.Ref.Key()
	was, is := t.Before.Pod(pod), t.After.Pod(pod)
	if !t.Before.cancelled(pod) || was == nil || is == nil || was.Spec.NodeName != "" || is.Spec.NodeName == "" {
		return nil
	}
	return []Violation{{Pod: pod, But: fmt.Sprintf("%s is bound, which was preempted at pre-bind", pod)}}
}
