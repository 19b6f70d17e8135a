package loop

import (
	"fmt"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// levelsAgree: what is found of single decisions holds of the whole scheduler, and the other way round.
func levelsAgree() Property {
	return Property{
		Name: "levels-agree",
		Doc:  "Whatever becomes of a pod that the scheduler takes off its queue is what kube-scheduler decides when it is asked about that pod in that state alone.",
		Broken: func(t *Transition) []Violation {
			view := t.Before.View()
			pod := t.asked(view)
			if pod == nil || t.Ask == nil {
				return nil
			}
			alone := t.Ask(spec.Question{Pod: pod, Snapshot: view})
			got := t.outcome(pod, view)
			v := Violation{Pod: Key(pod)}
			switch {
			case alone.Failure != "":
				v.About = "no decision"
				v.But = fmt.Sprintf("kube-scheduler lets %s %s; asked alone it gives no decision: %s", Key(pod), describe(got, view), alone.Failure)
				return []Violation{v}
			case permits(alone.Outcomes, got, pod, view):
				return nil
			default:
				v.But = fmt.Sprintf("kube-scheduler lets %s %s; asked alone it decides: %s", Key(pod), describe(got, view), describeAll(alone.Outcomes, view))
			}
			return []Violation{v.explained(t)}
		},
	}
}

// asked gives the pod that the step decided about, as the view before the step has it; nil if the step took no decision, or made one fail.
func (t *Transition) asked(view *spec.Snapshot) *v1.Pod {
	if t.Step.Popped == "" || t.Action.Fault != NoFault && t.Action.Fault != WaitPermit {
		return nil
	}
	pod := in(view, t.Step.Popped)
	if pod == nil || pod.Spec.NodeName != "" {
		return nil // it went while it was in the queue: conservation
	}
	return pod
}
