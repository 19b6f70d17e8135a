package loop

import (
	"cmp"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// boundByController is the annotation of a volume that its user has not reserved for its claim.
const boundByController = "pv.kubernetes.io/bound-by-controller"

// volumesWritten returns the property that the volume controller can go by what the scheduler writes of volumes and
// of claims for them.
//
// Source: field doc of PersistentVolumeSpec.claimRef ("part of a bi-directional binding between PersistentVolume and
// PersistentVolumeClaim"); doc of AnnBoundByController and AnnSelectedNode in
// k8s.io/component-helpers/storage/volume ("The absence of this annotation means the binding was done by the user").
func volumesWritten() Property {
	return Property{
		Name: "volumes-written",
		Doc: "A volume that the scheduler reserves is so for a claim, by namespace, name and uid, and says that a " +
			"controller has reserved it, unless its user had, by name. A node that it selects for a claim is that of the " +
			"pod which uses it.",
		Broken: func(t *Transition) []Violation {
			var broken []Violation
			for _, volume := range t.After.API.PersistentVolumes {
				was := spec.VolumeNamed(volume.Name, t.Before.API)
				if was == nil || t.concerns(RefOf(volume)) ||
					equality.Semantic.DeepEqual(was.Spec.ClaimRef, volume.Spec.ClaimRef) {
					continue
				}
				if wrong := reservedWrongly(was, volume); wrong != "" {
					broken = append(broken, Violation{About: "volume", But: "volume " + volume.Name + " " + wrong})
				}
			}
			for _, was := range t.Before.API.PersistentVolumeClaims {
				at := slices.IndexFunc(t.After.API.PersistentVolumeClaims,
					func(is *v1.PersistentVolumeClaim) bool { return RefOf(is) == RefOf(was) })
				if at < 0 || t.concerns(RefOf(was)) {
					continue
				}
				node, place := t.After.API.PersistentVolumeClaims[at].Annotations[selectedNode], t.placeOf(was)
				if node != was.Annotations[selectedNode] && place != "" && place != node {
					broken = append(broken, Violation{About: "claim", But: fmt.Sprintf(
						"node %q is selected for claim %s, whose pod is on %s", node, Key(was), place)})
				}
			}
			return broken
		},
	}
}

// placeOf returns the node on which the pod of the step has its place after it, if it uses the claim; "" otherwise.
// Others that use it may have a place elsewhere, such as one that is bound to a node which is gone.
func (t *Transition) placeOf(claim *v1.PersistentVolumeClaim) string {
	key := t.Action.Ref.Key()
	if t.Action.Verb == Schedule {
		key = t.Step.Popped
	}
	pod := t.After.Pod(key)
	if pod == nil || !uses(pod, claim, t.After.API) {
		return ""
	}
	return cmp.Or(pod.Spec.NodeName, t.After.AssumedOn(key))
}

// concerns reports whether the step is an event, or a controller's, that writes the object.
func (t *Transition) concerns(ref Ref) bool {
	return t.Action.Ref == ref || t.Action.Meanwhile != nil && t.Action.Meanwhile.Ref == ref
}

// reservedWrongly returns what is wrong with what the scheduler has written of the volume; "" if nothing is.
func reservedWrongly(was, volume *v1.PersistentVolume) string {
	ref := volume.Spec.ClaimRef
	if ref == nil {
		return "is not reserved any longer"
	}
	if ref.Kind != "PersistentVolumeClaim" || ref.Name == "" || ref.Namespace == "" || ref.UID == "" {
		return fmt.Sprintf("is reserved for %s %s/%s, uid %q, which is no claim", ref.Kind, ref.Namespace, ref.Name, ref.UID)
	}
	of := was.Spec.ClaimRef
	byUser := of != nil && of.Name == ref.Name && of.Namespace == ref.Namespace
	said := metav1.HasAnnotation(was.ObjectMeta, boundByController) // whoever wrote that
	if says := metav1.HasAnnotation(volume.ObjectMeta, boundByController); !said && says == byUser {
		return fmt.Sprintf("was reserved by its user: %t; that a controller has reserved it, it says: %t", byUser, says)
	}
	return ""
}
