package loop

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// reservationTakenForWritten is the defect that a claim is not reserved that kube-scheduler takes for reserved.
func reservationTakenForWritten() Known {
	return Known{
		Name: "reservation-taken-for-written", Class: spec.Unconfirmed, Upstream: "not reported",
		Doc: "When kube-scheduler takes the reservation of a claim for devices away, as its pod fails after that, or the " +
			"devices, too, as no node that has them is feasible, and tries the pod again before it has heard of that, it " +
			"goes by the claim that it has heard of, takes it for reserved, and binds the pod without a reservation, or " +
			"without devices.",
	}
}

// takesForReserved reports whether kube-scheduler had the claim as reserved for the pod when it tried it, and had not
// heard of its own write that took that away.
func (t *Transition) takesForReserved(pod *v1.Pod, claim *resourcev1.ResourceClaim) bool {
	return slices.Contains(t.Before.TakenForReserved, Uses{Key(pod), Key(claim)}) ||
		slices.ContainsFunc(t.Before.Unheard, func(u Unheard) bool {
			was, _ := u.Was.(*resourcev1.ResourceClaim)
			is, _ := u.Is.(*resourcev1.ResourceClaim)
			return u.Own && u.Ref == RefOf(claim) && reserved(pod, was) && !reserved(pod, is)
		})
}
