package loop

import (
	"slices"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// These are the names of defects that the properties tell which they break.
const (
	configurationRepeated    = "configuration-repeated"
	classConfigurationForAll = "class-configuration-for-all"
	nominatedNowhere         = "nominated-nowhere"
	earlierFailureRequeues   = "earlier-failure-requeues"
)

// has returns the name of the defect if the release that the step was taken in has it; empty if not.
func (t *Transition) has(name string) string {
	if slices.ContainsFunc(t.defects(), func(k Known) bool { return k.Name == name }) {
		return name
	}
	return ""
}

// mended are known defects that the newest release has no more, of which others of the list would explain too much.
func mended() []Known {
	return []Known{
		{
			Name: "hint-own-labels", Class: spec.Reported, Upstream: "kubernetes/kubernetes#135394", Mended: "v1.36",
			Doc: "The hint of InterPodAffinity takes a change of the pending pod's own labels for one of a pod that is on " +
				"no node, and skips it: when the anti-affinity of others matches the pod no more, it is not retried.",
			Explains: func(t *Transition, pod *v1.Pod) bool {
				return t.rejectedBy(pod, "InterPodAffinity") && t.Action.Verb == Update && t.Action.Ref == RefOf(pod)
			},
		},
		{
			Name: "hint-anti-affinity-of-gone", Class: spec.Reported, Upstream: "kubernetes/kubernetes#135325", Mended: "v1.36",
			Doc: "When a pod goes, the hint of InterPodAffinity looks at the anti-affinity of the pending pod only: if it " +
				"was that of the pod that goes which kept the other away, this is not retried.",
			Explains: func(t *Transition, pod *v1.Pod) bool {
				gone, view := t.Before.heard(t.Action.Ref.Key()), t.Before.View()
				return t.rejectedBy(pod, "InterPodAffinity") && t.Action.Ref.Kind == "Pod" && t.leaves() &&
					slices.ContainsFunc(requiredAntiTerms(gone),
						func(term v1.PodAffinityTerm) bool { return spec.MatchesPod(term, gone, pod, view) })
			},
		},
		{
			Name: "hint-nominated-skipped", Class: spec.Reported, Upstream: "kubernetes/kubernetes#135392", Mended: "v1.36",
			Doc: "A nominated pod is respected as if it were on its node, but when it goes, or its nomination does, the hints " +
				"of InterPodAffinity and PodTopologySpread skip it as a pod on no node: who was rejected for its sake is not " +
				"retried.",
			Explains: func(t *Transition, pod *v1.Pod) bool {
				return t.rejectedBySome(pod, "InterPodAffinity", "PodTopologySpread") &&
					slices.ContainsFunc(t.Before.told().Pods, func(was *v1.Pod) bool {
						is, node := t.After.heard(Key(was)), was.Status.NominatedNodeName
						return node != "" && was.Spec.NodeName == "" && Key(was) != Key(pod) &&
							(is == nil || is.Spec.NodeName == "" && is.Status.NominatedNodeName != node)
					})
			},
		},
		{
			Name: "claim-deletion-unheard", Class: spec.Reported, Upstream: "kubernetes/kubernetes#140831", Mended: "v1.37",
			Doc: "DynamicResources hears of claims that give their devices back, but not of those that are deleted with " +
				"them: pods that were rejected for want of these devices are not retried.",
			Explains: deletionUnheard("DynamicResources", "ResourceClaim"),
		},
		{
			Name: configurationRepeated, Class: spec.Reported, Upstream: "kubernetes/kubernetes#139732", Mended: "v1.37",
			Doc: "An allocation has the configuration that a claim gives to several of its requests once for each of them.",
		},
		{
			Name: classConfigurationForAll, Class: spec.Reported, Upstream: "kubernetes/kubernetes#134793",
			Mended: "v1.34.2",
			Doc: "An allocation has the configuration of a device class for all requests of the claim, once for each of them, " +
				"though it is for devices of that class.",
		},
		{
			Name: nominatedNowhere, Class: spec.Reported, Upstream: "kubernetes/kubernetes#139904", Mended: "v1.37",
			Doc: "A pod whose nomination is cleared stays with the nominations of the queue, under a node without name, until " +
				"it is bound, nominated or gone.",
		},
		{
			Name: "preempted-unheard", Class: spec.Reported, Upstream: "kubernetes/kubernetes#135719", Mended: "v1.36",
			Doc: "A pod that is preempted while it waits on permit counts as rejected by DefaultPreemption, of which no event " +
				"tells anything for it: when a node is feasible again, the pod is not retried.",
			Explains: func(t *Transition, pod *v1.Pod) bool { return t.rejectedBy(pod, "DefaultPreemption") },
		},
		{
			Name: earlierFailureRequeues, Class: spec.Reported, Upstream: "kubernetes/kubernetes#138324", Mended: "v1.36",
			Doc: "When the binding of a pod fails that was deleted and made anew under its name meanwhile, the new one is put " +
				"back into the queue, whether it is there or about to be bound, and loses its nomination there.",
			Explains: func(t *Transition, pod *v1.Pod) bool {
				return t.Action.Verb == Write && t.Before.bindsReplaced(Key(pod))
			},
		},
		{
			Name: "own-nomination-kept", Class: spec.Reported, Upstream: "kubernetes/kubernetes#137139", Mended: "v1.36",
			Doc: "A cycle that fails goes by the status of its pod when it began, and does not take back a nomination that it " +
				"has written since: the API server keeps it, and the queue may not. Nor does it write a condition that it had " +
				"then.",
			Explains: func(t *Transition, pod *v1.Pod) bool {
				return t.keepsOwnNomination(pod) || t.keepsCondition(pod)
			},
			Sees: func(s *State, _ *v1.Pod) *spec.Snapshot {
				if !slices.ContainsFunc(s.told().Pods, s.nominationGivenUp) {
					return nil
				}
				return withoutNominations(s.View(), s.nominationGivenUp)
			},
		},
	}
}

// leaves reports whether the step is that a pod leaves its node.
func (t *Transition) leaves() bool { return t.Action.Verb == Gone || t.Action.Verb == Complete }

// nominationGivenUp reports whether the queue has given up a nomination of the pod that the API server has.
func (s *State) nominationGivenUp(pod *v1.Pod) bool {
	return pod.Spec.NodeName == "" && pod.Status.NominatedNodeName != "" && s.nominatedTo(pod) == ""
}

// keepsCondition reports whether the pod, whose wait on permit the step ended, has the condition that it had, which was
// written since its cycle began.
func (t *Transition) keepsCondition(pod *v1.Pod) bool {
	was := t.Before.heard(Key(pod))
	return was != nil && t.Step.Popped == "" && t.permitRejects() && t.Action.Ref == RefOf(pod) &&
		scheduled(was) == scheduled(pod)
}

// keepsOwnNomination reports whether the queue has given up a nomination of the pod that the API server keeps, as the
// cycle that failed wrote it itself: now or before.
func (t *Transition) keepsOwnNomination(pod *v1.Pod) bool {
	was, is := t.Before.heard(Key(pod)), t.After.heard(Key(pod))
	if t.Began != nil {
		was = t.Began.heard(Key(pod))
	}
	if was == nil || is == nil || !t.After.nominationGivenUp(is) {
		return false
	}
	if t.Step.Popped == Key(pod) {
		return was.Status.NominatedNodeName == ""
	}
	q, _ := t.Before.Queued(Key(pod))
	kept := was.Status.NominatedNodeName == is.Status.NominatedNodeName && t.Before.nominatedTo(was) == ""
	return kept && !q.Waits || slices.ContainsFunc(t.Before.Began, func(b Beginning) bool {
		return b.Pod == Key(pod) && b.Otherwise && b.Nominated == ""
	})
}
