package loop

import (
	"fmt"

	v1 "k8s.io/api/core/v1"

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
				for _, claim := range unboundClaims(pod, t.After.API) {
					broken = append(broken, Violation{Pod: Key(pod), But: fmt.Sprintf("%s is bound to %s, and its claim %s is not "+
						"bound", Key(pod), pod.Spec.NodeName, claim)})
				}
			}
			return broken
		},
	}
}

// unboundClaims returns the names of the claims of the pod's volumes that have no volume.
func unboundClaims(pod *v1.Pod, s *spec.Snapshot) []string {
	var names []string
	for _, v := range pod.Spec.Volumes {
		if v.PersistentVolumeClaim == nil {
			continue
		}
		for _, claim := range s.PersistentVolumeClaims {
			if claim.Namespace == pod.Namespace && claim.Name == v.PersistentVolumeClaim.ClaimName &&
				claim.Spec.VolumeName == "" {
				names = append(names, claim.Name)
			}
		}
	}
	return names
}
