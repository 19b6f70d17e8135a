package loop

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// ephemeralController returns what the controller of ephemeral volumes and the garbage collector do: a claim is made
// for each such volume of a pod, unless there is one of its name, and goes once its pod is gone.
//
// Source: field doc of EphemeralVolumeSource.volumeClaimTemplate ("The pod in which this EphemeralVolumeSource is
// embedded will be the owner of the PVC, i.e. the PVC will be deleted together with the pod"; "An existing PVC with
// that name that is not owned by the pod will *not* be used for the pod").
func ephemeralController(state *State) []Action {
	var actions []Action
	for _, pod := range state.API.Pods {
		if deleting(pod) || ended(pod) {
			continue
		}
		for _, volume := range pod.Spec.Volumes {
			if volume.Ephemeral == nil || volume.Ephemeral.VolumeClaimTemplate == nil {
				continue
			}
			claim := ephemeralClaim(pod, volume)
			taken := func(c *v1.PersistentVolumeClaim) bool { return RefOf(c) == RefOf(claim) }
			if !slices.ContainsFunc(state.API.PersistentVolumeClaims, taken) {
				actions = append(actions, Action{Verb: Create, Ref: RefOf(claim), Object: claim, Controller: true,
					Doc: fmt.Sprintf("claim: it is made for volume %s of %s", volume.Name, Key(pod))})
			}
		}
	}
	for _, claim := range state.API.PersistentVolumeClaims {
		if state.orphaned(claim) {
			actions = append(actions, collected(claim))
		}
	}
	return actions
}

// ephemeralClaim returns the claim that is made for an ephemeral volume of the pod. Which pod of that name owns it, its
// uid, is for the API server to fill in: it may be another one by the time the action is repeated.
func ephemeralClaim(pod *v1.Pod, volume v1.Volume) *v1.PersistentVolumeClaim {
	template := volume.Ephemeral.VolumeClaimTemplate
	claim := &v1.PersistentVolumeClaim{ObjectMeta: *template.ObjectMeta.DeepCopy(), Spec: *template.Spec.DeepCopy(),
		Status: v1.PersistentVolumeClaimStatus{Phase: v1.ClaimPending}}
	claim.Namespace, claim.Name = pod.Namespace, spec.ClaimName(pod, volume)
	claim.OwnerReferences = []metav1.OwnerReference{
		{APIVersion: "v1", Kind: "Pod", Name: pod.Name, Controller: new(true)},
	}
	return claim
}
