package loop

import (
	"slices"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// What the known defects of InterPodAffinity ask of pods and their terms.

// withoutAntiAffinityOfOthers returns the view in which no other pod has required anti-affinity.
func withoutAntiAffinityOfOthers(view *spec.Snapshot, pod string) *spec.Snapshot {
	less := *view
	less.Pods = nil
	for _, other := range view.Pods {
		if Key(other) != pod && len(requiredAntiTerms(other)) > 0 {
			other = other.DeepCopy()
			other.Spec.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution = nil
		}
		less.Pods = append(less.Pods, other)
	}
	return &less
}

// affinityHeld reports whether InterPodAffinity, which rejected the pod, would not have rejected it any more before the
// step either: what happened to the node in it is nothing to that plugin, and an event before was missed.
func (t *Transition) affinityHeld(pod *v1.Pod) bool {
	affinity := t.model(pod).Only(func(f spec.Filter) bool { return f.Plugin == "InterPodAffinity" })
	return hasNode(t.Before, t.Action.Ref.Name) && feasible(affinity, Key(pod), t.Before.View())
}

// matchedByOthers reports whether a pod on some node matches the required affinity terms of the pod.
func (t *Transition) matchedByOthers(pod *v1.Pod, view *spec.Snapshot) bool {
	return slices.ContainsFunc(view.Nodes, func(node *v1.Node) bool {
		return slices.ContainsFunc(view.Pods, func(other *v1.Pod) bool {
			return Key(other) != Key(pod) && other.Spec.NodeName == node.Name && t.matches(pod, other, view)
		})
	})
}

// groupEnds reports whether bound pods matched the required affinity terms of the pod before the step, and since then
// none does, or none but those that it may evict from a node where it is feasible without them.
func (t *Transition) groupEnds(pod *v1.Pod) bool {
	before, after := t.Before.View(), t.After.View()
	ends := func(was, is *spec.Snapshot) bool { return t.matchedByOthers(pod, was) && !t.matchedByOthers(pod, is) }
	was, is := in(before, Key(pod)), in(after, Key(pod))
	return ends(before, after) || was != nil && is != nil && slices.ContainsFunc(after.Nodes, func(node *v1.Node) bool {
		left := after.Without(spec.Jeopardy(is, node, after)...)
		return t.model(is).Feasibility(is, node, left) && ends(before.Without(spec.Jeopardy(was, node, before)...), left)
	})
}

// matches reports whether the other pod matches all required affinity terms of the pod, of which there are some.
func (t *Transition) matches(pod, other *v1.Pod, view *spec.Snapshot) bool {
	terms := requiredTerms(pod)
	return len(terms) > 0 && !slices.ContainsFunc(terms, func(term v1.PodAffinityTerm) bool {
		return !spec.MatchesPod(term, pod, other, view)
	})
}

func requiredTerms(pod *v1.Pod) []v1.PodAffinityTerm {
	if pod == nil || pod.Spec.Affinity == nil || pod.Spec.Affinity.PodAffinity == nil {
		return nil
	}
	return pod.Spec.Affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution
}

// affinityTerms returns the required terms of affinity and anti-affinity.
func affinityTerms(pod *v1.Pod) []v1.PodAffinityTerm {
	return append(slices.Clone(requiredTerms(pod)), requiredAntiTerms(pod)...)
}

func requiredAntiTerms(pod *v1.Pod) []v1.PodAffinityTerm {
	if pod == nil || pod.Spec.Affinity == nil || pod.Spec.Affinity.PodAntiAffinity == nil {
		return nil
	}
	return pod.Spec.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution
}

// matchesSome reports whether the other pod matches some but not all required anti-affinity terms of the pod.
func matchesSome(pod, other *v1.Pod, view *spec.Snapshot) bool {
	some, all := false, true
	for _, term := range requiredAntiTerms(pod) {
		matches := spec.MatchesPod(term, pod, other, view)
		some, all = some || matches, all && matches
	}
	return some && !all
}

// leavesTerm reports whether one required term of anti-affinity of the pod matches the other no longer, and another one
// still does.
func leavesTerm(pod, was, is *v1.Pod, view *spec.Snapshot) bool {
	left, matched := false, false
	for _, term := range requiredAntiTerms(pod) {
		matches := spec.MatchesPod(term, pod, is, view)
		left, matched = left || !matches && spec.MatchesPod(term, pod, was, view), matched || matches
	}
	return left && matched
}
