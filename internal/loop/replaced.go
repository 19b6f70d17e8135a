package loop

import (
	"cmp"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// replacedPodKept is the defect that a pod which is made anew is taken for the one that was there before.
func replacedPodKept() Known {
	return Known{
		Name: "replaced-pod-kept", Class: spec.Reported, Upstream: "kubernetes/kubernetes#141255",
		Doc: "A pod that is deleted and made anew under its name while the watch is broken is heard of as one change, " +
			"and taken for the same pod: if it had a node, kube-scheduler ends its process (from v1.35 on); if not, it may " +
			"keep the old one, too.",
	}
}

// keeps returns the defect by which in the step kube-scheduler ends, or goes on with a pod that is gone, whatever that
// leads to in it; "" if it does not.
func (t *Transition) keeps() string {
	was, kept := t.Before.heard(t.Action.Ref.Key()), len(t.After.Kept) > 0
	switch {
	case t.Began != nil && kept:
		event := Transition{Model: t.Model, Before: t.Began, Action: *t.Action.Meanwhile, After: t.Before}
		return cmp.Or(event.keeps(), t.has(t.outlives()))
	case t.Action.Ref.Kind != "Pod":
	case t.Action.Verb == Replace && (kept || t.After.Panicked != "" && was != nil && was.Spec.NodeName != ""):
		return replacedPodKept().Name
	case kept && t.missesAssumed():
		return missedAssumedDeletion().Name
	case kept && t.Before.boundAsItWaits(t.Action.Ref.Key()):
		return t.has(boundWaitsOn().Name)
	case kept && t.Action.Verb == Write && t.Before.bindsReplaced(t.Action.Ref.Key()):
		return t.has(earlierFailureRequeues)
	}
	return ""
}

// boundWaitsOn is the defect that a pod which somebody else binds as it waits on permit waits on, whatever happens.
func boundWaitsOn() Known {
	return Known{
		Name: "bound-waits-on", Class: spec.Unconfirmed, Since: "v1.35",
		Upstream: "not reported; kubernetes/kubernetes#84578 rejects a waiting pod that is deleted without a node",
		Doc: "When somebody else binds a pod that waits on permit, kube-scheduler no longer takes it for assumed: it goes " +
			"on waiting, also when it ends or is deleted, until the time of its wait is over; chosen as a victim it is " +
			"taken from its wait in the place of being evicted.",
		Explains: func(t *Transition, pod *v1.Pod) bool {
			return t.Step.Popped == Key(pod) && slices.ContainsFunc(t.Before.Queue, func(q Queued) bool {
				is, _ := t.After.Queued(q.Pod)
				return t.Before.boundAsItWaits(q.Pod) && !is.Waits
			})
		},
	}
}

// boundAsItWaits reports whether somebody else has bound the pod, and it waits on permit.
func (s *State) boundAsItWaits(pod string) bool {
	was := s.heard(pod)
	return was != nil && was.Spec.NodeName != "" && slices.ContainsFunc(s.Queue, func(q Queued) bool {
		return q.Pod == pod && q.Waits && !q.Volumes && !q.Devices && !q.Binds
	})
}

// missedAssumedDeletion is the defect that a pod which is gone goes on to be bound if that was missed.
func missedAssumedDeletion() Known {
	return Known{
		Name: "missed-assumed-deletion", Class: spec.Unconfirmed, Upstream: "not reported",
		Doc: "When a pod is deleted while its binding is under way and the watch is broken, kube-scheduler takes it out of " +
			"its cache, and so no longer sees that it was assumed: a pod that waits on permit goes on waiting, and who is " +
			"told of its room takes it for one without a node.",
		Explains: func(t *Transition, _ *v1.Pod) bool { return t.missesAssumed() },
	}
}

// missesAssumed reports whether kube-scheduler hears in the step that an assumed pod is gone, after it missed that.
func (t *Transition) missesAssumed() bool {
	return t.Action.Missed && t.Action.Ref.Kind == "Pod" && t.Before.AssumedOn(t.Action.Ref.Key()) != ""
}

// remadeClaimAwaited is the defect that a pod waits for the volume of a claim that is another one by then.
func remadeClaimAwaited() Known {
	return Known{
		Name: "remade-claim-awaited", Class: spec.Unconfirmed, Upstream: "not reported",
		Doc: "When a claim that a volume is reserved for is deleted and made anew while its pod waits, before " +
			"kube-scheduler has looked again or while the watch is broken, the pod waits for the new one, which nothing " +
			"is reserved for, until its time is over; so it does when the volume is made anew for another claim.",
		Explains: func(t *Transition, pod *v1.Pod) bool {
			return slices.ContainsFunc(claimsOf(pod, t.After.API), t.After.reservedForEarlier) ||
				slices.ContainsFunc(claimsOf(pod, t.Before.API), t.reservedElsewhere)
		},
	}
}

// reservedElsewhere reports whether the step makes the volume anew that was reserved for the claim, for another one.
func (t *Transition) reservedElsewhere(claim *v1.PersistentVolumeClaim) bool {
	volume, made := t.Action.Object.(*v1.PersistentVolume)
	was := spec.VolumeNamed(t.Action.Ref.Name, t.Before.API)
	return made && t.Action.Verb == Replace && claim != nil && was != nil && reservedFor(was, claim) &&
		volume.Spec.ClaimRef != nil && volume.Spec.ClaimRef.UID != "" && !reservedFor(volume, claim)
}

// remadeClaimUnheard is the defect that a claim which is another one by then wakes nobody.
func remadeClaimUnheard() Known {
	return Known{
		Name: "remade-claim-unheard", Class: spec.Unconfirmed, Upstream: "not reported",
		Doc: "A claim for devices that is deleted and made anew while the watch is broken, with requests that can be " +
			"met, is heard of as one change; the hint of DynamicResources skips changes that leave the status as it was, " +
			"and the pod that waits for the claim is not retried. NodeVolumeLimits hears of claims for volumes that come, " +
			"and not of changes, either.",
		Explains: func(t *Transition, pod *v1.Pod) bool {
			switch claim := t.Action.Object.(type) {
			case *resourcev1.ResourceClaim:
				return t.Action.Verb == Replace && t.rejectedBy(pod, "DynamicResources") && namesClaim(pod, claim)
			case *v1.PersistentVolumeClaim:
				return t.Action.Verb == Replace && t.rejectedBy(pod, "NodeVolumeLimits") &&
					slices.ContainsFunc(claimsOf(pod, t.After.API), func(uses *v1.PersistentVolumeClaim) bool {
						return uses != nil && Key(uses) == Key(claim)
					})
			}
			return false
		},
	}
}

// remadeClaimWritten is the defect that devices are written to a claim that is another one by then.
func remadeClaimWritten() Known {
	return Known{
		Name: "remade-claim-written", Class: spec.Unconfirmed, Upstream: "not reported",
		Doc: "A claim for devices that is deleted and made anew when devices have been chosen for it, before they are " +
			"written, is given them, whatever it requests: after the conflict kube-scheduler reads the claim anew, and does " +
			"not look whether it is the same.",
	}
}

// writtenToOthers returns the violations of claims whose devices were chosen for another claim of the name, which is
// gone.
func (t *Transition) writtenToOthers() (broken []Violation) {
	for _, claim := range newlyAllocated(t.Before.API, t.After.API) {
		if t.chosenForEarlier(claim) {
			broken = append(broken, Violation{About: "another", Known: t.has(remadeClaimWritten().Name), But: fmt.Sprintf(
				"the allocation of claim %s is written, which is not the claim of that name that it was made for", Key(claim))})
		}
	}
	return broken
}

// chosenForEarlier reports whether the allocation was made for an earlier claim of the name: the scheduler has not
// heard of this one, or had the devices for a claim that is not there.
func (t *Transition) chosenForEarlier(claim *resourcev1.ResourceClaim) bool {
	named := func(c *resourcev1.ResourceClaim) bool { return RefOf(c) == RefOf(claim) }
	if slices.ContainsFunc(t.filteredIn().told().ResourceClaims, func(told *resourcev1.ResourceClaim) bool {
		return named(told) && told.UID != claim.UID
	}) {
		return true
	}
	devices := claim.Status.Allocation.Devices.Results
	return t.Action.Verb != Schedule && slices.ContainsFunc(t.Before.API.ResourceClaims, named) && len(devices) > 0 &&
		!slices.Contains(t.Before.reservedRefs(), RefOf(claim)) &&
		slices.ContainsFunc(t.Before.Reserved, func(r Reservation) bool {
			unmade, is := r.Object.(*resourcev1.ResourceClaim)
			return is && unmade.Name == Unmade && slices.ContainsFunc(unmade.Status.Allocation.Devices.Results,
				func(d resourcev1.DeviceRequestAllocationResult) bool {
					return d.Driver == devices[0].Driver && d.Pool == devices[0].Pool && d.Device == devices[0].Device
				})
		})
}

// namesClaim reports whether the pod uses a claim for devices of that name.
func namesClaim(pod *v1.Pod, claim *resourcev1.ResourceClaim) bool {
	is := func(name *string) bool { return name != nil && *name == claim.Name }
	return pod.Namespace == claim.Namespace &&
		(slices.ContainsFunc(pod.Spec.ResourceClaims, func(c v1.PodResourceClaim) bool { return is(c.ResourceClaimName) }) ||
			slices.ContainsFunc(pod.Status.ResourceClaimStatuses,
				func(status v1.PodResourceClaimStatus) bool { return is(status.ResourceClaimName) }))
}

// reservedForEarlier reports whether a volume is reserved for a claim of the name that is gone.
func (s *State) reservedForEarlier(claim *v1.PersistentVolumeClaim) bool {
	return claim != nil && slices.ContainsFunc(s.API.PersistentVolumes, func(volume *v1.PersistentVolume) bool {
		of := volume.Spec.ClaimRef
		return of != nil && of.UID != "" && of.UID != claim.UID && of.Namespace+"/"+of.Name == Key(claim)
	})
}

// replaced returns that the pod is made anew under its name, as a StatefulSet does it, of the kind that it is numbered
// of; nothing if it is of none.
func (s *Scope) replaced(pod *v1.Pod) []Action {
	var actions []Action
	for _, kind := range s.Templates.Pods {
		if kind.Namespace == pod.Namespace && like(pod.Name, kind.Name) {
			actions = append(actions, Action{Verb: Replace, Ref: RefOf(pod), Object: arriving(kind, pod.Name)})
		}
	}
	return actions
}

// arriving returns a pod like the kind, of that name, as it is created.
func arriving(kind *v1.Pod, name string) *v1.Pod {
	pod := new(v1.Pod)
	*pod = *kind // nobody changes what both have
	pod.Name, pod.UID, pod.ResourceVersion, pod.Spec.NodeName = name, "", "", ""
	pod.Status, pod.DeletionTimestamp, pod.DeletionGracePeriodSeconds = v1.PodStatus{}, nil, nil
	return pod
}

// replacedKinds are the kinds of which somebody other than the pod keeps what is decided: to the others a change is a
// change.
var replacedKinds = []string{"PersistentVolume", "PersistentVolumeClaim", "ResourceClaim"}

// alsoMissed adds to the actions each removal among them once more as one that is missed, where that may happen.
func (s *Scope) alsoMissed(state *State, used Used, actions []Action) []Action {
	if !slices.Contains(s.Happens, Missed) || used.Events >= s.Events {
		return actions
	}
	for _, a := range actions {
		if !a.Heard && state.removes(a) {
			a.Missed = true
			actions = append(actions, a)
		}
	}
	return actions
}

// removes reports whether after the action the object is not there any more, for those who watch its kind.
func (s *State) removes(a Action) bool {
	switch a.Verb {
	case Gone, Complete:
		return true
	case Delete:
		pod := s.Pod(a.Ref.Key())
		return a.Ref.Kind != "Pod" || pod != nil && pod.Spec.NodeName == "" && len(pod.Finalizers) == 0
	}
	return false
}
