package loop

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// nominates returns the property that a pod which waits to be bound is nominated to its node, so that others know, and
// one that is bound at once is not, which would be a write more for every pod.
//
// Source: KEP-5278, as of v1.35, and the comment on it in k8s.io/kubernetes/pkg/scheduler ("We only do this when any of
// WaitOnPermit or PreBind will work because otherwise the pod will be soon bound anyway").
func nominates() Property {
	return Property{
		Name: "nominates",
		Doc: "A pod that waits to be bound to a node is nominated to it; one that is placed and fails only if it waited, " +
			"or had volumes or devices to be bound before it was.",
		Broken: func(t *Transition) []Violation {
			was, is := t.Before.Pod(t.Step.Popped), t.After.Pod(t.Step.Popped)
			if node := t.waitsFor(t.Step.Popped); node != "" && is != nil && is.Status.NominatedNodeName != node {
				return []Violation{{Pod: t.Step.Popped, About: "waits", But: fmt.Sprintf(
					"%s waits to be bound to %s, and is not nominated to it", t.Step.Popped, node)}}
			}
			fails := slices.Contains([]Fault{FailReserve, RejectReserve, RejectPermit, FailBind, LateStatus, FailRollBack},
				t.Action.Fault)
			if t.Action.Verb != Schedule || !fails || was == nil || is == nil || is.Spec.NodeName != "" ||
				is.Status.NominatedNodeName == "" || was.Status.NominatedNodeName == is.Status.NominatedNodeName {
				return nil
			}
			view := t.Before.View()
			if !feasible(t.Model, t.Step.Popped, view) || bindsFirst(was, view) || t.filtersReject() {
				return nil
			}
			return []Violation{{Pod: t.Step.Popped, About: t.Action.Fault.String(), Known: t.leftWaiting(t.Step.Popped),
				But: fmt.Sprintf("%s is nominated to %s, and had nothing to wait for", t.Step.Popped, is.Status.NominatedNodeName)}}
		},
	}
}

// filtersReject reports whether the pod of the step was rejected before it was placed.
func (t *Transition) filtersReject() bool {
	q, _ := t.After.Queued(t.Step.Popped)
	return len(q.Rejectors) > 0 && !slices.Contains(q.Rejectors, FaultPlugin)
}

// waitsFor returns the node to which the pod waits to be bound since the step, in which no write failed; "" if there is
// none, the release does not nominate such pods, or the scheduler takes it to be nominated there already.
func (t *Transition) waitsFor(pod string) string {
	queued, ok := t.After.Queued(pod)
	if t.Action.Verb != Schedule || !slices.Contains([]Fault{NoFault, WaitPermit, SlowPreBind}, t.Action.Fault) || !ok ||
		!queued.Waits || !(Known{Since: "v1.35"}).In(t.Model.Profile.Release) {
		return ""
	}
	node := t.After.AssumedOn(pod)
	if told := t.Before.heard(pod); told != nil && told.Status.NominatedNodeName == node {
		return ""
	}
	return node
}

// bindsFirst reports whether something is to be bound before the pod: a claim for a volume that is not bound, or
// devices.
func bindsFirst(pod *v1.Pod, s *spec.Snapshot) bool {
	return len(pod.Spec.ResourceClaims) > 0 || spec.AsksForDevices(pod, s) || slices.ContainsFunc(spec.Claims(pod, s),
		func(claim *v1.PersistentVolumeClaim) bool { return !spec.ClaimBound(claim) })
}
