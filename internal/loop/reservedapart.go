package loop

import (
	"slices"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// reservedApart is the defect that profiles do not know which volumes others have reserved.
func reservedApart() Known {
	return Known{
		Name: "volume-reserved-per-profile", Class: spec.Unconfirmed, Upstream: "not reported",
		Doc: "Of several profiles of one kube-scheduler each reserves volumes for itself: a volume that is reserved for a " +
			"pod of one profile is chosen for a pod of another, too, of which one fails to be bound, and a node that has no " +
			"volume left is taken for feasible.",
		Sees: func(s *State, pod *v1.Pod) *spec.Snapshot {
			own := s.under(pod.Spec.SchedulerName)
			if len(own.Reserved) == len(s.Reserved) {
				return nil
			}
			return own.View()
		},
	}
}

// under returns the state with those reservations alone that the profile knows of.
func (s *State) under(profile string) *State {
	own := *s
	own.Reserved = slices.DeleteFunc(slices.Clone(s.Reserved), func(r Reservation) bool {
		return r.Under != "" && r.Under != profile
	})
	return &own
}
