package loop

import (
	"fmt"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// keptOut returns the property that a pod for which there is no hope is not tried.
//
// Source: see spec.KeptOut.
func keptOut() Property {
	return Property{
		Name: "kept-out",
		Doc: "No pod is put into activeQ or backoffQ while it has scheduling gates, or, if the profile asks " +
			"DynamicResources at PreEnqueue, while a claim for devices that it names is not there, by what the scheduler has " +
			"heard.",
		Broken: func(t *Transition) []Violation {
			var broken []Violation
			for _, q := range t.After.Queue {
				was, _ := t.Before.Queued(q.Pod)
				before, after := t.Before.heard(q.Pod), t.After.heard(q.Pod)
				if after == nil || !q.awake() || was.awake() && t.Step.Popped != q.Pod {
					continue
				}
				profile := t.model(after).Profile
				plugin := spec.KeptOut(profile, after, t.After.told())
				if plugin == "" || before != nil && spec.KeptOut(profile, before, t.Before.told()) == "" {
					continue // the pod may have been let in before the step has changed what keeps it out
				}
				broken = append(broken, Violation{Pod: q.Pod, About: plugin, But: fmt.Sprintf(
					"%s is %v, and %s has to keep it out of the queue", q.Pod, q.Queues, plugin)})
			}
			return broken
		},
	}
}

// awake reports whether the pod will be tried without an event.
func (q Queued) awake() bool { return q.In(Active) || q.In(BackingOff) }
