package loop

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// boundStays returns the property that a bound pod stays on its node.
func boundStays() Property {
	return Property{
		Name: "bound-stays",
		Doc:  "A pod that is bound stays on its node until it is gone.",
		Broken: func(t *Transition) []Violation {
			var broken []Violation
			for _, was := range t.Before.API.Pods {
				is := t.After.Pod(Key(was))
				if is != nil && is.UID == was.UID && was.Spec.NodeName != "" && is.Spec.NodeName != was.Spec.NodeName {
					broken = append(
						broken,
						Violation{
							Pod: Key(was),
							But: fmt.Sprintf("%s was bound to %s, and is now on %q", Key(was), was.Spec.NodeName,
								is.Spec.NodeName),
						},
					)
				}
			}
			return broken
		},
	}
}

// exclusive returns the property that a host port, and a ReadWriteOncePod claim, has one user. The model says so of
// each decision too; this is asked of what came of it.
//
// Source: https://kubernetes.io/docs/concepts/storage/persistent-volumes/#access-modes (ReadWriteOncePod), and the
// API reference of ContainerPort (hostPort, hostIP).
func exclusive() Property {
	return Property{
		Name: "exclusive",
		Doc: "A pod is bound to no node where another pod has its host port, nor with a ReadWriteOncePod claim that " +
			"another pod uses; if the profile has NodePorts, and VolumeRestrictions. Pods of a node that is gone count as gone.",
		Broken: func(t *Transition) []Violation {
			view := t.After.View()
			pod := in(view, t.Step.Popped)
			if t.Action.Verb != Schedule || pod == nil || pod.Spec.NodeName == "" {
				return nil
			}
			var broken []Violation
			single := slices.DeleteFunc(spec.Claims(pod, view), func(claim *v1.PersistentVolumeClaim) bool {
				return !t.runs("VolumeRestrictions", pod) || !slices.Contains(claim.Spec.AccessModes, v1.ReadWriteOncePod)
			})
			for _, other := range view.Pods {
				if other == pod || !hasNode(t.After, other.Spec.NodeName) || ended(other) {
					continue
				}
				if port, taken := samePort(pod, other); taken && t.runs("NodePorts", pod) &&
					other.Spec.NodeName == pod.Spec.NodeName {
					broken = append(
						broken,
						Violation{
							Pod:   Key(pod),
							About: "port",
							But: fmt.Sprintf("%s and %s are both on %s and have host port %d", Key(pod), Key(other),
								pod.Spec.NodeName, port),
						}.explained(t),
					)
				}
				if claim := sameClaim(single, other, view); claim != nil {
					v := Violation{Pod: Key(pod), About: "claim", But: fmt.Sprintf(
						"%s and %s both use claim %s, which is for one pod", Key(pod), Key(other), Key(claim))}
					switch {
					case t.Before.usesFree(pod):
						v.Known = returnedClaims
					case madeFor(pod, claim) || madeFor(other, claim):
						v.Known = spec.SingleClaimEphemeral().Name
					}
					broken = append(broken, v)
				}
			}
			return broken
		},
	}
}

// samePort returns the lowest host port of the pod that the other pod has, too.
func samePort(pod, other *v1.Pod) (int32, bool) {
	var shared []int32
	theirs := spec.HostPorts(other)
	for _, mine := range spec.HostPorts(pod) {
		if slices.ContainsFunc(theirs, mine.Conflicts) {
			shared = append(shared, mine.Port)
		}
	}
	if len(shared) == 0 {
		return 0, false
	}
	return slices.Min(shared), true
}

// sameClaim returns the first of the claims that the pod uses; nil if it uses none.
func sameClaim(claims []*v1.PersistentVolumeClaim, pod *v1.Pod, view *spec.Snapshot) *v1.PersistentVolumeClaim {
	for _, claim := range claims {
		if slices.Contains(spec.Claims(pod, view), claim) {
			return claim
		}
	}
	return nil
}

// madeFor reports whether the claim is that of an ephemeral volume of the pod.
func madeFor(pod *v1.Pod, claim *v1.PersistentVolumeClaim) bool {
	return slices.ContainsFunc(pod.Spec.Volumes, func(volume v1.Volume) bool {
		return volume.Ephemeral != nil && spec.ClaimName(pod, volume) == claim.Name
	})
}
