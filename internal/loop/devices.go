package loop

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
)

// claimController returns what the controller of claims of devices does: pods that are gone, or have ended, use a claim
// no longer, and one that nobody uses gives its devices back.
//
// Source: https://kubernetes.io/docs/concepts/resource-management/dynamic-resource-allocation/, and KEP-4381 ("removing
// the reservation for pods that are done", "deallocation when there are no consumers").
func claimController(state *State) []Action {
	var actions []Action
	for _, claim := range state.API.ResourceClaims {
		used := slices.DeleteFunc(slices.Clone(claim.Status.ReservedFor),
			func(by resourcev1.ResourceClaimConsumerReference) bool { return !stillUses(state, claim, by) })
		if len(used) == len(claim.Status.ReservedFor) {
			continue
		}
		after := claim.DeepCopy()
		after.Status.ReservedFor = used
		doc := "reservation: the pod that used it is gone"
		if len(used) == 0 {
			after.Status.ReservedFor, after.Status.Allocation, after.Status.Devices = nil, nil, nil
			after.Finalizers = slices.DeleteFunc(after.Finalizers, func(f string) bool { return f == resourcev1.Finalizer })
			doc += ", so its devices are given back"
		}
		actions = append(actions, Action{Verb: Update, Ref: RefOf(claim), Object: after, Doc: doc, Controller: true})
	}
	return actions
}

// stillUses reports whether who has reserved the claim is a pod that is there and has not ended; anybody else is left alone.
func stillUses(state *State, claim *resourcev1.ResourceClaim, by resourcev1.ResourceClaimConsumerReference) bool {
	if by.Resource != "pods" || by.APIGroup != "" {
		return true
	}
	return slices.ContainsFunc(state.API.Pods, func(pod *v1.Pod) bool {
		return pod.Namespace == claim.Namespace && pod.UID == by.UID &&
			pod.Status.Phase != v1.PodSucceeded && pod.Status.Phase != v1.PodFailed
	})
}

// withoutIDs takes out of a claim what is drawn anew each time that the same happens: the uid of who uses it, which is or is
// not that of the pod of that name, and the IDs of shares.
func (s *State) withoutIDs(claim *resourcev1.ResourceClaim) {
	for i := range claim.Status.ReservedFor {
		by := &claim.Status.ReservedFor[i]
		same := slices.ContainsFunc(s.API.Pods, func(pod *v1.Pod) bool {
			return pod.Namespace == claim.Namespace && pod.Name == by.Name && pod.UID == by.UID
		})
		by.UID = map[bool]types.UID{true: "", false: "that of another pod"}[same]
	}
	if claim.Status.Allocation == nil {
		return
	}
	for i := range claim.Status.Allocation.Devices.Results {
		if share := &claim.Status.Allocation.Devices.Results[i].ShareID; *share != nil {
			some := types.UID("some")
			*share = &some
		}
	}
}
