package loop

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// nominates returns the property that a pod which is bound at once is not nominated first, which would be a write more
// for every pod.
//
// Source: KEP-5278, and the comment on it in k8s.io/kubernetes/pkg/scheduler ("We only do this when any of WaitOnPermit
// or PreBind will work because otherwise the pod will be soon bound anyway").
func nominates() Property {
	return Property{
		Name: "nominates",
		Doc: "A pod that is placed and fails is nominated only if it waited, or had volumes or devices to be bound before " +
			"it was.",
		Broken: func(t *Transition) []Violation {
			was, is := t.Before.Pod(t.Step.Popped), t.After.Pod(t.Step.Popped)
			fails := slices.Contains([]Fault{FailReserve, RejectPermit, FailBind, LateStatus}, t.Action.Fault)
			if t.Action.Verb != Schedule || !fails || was == nil || is == nil || is.Spec.NodeName != "" ||
				is.Status.NominatedNodeName == "" || was.Status.NominatedNodeName == is.Status.NominatedNodeName {
				return nil
			}
			view := t.Before.View()
			if !feasible(t.Model, t.Step.Popped, view) || bindsFirst(was, view) {
				return nil
			}
			return []Violation{{Pod: t.Step.Popped, About: t.Action.Fault.String(), But: fmt.Sprintf(
				"%s is nominated to %s, and had nothing to wait for", t.Step.Popped, is.Status.NominatedNodeName)}}
		},
	}
}

// bindsFirst reports whether something is to be bound before the pod: a claim for a volume that is not bound, or
// devices.
func bindsFirst(pod *v1.Pod, s *spec.Snapshot) bool {
	return len(pod.Spec.ResourceClaims) > 0 || spec.AsksForDevices(pod, s) || slices.ContainsFunc(spec.Claims(pod, s),
		func(claim *v1.PersistentVolumeClaim) bool { return !spec.ClaimBound(claim) })
}
