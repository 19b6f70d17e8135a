package loop

import (
	"slices"
	"strings"
)

// ofCycles are how errors begin that binding cycles report as they end, whatever ends them.
var ofCycles = []string{"Plugin failed", "Plugin Failed", "Error scheduling pod", "Error updating pod",
	"ForgetPod failed", "scheduler cache ForgetPod failed", "Failed waiting on permit", "unreserve"}

// handles returns the property that what kube-scheduler hears of fits to what it knows.
//
// Source: the doc comments of Cache ("If a pod wasn't added, it wouldn't be removed or updated.") in
// k8s.io/kubernetes/pkg/scheduler/backend/cache, and of QueueingHintFn, which takes an error for a reason to try the
// pod again, in k8s.io/kube-scheduler/framework. Whether a pod had a node that went while the watch was broken is not
// known for certain: kube-scheduler takes it out of its cache, whether it is there or not (stated in code). Nor is it
// an error of its own that a pod has what is no value of the field, and the API server takes it, such as no integer
// for Gt.
func handles() Property {
	return Property{
		Name: "handles",
		Doc: "What kube-scheduler hears of it handles without an error: its cache and its queue know of what there is, " +
			"and no queueing hint fails.",
		Broken: func(t *Transition) []Violation {
			if !t.Action.Verb.Event() || len(t.Step.Errors) == 0 {
				return nil
			}
			errors := slices.DeleteFunc(slices.Clone(t.Step.Errors), func(text string) bool {
				return strings.Contains(text, ": Invalid value: ") ||
					slices.ContainsFunc(ofCycles, func(begins string) bool { return strings.HasPrefix(text, begins) })
			})
			pod := t.Before.heard(t.Action.Ref.Key())
			unsure := t.Action.Missed && t.Action.Ref.Kind == "Pod" && pod != nil && pod.Spec.NodeName == ""
			if len(errors) == 0 || unsure {
				return nil
			}
			v := Violation{About: t.Action.Class(), But: "it reports " + strings.Join(errors, "; ")}
			if t.Action.Verb == Replace && t.Action.Ref.Kind == "Pod" {
				v.Known = t.has(replacedPodKept().Name)
			}
			return []Violation{v}
		},
	}
}
