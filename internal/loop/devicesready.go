package loop

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// devicesReady returns the property that a pod gets a node only with its devices.
//
// Source: field docs of Device.bindingConditions ("All of these conditions must be set in the per-device status
// conditions with a value of True to proceed with binding the pod") and ResourceClaimStatus.reservedFor ("A pod which
// references a ResourceClaim which is not reserved for that Pod will not be started") in k8s.io/api/resource/v1.
func devicesReady() Property {
	return Property{
		Name: "devices-ready",
		Doc: "When the scheduler binds a pod, its claims for devices are allocated and reserved for it, and the drivers " +
			"say that the devices are ready; if the profile has DynamicResources.",
		Broken: func(t *Transition) []Violation {
			var broken []Violation
			for _, pod := range t.newlyBound() {
				if !t.runs("DynamicResources", pod) {
					continue
				}
				for _, claim := range spec.ResourceClaims(pod, t.After.API) {
					if readyFor(pod, claim) || t.Before.othersUnheard(RefOf(claim)) {
						continue
					}
					v := Violation{Pod: Key(pod), But: fmt.Sprintf("%s is bound to %s, and its claim %s is not ready for it",
						Key(pod), pod.Spec.NodeName, claim.Name)}
					if t.takesForReserved(pod, claim) {
						v.Known = t.has(reservationTakenForWritten().Name)
					}
					broken = append(broken, v)
				}
			}
			return broken
		},
	}
}

// readyFor reports whether the claim is the pod's, with devices that are ready.
func readyFor(pod *v1.Pod, claim *resourcev1.ResourceClaim) bool {
	return claim.Status.Allocation != nil && spec.ReadyToBind(claim) && reserved(pod, claim)
}

// reserved reports whether the claim, if there is one, is reserved for the pod.
func reserved(pod *v1.Pod, claim *resourcev1.ResourceClaim) bool {
	return claim != nil &&
		slices.ContainsFunc(claim.Status.ReservedFor, func(consumer resourcev1.ResourceClaimConsumerReference) bool {
			return consumer.UID == pod.UID
		})
}

// othersUnheard reports whether kube-scheduler has not heard of what somebody else did to the object.
func (s *State) othersUnheard(ref Ref) bool {
	return slices.ContainsFunc(s.Unheard, func(u Unheard) bool { return !u.Own && u.Ref == ref })
}
