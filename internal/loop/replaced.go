package loop

import (
	"slices"

	v1 "k8s.io/api/core/v1"

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
	case t.Action.Ref.Kind != "Pod":
	case t.Action.Verb == Replace && (kept || t.After.Panicked != "" && was != nil && was.Spec.NodeName != ""):
		return replacedPodKept().Name
	case kept && t.missesAssumed():
		return missedAssumedDeletion().Name
	}
	return ""
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
			"is reserved for, until its time is over.",
		Explains: func(t *Transition, pod *v1.Pod) bool {
			return slices.ContainsFunc(claimsOf(pod, t.After.API), t.After.reservedForEarlier)
		},
	}
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
