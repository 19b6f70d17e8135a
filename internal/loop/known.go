package loop

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// Known is a known defect of kube-scheduler between decisions. Defects of decisions are spec's Quirks.
type Known struct {
	Name string
	// Class says who holds that it is one.
	Class spec.Class
	// Upstream is where it is known, or how it was found.
	Upstream string
	// Doc says in a sentence what kube-scheduler does instead of what is documented.
	Doc string
	// Since is the minor release that it came with, such as "v1.37", and Mended that which has it no more, or the patch
	// release; empty if all have it.
	Since, Mended string
	// Explains reports whether the violation by the pod in that step is this defect; nil if no step violates
	// anything by it.
	Explains func(t *Transition, pod *v1.Pod) bool
	// Sees returns what kube-scheduler decides by about the pod instead of the state, if that is something else; nil if it
	// is not.
	Sees func(s *State, pod *v1.Pod) *spec.Snapshot
	// Keeps reports whether by this defect the pod, which the step has taken, keeps its nomination; nil if it is
	// not about that.
	Keeps func(t *Transition, pod *v1.Pod) bool
	// Forgets reports whether by this defect the pod, which the queue has so, is never tried again by itself; nil if it
	// is not about that.
	Forgets func(q Queued) bool
}

// claimBoundTwice is the name of a defect that ends binding cycles.
const claimBoundTwice = "claim-bound-twice"

// nominatedNodeGone is the name of the defect that the property no-errors tells by what is reported.
const nominatedNodeGone = "nominated-node-gone"

// In reports whether the release, such as "v1.36.3", has the defect. All are in no release, which is "".
func (k Known) In(release string) bool {
	return spec.Quirk{Since: k.Since, Mended: k.Mended}.In(release)
}

// defects returns the known defects of the release that the step was taken in.
func (t *Transition) defects() []Known { return defectsOf(t.Model) }

// defectsIn has the known defects by release, as every step asks for them.
var defectsIn sync.Map

// defectsOf returns the known defects of the model's release, which are not to be changed.
func defectsOf(m *spec.Scheduler) []Known {
	release := m.Profile.Release
	known, there := defectsIn.Load(release)
	if !there {
		known, _ = defectsIn.LoadOrStore(release,
			slices.DeleteFunc(Defects(), func(k Known) bool { return !k.In(release) }))
	}
	defects, _ := known.([]Known)
	return defects
}

// Defects returns the known defects of kube-scheduler, of all releases.
func Defects() []Known {
	return append(append(evictionDefects(), mended()...), []Known{
		failureToldLate(), boundToldFailed(), returnedClaimsFree(), lostNodeUnheard(), replacedPodKept(),
		deletedWhileTried(), missedAssumedDeletion(), boundWaitsOn(), remadeClaimAwaited(), remadeClaimUnheard(),
		remadeClaimWritten(), freesShared(), takenForWritten(), reservationTakenForWritten(),
		leavesWaiting(),
		{
			Name: "hint-first-pod", Class: spec.Reported, Upstream: "kubernetes/kubernetes#141354",
			Doc: "When the last pod that matches a pod's required affinity to its own kind goes, or stops to match, " +
				"the pod may start a group of its own, at once or by evicting those that still match; the hint of " +
				"InterPodAffinity skips the event.",
			Explains: func(t *Transition, pod *v1.Pod) bool {
				return t.rejectedBy(pod, "InterPodAffinity") && t.Action.Ref.Kind == "Pod" &&
					t.matches(pod, pod, t.After.View()) && t.groupEnds(pod)
			},
		},
		{
			Name: "hint-anti-affinity-of-others", Class: spec.Unconfirmed,
			Upstream: "not reported; kubernetes/kubernetes#135325 mended it for pods that go",
			Doc: "The hint of InterPodAffinity for nodes looks at the terms of the pending pod only: when a node comes, " +
				"or changes its labels, so that the anti-affinity of other pods leaves it a place, the pod is not retried.",
			Explains: func(t *Transition, pod *v1.Pod) bool {
				alone := withoutAntiAffinityOfOthers(t.Before.View(), Key(pod))
				return t.rejectedBy(pod, "InterPodAffinity") && t.Action.Ref.Kind == "Node" &&
					(len(affinityTerms(pod)) == 0 || feasible(t.Model, Key(pod), alone) ||
						!feasible(t.Model, Key(pod), t.After.View()) && mayPreempt(t.Model, Key(pod), alone))
			},
		},
		{
			Name: "hint-namespace-selector", Class: spec.Reported, Upstream: "kubernetes/kubernetes#141953",
			Doc: "The hint of InterPodAffinity does not resolve the namespaceSelector of a term, of the pod itself " +
				"or of the pod that goes: a pod in a namespace that the selector selects is skipped.",
			Explains: func(t *Transition, pod *v1.Pod) bool {
				terms := append(affinityTerms(pod), affinityTerms(t.Before.heard(t.Action.Ref.Key()))...)
				if t.Action.Ref.Kind == "Node" && t.affinityHeld(pod) { // an event of any other pod was missed
					for _, other := range t.Before.View().Pods {
						terms = append(terms, affinityTerms(other)...)
					}
				}
				return t.rejectedBy(pod, "InterPodAffinity") &&
					(t.Action.Ref.Kind != "Node" || t.affinityHeld(pod)) && t.Action.Ref.Kind != "Namespace" &&
					slices.ContainsFunc(terms,
						func(term v1.PodAffinityTerm) bool { return term.NamespaceSelector != nil })
			},
		},
		{
			Name: "hint-anti-affinity-all-terms", Class: spec.Reported,
			Upstream: "kubernetes/kubernetes#139161", Mended: "v1.37",
			Doc: "One term of required anti-affinity is enough to keep two pods apart, but the hint of InterPodAffinity " +
				"retries a pod only if all terms matched the pod that goes or changes, or all terms of that one the pod.",
			Explains: func(t *Transition, pod *v1.Pod) bool {
				other, view := t.Before.heard(t.Action.Ref.Key()), t.Before.View()
				return t.rejectedBy(pod, "InterPodAffinity") && t.Action.Ref.Kind == "Pod" && other != nil &&
					(matchesSome(pod, other, view) || matchesSome(other, pod, view))
			},
		},
		{
			Name: "hint-anti-affinity-term-left", Class: spec.Unconfirmed,
			Upstream: "not reported; kubernetes/kubernetes#139161 made it so", Since: "v1.37",
			Doc: "When the labels of a bound pod change, the hint of InterPodAffinity retries a pod only if no term of its " +
				"required anti-affinity matches the other any more; that one is left, of another topology, is enough to skip.",
			Explains: func(t *Transition, pod *v1.Pod) bool {
				key := t.Action.Ref.Key()
				was, is, view := t.Before.heard(key), t.After.heard(key), t.Before.View()
				return t.rejectedBy(pod, "InterPodAffinity") && t.Action.Ref.Kind == "Pod" && t.Action.Verb == Update &&
					was != nil && is != nil && leavesTerm(pod, was, is, view)
			},
		},
		{
			Name: "namespace-labels-unheard", Class: spec.Reported, Upstream: "kubernetes/kubernetes#141953",
			Doc: "No plugin hears of changes of namespaces: when a namespace gets labels that a namespaceSelector " +
				"selects, or loses them, no pod is retried.",
			// one that comes is heard of after its pods, or goes before them, only where informers lag
			Explains: func(t *Transition, _ *v1.Pod) bool { return t.Action.Ref.Kind == "Namespace" },
		},
		{
			Name: "hint-spread-terminating", Class: spec.Unconfirmed, Upstream: "not reported",
			Doc: "A pod that begins to terminate no longer counts for topology spread, but no event tells of it: " +
				"pods that could start now wait until it is gone.",
			Explains: func(t *Transition, pod *v1.Pod) bool {
				begins := append(t.evicted(), t.Action.Ref.Key()) // deleted, or evicted for the pod itself
				return t.rejectedBy(pod, "PodTopologySpread") && (t.Action.Verb == Delete || t.Action.Verb == Schedule) &&
					slices.ContainsFunc(begins, func(key string) bool {
						is := t.After.heard(key)
						return is != nil && is.DeletionTimestamp != nil
					})
			},
		},
		{
			Name: "hint-spread-eligibility", Class: spec.Unconfirmed, Upstream: "not reported",
			Doc: "The hint of PodTopologySpread ignores changes of a node's labels that change whether the node " +
				"counts for the pod, if its topology keys stay.",
			Explains: func(t *Transition, pod *v1.Pod) bool {
				return t.rejectedBy(pod, "PodTopologySpread") && t.Action.Ref.Kind == "Node" &&
					t.Action.Verb == Update &&
					t.keepsTopology(pod)
			},
		},
		{
			Name: "nominated-bound-elsewhere", Class: spec.Reported, Upstream: "kubernetes/kubernetes#134859",
			Doc: "When a nominated pod is bound to another node, by somebody else or as it does not fit there any more, " +
				"nobody is told that the node it was nominated to is free.",
			Explains: func(t *Transition, pod *v1.Pod) bool {
				key := cmp.Or(t.Step.Popped, t.Action.Ref.Key())
				was, is := t.Before.heard(key), t.After.heard(key)
				if t.Action.Verb != Schedule && (t.Action.Verb != Update || t.Action.Ref.Kind != "Pod") || was == nil || is == nil {
					return false
				}
				node := cmp.Or(is.Spec.NodeName, t.After.AssumedOn(key))
				return key != Key(pod) && was.Spec.NodeName == "" && was.Status.NominatedNodeName != "" && node != "" &&
					node != was.Status.NominatedNodeName
			},
		},
		{
			Name: "volume-reservation-freed", Class: spec.Unconfirmed, Upstream: "not reported",
			Doc: "When the reservation of a volume is given up, as the pod it was for fails or is deleted before its " +
				"binding, no event tells the pods that were rejected for want of that volume.",
			Explains: func(t *Transition, pod *v1.Pod) bool {
				return t.rejectedBy(pod, "VolumeBinding") &&
					len(without(t.Before.reservedRefs(), t.After.reservedRefs())) > 0
			},
		},
		{
			Name: "hint-disk-other-namespace", Class: spec.Unconfirmed, Upstream: "not reported",
			Doc: "Disks are not namespaced, but the hint of VolumeRestrictions skips pods of other namespaces: when one goes " +
				"whose disk the pod wants, the pod is not retried.",
			Explains: func(t *Transition, pod *v1.Pod) bool {
				gone := t.Before.heard(t.Action.Ref.Key())
				return t.rejectedBy(pod, "VolumeRestrictions") && t.Action.Ref.Kind == "Pod" && gone != nil &&
					gone.Namespace != pod.Namespace && sharesDisk(pod, gone)
			},
		},
		{
			Name: "driver-gone-unheard", Class: spec.Unconfirmed, Upstream: "not reported",
			Doc: "VolumeBinding does not hear that a CSIDriver is deleted: a pod that was rejected for want of the storage " +
				"capacity that the driver was to report, and that nobody asks for any more, is not retried.",
			Explains: deletionUnheard("VolumeBinding", "CSIDriver"),
		},
		hintDriverOfClaims(), volumeGoneUnheard(), sliceGoneUnheard(),
		limitsNodeUnheard(), limitsPodUnheard(), limitsDriverUnheard(), hintUnlimitedDriver(),
		hintEphemeralAttachment(), ephemeralSigned(), earlierClaimUnheard(), statusKeepsClaim(), anotherVolumeBound(),
		preemptorCircles(),
		{
			Name: "device-reservation-freed", Class: spec.Unconfirmed, Upstream: "not reported",
			Doc: "When the reservation of devices is given up, as the pod it was for fails or is deleted before they are " +
				"written to a claim, no event tells the pods that were rejected for want of these devices.",
			Explains: func(t *Transition, pod *v1.Pod) bool {
				claims := slices.ContainsFunc(without(t.Before.reservedRefs(), t.After.reservedRefs()),
					func(ref Ref) bool { return ref.Kind == "ResourceClaim" })
				return t.rejectedBy(pod, "DynamicResources") && (claims || t.After.unmade() < t.Before.unmade())
			},
		},
		{
			Name: claimBoundTwice, Class: spec.Unconfirmed, Upstream: "not reported",
			Doc: "A claim that two volumes of a pod name is bound, or provisioned for, once for each: the second write meets " +
				"the first, and the pod's binding cycle ends in an error.",
			Explains: func(t *Transition, pod *v1.Pod) bool { return t.bindsTwice(pod) },
		},
		{
			Name: allocationTimeAdded, Class: spec.Unconfirmed, Upstream: "not reported",
			Doc: "To reserve a claim that is allocated already, kube-scheduler sets the time of its allocation if there is " +
				"none, which an API server refuses: no further pod can use a claim that v1.35 or earlier allocated.",
			Explains: func(t *Transition, pod *v1.Pod) bool {
				return t.claimsUnbound() && t.unboundBy(pod, t.Before.View()) == allocationTimeAdded
			},
		},
		{
			Name: emptyClaimUnbound, Class: spec.Unconfirmed, Upstream: "not reported",
			Doc: "For a pod with a claim of its own, and an extended resource that a device class stands for and the node has " +
				"by a device plugin, a claim for no devices is made, with which the pod's binding cycle ends in an error.",
			Explains: func(t *Transition, _ *v1.Pod) bool { return t.emptyClaim() },
		},
		{
			Name: "gated-nomination", Class: spec.Interpretation, Upstream: "kubernetes/kubernetes#139057", Mended: "v1.37",
			Doc: "The nomination of a pod that waits for scheduling gates, or is kept out of the queue for want of a claim, " +
				"reserves nothing, nor does it once the claim is there.",
			Explains: func(t *Transition, pod *v1.Pod) bool { return t.After.gatedNomination(pod) },
			Sees: func(s *State, _ *v1.Pod) *spec.Snapshot {
				if !slices.ContainsFunc(s.told().Pods, s.gatedNomination) {
					return nil
				}
				return withoutNominations(s.View(), s.gatedNomination)
			},
		},
		{
			Name: hostPortForgotten, Class: spec.Unconfirmed, Upstream: "not reported",
			Doc: "When one of two pods of a node that have the same host port goes, the cache takes the port for free: " +
				"it keeps a set of ports.",
			Explains: func(t *Transition, pod *v1.Pod) bool { return t.takesForgottenPort(pod) },
			Sees:     func(s *State, _ *v1.Pod) *spec.Snapshot { return withoutForgottenPorts(s) },
		},
		{
			Name: "dry-run-rejection-forgotten", Class: spec.Unconfirmed, Upstream: "not reported",
			Doc: "The queue remembers which filters rejected a pod in its cycle, not those by which preemption does not " +
				"help: when that changes, so that the pod can preempt, it is not retried.",
			Explains: func(t *Transition, pod *v1.Pod) bool { return t.dryRunForgotten(pod) },
		},
		{
			Name: "batch-outdated", Class: spec.ByDesign, Upstream: "accepted by KEP-5598 (\"some amount of staleness\")",
			Doc: "A pod that is equal to the one before goes to the best node that this left, if it still fits there, " +
				"without a look at what has changed on others in the meantime, also by a pod that waited on permit and is " +
				"rejected; for half a second.",
			Explains: func(t *Transition, pod *v1.Pod) bool { return t.takesOutdated(pod) },
		},
		imageCountOutdated(), classForgotten(), scaleDownOverflows(), assumedChangesUnheard(), nominatedChangesUnheard(),
		hintAddedAffinity(), hintIgnoredResource(), defaultSpreadUnheard(), hintSpreadLabels(), classGoneUnheard(),
		restoredOutdated(), countedTwice(), reservedApart(),
		{
			Name: postFilterErrorSleeps, Class: spec.Unconfirmed, Upstream: "not reported",
			Doc: "A pod for which a PostFilter plugin ends in an error, such as a write that the API server refuses, is put " +
				"into unschedulablePods as one that the filters rejected, and is not retried, where after an error of any " +
				"other plugin it is retried when its backoff is over.",
		},
		{
			Name: nominatedNodeGone, Class: spec.Interpretation, Upstream: "not reported",
			Doc: "When the node that a pod is nominated to, or that an equal pod left for it, is gone, the next attempt " +
				"reports an error; nothing else is wrong with it.",
		},
		{
			Name: "never-keeps-nomination", Class: spec.Unconfirmed, Upstream: "not reported",
			Doc: "A nominated pod whose preemptionPolicy is Never keeps its nomination, and so its room, when it is " +
				"tried and fits no node, however often.",
			Keeps: func(t *Transition, pod *v1.Pod) bool {
				return !spec.Preempts(pod) && !feasible(t.Model, Key(pod), t.Before.View())
			},
		},
	}...)
}

// withoutNominations returns the view in which such pods, if they have no node, hold no nominations.
func withoutNominations(view *spec.Snapshot, such func(*v1.Pod) bool) *spec.Snapshot {
	less := *view
	less.Pods = nil
	for _, pod := range view.Pods {
		if such(pod) && pod.Spec.NodeName == "" {
			pod = pod.DeepCopy()
			pod.Status.NominatedNodeName = ""
		}
		less.Pods = append(less.Pods, pod)
	}
	return &less
}

// reservedRefs returns the volumes and claims that are reserved.
func (s *State) reservedRefs() []Ref {
	var refs []Ref
	for _, object := range s.Reserved {
		refs = append(refs, RefOf(object.Object))
	}
	return refs
}

// keepsTopology reports whether the update of a node leaves its taints, and the topology keys of the pod's spread
// constraints, as they are.
func (t *Transition) keepsTopology(pod *v1.Pod) bool {
	was, is := nodeOf(t.Before, t.Action.Ref.Name), nodeOf(t.After, t.Action.Ref.Name)
	return was != nil && is != nil && equality.Semantic.DeepEqual(was.Spec.Taints, is.Spec.Taints) &&
		!slices.ContainsFunc(pod.Spec.TopologySpreadConstraints, func(c v1.TopologySpreadConstraint) bool {
			return was.Labels[c.TopologyKey] != is.Labels[c.TopologyKey]
		})
}

// explained returns the violation with the known defect that explains it, if there is one.
func (v Violation) explained(t *Transition) Violation {
	if v.Known != "" {
		return v
	}
	pod := t.After.heard(v.Pod)
	for _, defect := range t.defects() {
		if pod != nil && defect.Explains != nil && defect.Explains(t, pod) {
			v.Known = defect.Name
			return v
		}
	}
	if pod != nil && t.bindsUnconverted(pod) {
		v.Known = spec.UnboundUnconverted().Name
	}
	return v
}

// bindsTwice reports whether the step ended in an error as a claim was bound twice for the pod.
func (t *Transition) bindsTwice(pod *v1.Pod) bool {
	return namesClaimTwice(pod) && slices.ContainsFunc(t.errors(), func(text string) bool {
		return strings.Contains(text, `PreBind plugin "VolumeBinding": Operation cannot be fulfilled`)
	})
}

// sharesDisk reports whether the pods have a disk that is one pod's at a time.
func sharesDisk(pod, other *v1.Pod) bool {
	return slices.ContainsFunc(pod.Spec.Volumes, func(a v1.Volume) bool {
		return slices.ContainsFunc(other.Spec.Volumes, func(b v1.Volume) bool { return spec.SameDisk(a, b) })
	})
}

// namesClaimTwice reports whether two volumes of the pod are the same claim.
func namesClaimTwice(pod *v1.Pod) bool {
	named := map[string]bool{}
	for _, volume := range pod.Spec.Volumes {
		if source := volume.PersistentVolumeClaim; source != nil {
			if named[source.ClaimName] {
				return true
			}
			named[source.ClaimName] = true
		}
	}
	return false
}

func (t *Transition) rejectedBy(pod *v1.Pod, plugin string) bool {
	q, _ := t.After.Queued(Key(pod))
	return slices.Contains(q.Rejectors, plugin)
}

// gatedNomination reports whether the pod is nominated and not let into the queue, or was for the sake of a claim that
// came, and the queue does not have the nomination.
func (s *State) gatedNomination(pod *v1.Pod) bool {
	q, _ := s.Queued(Key(pod))
	let := (q.In(Active) || q.In(BackingOff)) && slices.Contains(q.Rejectors, "DynamicResources")
	return pod.Status.NominatedNodeName != "" && (spec.Gated(pod) || q.In(Gated) || let) && s.nominatedTo(pod) == ""
}
