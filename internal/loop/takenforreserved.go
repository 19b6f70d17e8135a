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
		Doc: "When a pod fails after its claim for devices was reserved for it, kube-scheduler takes that reservation " +
			"away. If the pod is tried again before kube-scheduler has heard of that, it goes by the claim that it has " +
			"heard of, takes it for reserved, and binds the pod to the node without a reservation.",
	}
}

// ReservationTaken says of a claim for devices that kube-scheduler reserves it for the pod, "ns/name", no more.
func ReservationTaken(pod string) string {
	return "reservation: the scheduler takes it from " + pod
}

// takesForReserved reports whether kube-scheduler had the claim as reserved for the pod when it tried it, and had not
// heard of its own write that took that away.
func (t *Transition) takesForReserved(pod *v1.Pod, claim *resourcev1.ResourceClaim) bool {
	return slices.Contains(t.Before.TakenForReserved, Uses{Key(pod), Key(claim)}) ||
		slices.ContainsFunc(t.Before.Unheard, func(u Unheard) bool {
			return u.Own && u.Ref == RefOf(claim) && u.Doc == ReservationTaken(Key(pod))
		})
}
