package loop

import (
	"fmt"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// volumesBound returns the property that a pod gets a node only with its volumes.
//
// Source: https://kubernetes.io/docs/concepts/storage/storage-classes/#volume-binding-mode and doc comment of
// SchedulerVolumeBinder in k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumebinding: PreBind waits until the
// claims of the pod are bound.
func volumesBound() Property {
	return Property{
		Name: "volumes-bound",
		Doc:  "When the scheduler binds a pod, the claims that it uses for volumes are bound.",
		Broken: func(t *Transition) []Violation {
			if t.Action.Verb.Event() {
				return nil // then others may have bound it
			}
			var broken []Violation
			for _, pod := range t.After.API.Pods {
				was := t.Before.Pod(Key(pod))
				if pod.Spec.NodeName == "" || was == nil || was.Spec.NodeName != "" {
					continue
				}
				for _, claim := range spec.Claims(pod, t.After.API) {
					if !spec.ClaimBound(claim) {
						broken = append(broken, Violation{Pod: Key(pod), But: fmt.Sprintf(
							"%s is bound to %s, and its claim %s is not bound", Key(pod), pod.Spec.NodeName, claim.Name)})
					}
				}
			}
			return broken
		},
	}
}
