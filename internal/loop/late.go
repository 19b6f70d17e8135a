package loop

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// writtenKinds are the kinds that kube-scheduler writes.
var writtenKinds = []string{"Pod", "PersistentVolume", "PersistentVolumeClaim", "ResourceClaim"}

// MayLag reports whether kube-scheduler may hear late of objects of the kind. Of templates of claims it does not hear.
func MayLag(kind string) bool { return kind != "ResourceClaimTemplate" }

// Unheard is a write that kube-scheduler has not heard of.
type Unheard struct {
	// Action is the write: that of somebody else, or one in its own words.
	Action
	// Was and Is are the object before and since; nil if there was none, or it is gone.
	Was, Is runtime.Object
	// Own: kube-scheduler made it. So it knows to which node it has bound a pod, and Nominates, if not nil, is the
	// nomination with which a pod came back from its cycle, which it takes for written. Of others that it writes it
	// waits to hear: of what a binding cycle begins with (KEP-5278), and of those that give way to a preemption.
	Own       bool
	Nominates *string
}

// binds returns the node to which kube-scheduler has bound the pod by the write; "" if that is not what it did.
func (u Unheard) binds(pod *v1.Pod) string {
	was, _ := u.Was.(*v1.Pod)
	is, _ := u.Is.(*v1.Pod)
	if !u.Own || was == nil || is == nil || was.UID != pod.UID || was.Spec.NodeName != "" {
		return ""
	}
	return is.Spec.NodeName
}

// boundUnheard returns the node to which kube-scheduler has bound the pod, which it has not heard of; "" if there is
// none.
func (s *State) boundUnheard(pod *v1.Pod) string {
	for _, u := range s.Unheard {
		if node := u.binds(pod); node != "" {
			return node
		}
	}
	return ""
}

// known returns a pod without a node as kube-scheduler has to see it: on the node where it is assumed, or was bound to
// by kube-scheduler itself, and with the nomination that it has. kube-scheduler need not hear of its own writes to
// know them, also where the cache has forgotten them.
func (s *State) known(pod *v1.Pod) *v1.Pod {
	node, nominated := cmp.Or(s.AssumedOn(Key(pod)), s.boundUnheard(pod)), pod.Status.NominatedNodeName
	if s.nominationOpen(pod) && Key(pod) != s.tried {
		nominated = s.nominatedTo(pod)
	}
	if node == "" && nominated == pod.Status.NominatedNodeName {
		return pod
	}
	pod = pod.DeepCopy()
	pod.Spec.NodeName, pod.Status.NominatedNodeName = node, nominated
	return pod
}

// trying returns the state as the cycle of the pod sees it, which has of its own nomination what it has heard.
func (s *State) trying(pod string) *State {
	if len(s.Unheard) == 0 && len(s.Unwritten) == 0 {
		return s
	}
	tried := *s
	tried.tried = pod
	return &tried
}

// nominatedTo returns the node to which the pod is nominated in the queue; "" if it is not.
func (s *State) nominatedTo(pod *v1.Pod) string {
	for _, pair := range s.Nominated {
		if pair.Pod == Key(pod) {
			return pair.Node
		}
	}
	return ""
}

// nominationOpen reports whether a nomination with which the pod came back from its cycle is not both written and heard
// of, or cannot be written, as the API server has the pod no longer. Until then the queue may have what it has heard,
// or what it writes: no document says which.
func (s *State) nominationOpen(pod *v1.Pod) bool { return s.unwritten(pod) || s.nominationUnheard(pod) }

// nominationUnheard reports whether that is for want of hearing, or of the pod.
func (s *State) nominationUnheard(pod *v1.Pod) bool {
	return len(s.Unheard) > 0 && (s.outdated(pod) || s.nominatedAlike(pod) ||
		slices.ContainsFunc(s.Unheard, func(u Unheard) bool {
			is, ok := u.Is.(*v1.Pod)
			return ok && is.UID == pod.UID && u.Nominates != nil
		}))
}

// nominatedAlike reports whether the queue has a nomination, or none, that kube-scheduler had no need to write, as
// somebody else had given it to the pod, or taken it away, which is unheard; or kube-scheduler has, for a preemption.
func (s *State) nominatedAlike(pod *v1.Pod) bool {
	is := s.Pod(Key(pod))
	return is != nil && is.UID == pod.UID &&
		is.Status.NominatedNodeName != pod.Status.NominatedNodeName &&
		is.Status.NominatedNodeName == s.nominatedTo(pod)
}

// nomination returns the last nomination with which the pod came back from its cycle in the step; nil if it did not.
func (t *Transition) nomination(pod *v1.Pod) *string {
	var last *string
	for _, u := range t.After.Unheard {
		is, ok := u.Is.(*v1.Pod)
		if ok && is.UID == pod.UID && u.Nominates != nil &&
			!slices.ContainsFunc(t.Before.Unheard, func(before Unheard) bool { return before.Is == u.Is }) {
			last = u.Nominates
		}
	}
	return last
}

// nominationStays reports whether nothing has happened in the step that could change the nomination of the pod, which
// is open: it was not tried, did not come back from a wait, nothing of pods was heard but of a time without nomination,
// and nothing began anew.
//
// Source: comment of UpdateNominatedPod in k8s.io/kubernetes/pkg/scheduler/backend/queue ("In this case, we need to
// keep reserving the NominatedNode").
func (t *Transition) nominationStays(pod *v1.Pod) bool {
	was, _ := t.Before.Queued(Key(pod))
	return t.Before.nominationOpen(pod) && t.Step.Popped != Key(pod) && !was.Waits && t.Action.Verb != Restart &&
		(t.Action.Ref.Kind != "Pod" || t.hearsOfEarlier(pod))
}

// hearsOfEarlier reports whether kube-scheduler hears of a change of the pod at a time when it had no nomination.
func (t *Transition) hearsOfEarlier(pod *v1.Pod) bool {
	if !t.Action.Heard || t.Action.Ref != RefOf(pod) {
		return false
	}
	i := slices.IndexFunc(t.Before.Unheard, func(u Unheard) bool { return u.Ref == t.Action.Ref })
	was, _ := t.Before.Unheard[i].Was.(*v1.Pod)
	is, _ := t.Before.Unheard[i].Is.(*v1.Pod)
	return was != nil && is != nil && is.UID == pod.UID && was.Status.NominatedNodeName+is.Status.NominatedNodeName == ""
}

// written reports whether the object, which is reserved, is as the API has it, or kube-scheduler has not heard of a
// write of its own to it.
func (s *State) written(object runtime.Object) bool {
	return slices.ContainsFunc(s.Unheard, func(u Unheard) bool { return u.Own && u.Ref == RefOf(object) }) ||
		slices.ContainsFunc(Objects(s.API), func(is runtime.Object) bool { return equality.Semantic.DeepEqual(is, object) })
}

// refused reports whether the API server refuses what the step does for its pod, or tells in its answer that it is of
// no use, for something that kube-scheduler has not heard of: the pod is not there any more, or an object that the
// step reports an error about, or a claim of devices of the pod, is another since.
func (t *Transition) refused(pod *v1.Pod) bool {
	return t.Before.outdated(pod) || slices.ContainsFunc(t.errors(), func(text string) bool {
		return slices.ContainsFunc(t.Before.Unheard, func(u Unheard) bool {
			return strings.Contains(text, fmt.Sprintf("%q", u.Ref.Name)) ||
				u.Ref.Kind == "ResourceClaim" && u.Was != nil && uses(pod, u.Was, t.Before.told())
		})
	})
}

// outdated reports whether the API server would refuse what kube-scheduler, which has not heard of it, does with the
// pod.
func (s *State) outdated(pod *v1.Pod) bool {
	is := s.Pod(Key(pod))
	return is == nil || is.UID != pod.UID || deleting(is) && !deleting(pod) || is.Spec.NodeName != ""
}

// told is what kube-scheduler has been told of what the API server has.
func (s *State) told() *spec.Snapshot {
	if s.Told != nil {
		return s.Told
	}
	return s.API
}

// unheardAbout reports whether kube-scheduler has not heard of all that was done to the object: what it writes of that
// then is refused.
func (s *State) unheardAbout(ref Ref) bool {
	return slices.ContainsFunc(s.Unheard, func(u Unheard) bool { return u.Ref == ref })
}

// claimBeforePod reports whether kube-scheduler hears that a claim is gone, and has not heard that the pod is gone
// which used it on its node: that event is still to come.
func (t *Transition) claimBeforePod() bool {
	claim := t.Action.Ref
	return t.Action.Heard && t.Action.Verb == Delete && claim.Kind == "PersistentVolumeClaim" &&
		slices.ContainsFunc(t.After.told().Pods, func(pod *v1.Pod) bool {
			return pod.Spec.NodeName != "" && t.After.Pod(Key(pod)) == nil && pod.Namespace == claim.Namespace &&
				slices.ContainsFunc(pod.Spec.Volumes, func(v v1.Volume) bool { return spec.ClaimName(pod, v) == claim.Name })
		})
}

// heard returns the pod of that key, as kube-scheduler has been told of it; nil if there is none.
func (s *State) heard(key string) *v1.Pod { return in(s.told(), key) }

// hears returns, for each kind of object of which changes are unheard, that kube-scheduler hears of the oldest. They
// come in the order of the kinds, as states are one in which changes of different kinds were made in another order.
func hears(state *State) []Action {
	var actions []Action
	for _, a := range state.Unheard {
		if !slices.ContainsFunc(actions, func(earlier Action) bool { return earlier.Ref.Kind == a.Ref.Kind }) {
			a.Heard = true
			actions = append(actions, a.Action)
		}
	}
	slices.SortFunc(actions, func(x, y Action) int { return cmp.Compare(x.Ref.Kind, y.Ref.Kind) })
	return actions
}

// inTime leaves out the writes of others to kinds of which as many changes are unheard as may be.
func (s *Scope) inTime(state *State, writes []Action) []Action {
	if s.Late == 0 {
		return writes
	}
	return slices.DeleteFunc(writes, func(a Action) bool {
		return a.Verb != Restart && MayLag(a.Ref.Kind) && state.unheardOf(a.Ref.Kind) >= s.Late
	})
}

// unheardOf returns how many changes of objects of the kind are unheard.
func (s *State) unheardOf(kind string) int {
	unheard := 0
	for _, u := range s.Unheard {
		if u.Ref.Kind == kind {
			unheard++
		}
	}
	return unheard
}

// mayTakeNext reports whether kube-scheduler may take a pod off its queue: it does so while as many changes of what it
// writes are unheard as may be, or nothing would come between its own writes and its hearing of them. So there are more
// of them by what one cycle writes.
func (s *Scope) mayTakeNext(state *State) bool {
	return s.Late == 0 ||
		!slices.ContainsFunc(writtenKinds, func(kind string) bool { return state.unheardOf(kind) > s.Late })
}

// canonicalUnheard says what kube-scheduler has not heard of yet; in which order changes of different kinds were made
// is nothing to it.
func (s *State) canonicalUnheard(text *strings.Builder) {
	unheard := slices.Clone(s.Unheard)
	slices.SortStableFunc(unheard, func(a, b Unheard) int { return cmp.Compare(a.Ref.Kind, b.Ref.Kind) })
	for _, u := range unheard {
		fmt.Fprintf(text, "unheard %s", u.Action)
		if u.Own {
			fmt.Fprintf(text, " by itself%s", nominating(u.Nominates))
		}
		if u.Was != nil {
			fmt.Fprintf(text, " of %s", s.canonical(u.Was))
		}
		if u.Is != nil {
			fmt.Fprintf(text, " to %s", s.canonical(u.Is))
		}
		text.WriteByte('\n')
	}
}
