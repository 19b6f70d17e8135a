package loop

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// reserves returns the property that what a pod was placed with is kept for it until it is bound.
//
// Source: https://kubernetes.io/docs/concepts/scheduling-eviction/scheduling-framework/#reserve ("to prevent race
// conditions while the scheduler waits for the bind to succeed").
func reserves() Property {
	return Property{
		Name: "reserves",
		Doc: "When a pod that was placed begins to wait, on permit, or for its volumes or devices, a volume is reserved, " +
			"or a node selected, for each of its claims that is not bound, and devices are for its claims of these; if " +
			"the profile has the plugins that do.",
		Broken: func(t *Transition) []Violation {
			q, queued := t.After.Queued(t.Step.Popped)
			pod := t.After.heard(t.Step.Popped)
			if t.Action.Verb != Schedule || !queued || !q.Waits || pod == nil {
				return nil
			}
			view := t.After.under(pod.Spec.SchedulerName).View() // others may have reserved it, too
			var broken []Violation
			for _, claim := range spec.Claims(pod, view) {
				if t.runs("VolumeBinding", pod) && !spec.ClaimBound(claim) && claim.Annotations[selectedNode] == "" &&
					!slices.ContainsFunc(view.PersistentVolumes,
						func(volume *v1.PersistentVolume) bool { return reservedFor(volume, claim) }) {
					broken = append(broken, Violation{About: "PersistentVolumeClaim", Pod: q.Pod, But: fmt.Sprintf(
						"%s waits to be bound, and nothing is reserved for its claim %s", q.Pod, claim.Name)}.explained(t))
				}
			}
			for _, claim := range spec.ResourceClaims(pod, view) {
				if t.runs("DynamicResources", pod) && claim.Status.Allocation == nil {
					broken = append(broken, Violation{About: "ResourceClaim", Pod: q.Pod, But: fmt.Sprintf(
						"%s waits to be bound, and nothing is reserved for its claim %s", q.Pod, claim.Name)}.explained(t))
				}
			}
			return broken
		},
	}
}
