package loop

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// claimRestoredOutdated is the name of a defect that assumed-bound-or-forgotten tells by what is reserved.
const claimRestoredOutdated = "claim-restored-outdated"

// restoredOutdated is the defect that a claim of devices is taken to be what it was before its allocation was written.
func restoredOutdated() Known {
	return Known{
		Name: claimRestoredOutdated, Class: spec.Unconfirmed,
		Upstream: "not reported; kubernetes/kubernetes#140269 mended it for pods of a group",
		Doc: "When a pod that waits for its devices fails, a claim whose allocation is written goes back to what it was " +
			"before that, as what is heard of own writes is dropped: until a later write is heard, its devices are given to " +
			"others.",
		Explains: func(t *Transition, _ *v1.Pod) bool {
			return t.Action.Verb == Schedule && slices.ContainsFunc(t.Before.told().ResourceClaims, t.Before.restored)
		},
	}
}

// restored reports whether kube-scheduler takes a claim for one without devices that it has given some, or was told has
// some, and has not taken them back.
func (s *State) restored(told *resourcev1.ResourceClaim) bool {
	is := told
	for _, u := range s.Unheard {
		if written, ok := u.Is.(*resourcev1.ResourceClaim); ok && u.Own && Key(written) == Key(told) {
			is = written
		}
	}
	return is.Status.Allocation != nil && slices.ContainsFunc(s.View().ResourceClaims,
		func(claim *resourcev1.ResourceClaim) bool {
			return Key(claim) == Key(told) && claim.Status.Allocation == nil
		})
}
