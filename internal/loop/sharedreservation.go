package loop

import (
	"slices"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// sharedReservationFreed is the name of a defect of roll-back.
const sharedReservationFreed = "shared-reservation-freed"

// freesShared is the defect that who fails gives up what others have reserved.
func freesShared() Known {
	return Known{
		Name: sharedReservationFreed, Class: spec.Unconfirmed, Upstream: "not reported",
		Doc: "Two pods use a claim that is not bound: when the second fails after Reserve, what the first, which waits to " +
			"be bound, has reserved for that claim, a volume or the choice of a node, is given up with it. If another claim " +
			"is given the volume then, the binding of the first fails.",
	}
}

// sharedFreed returns the reservations that the step gives up although a pod that waits to be bound uses the claim, as
// the pod of the cycle does.
func (t *Transition) sharedFreed() []Reservation {
	pod := t.Before.heard(t.Step.Popped)
	if pod == nil {
		return nil
	}
	uses := func(pod *v1.Pod, claim *v1.ObjectReference) bool {
		return slices.ContainsFunc(claimsOf(pod, t.Before.told()), func(c *v1.PersistentVolumeClaim) bool {
			return c != nil && c.Namespace == claim.Namespace && c.Name == claim.Name
		})
	}
	after := t.After.reservedRefs()
	return slices.DeleteFunc(slices.Clone(t.Before.Reserved), func(r Reservation) bool {
		claim := claimOf(r)
		return claim == nil || t.Before.written(r.Object) || slices.Contains(after, RefOf(r.Object)) || !uses(pod, claim) ||
			!slices.ContainsFunc(t.After.Assumed, func(waits Pair) bool {
				other := t.Before.heard(waits.Pod)
				return other != nil && waits.Pod != Key(pod) && uses(other, claim)
			})
	})
}

// claimOf returns the claim for volumes that the reservation is for; nil if it is for another.
func claimOf(r Reservation) *v1.ObjectReference {
	switch object := r.Object.(type) {
	case *v1.PersistentVolume:
		return object.Spec.ClaimRef
	case *v1.PersistentVolumeClaim:
		return &v1.ObjectReference{Namespace: object.Namespace, Name: object.Name}
	}
	return nil
}
