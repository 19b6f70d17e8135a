package objects

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// withoutMergedKeys returns the pod with its label selectors as somebody would write them: an API server merges
// matchLabelKeys and mismatchLabelKeys into them once, and refuses a pod in which that is done already.
func withoutMergedKeys(pod *v1.Pod) *v1.Pod {
	pod = pod.DeepCopy()
	for i := range pod.Spec.TopologySpreadConstraints {
		c := &pod.Spec.TopologySpreadConstraints[i]
		unmerge(c.LabelSelector, c.MatchLabelKeys, metav1.LabelSelectorOpIn, pod.Labels)
	}
	for _, term := range terms(pod.Spec.Affinity) {
		unmerge(term.LabelSelector, term.MatchLabelKeys, metav1.LabelSelectorOpIn, pod.Labels)
		unmerge(term.LabelSelector, term.MismatchLabelKeys, metav1.LabelSelectorOpNotIn, pod.Labels)
	}
	return pod
}

// terms returns all terms of pod affinity and anti-affinity.
func terms(affinity *v1.Affinity) (all []*v1.PodAffinityTerm) {
	if affinity == nil {
		return nil
	}
	add := func(required []v1.PodAffinityTerm, preferred []v1.WeightedPodAffinityTerm) {
		for i := range required {
			all = append(all, &required[i])
		}
		for i := range preferred {
			all = append(all, &preferred[i].PodAffinityTerm)
		}
	}
	if near := affinity.PodAffinity; near != nil {
		add(near.RequiredDuringSchedulingIgnoredDuringExecution, near.PreferredDuringSchedulingIgnoredDuringExecution)
	}
	if apart := affinity.PodAntiAffinity; apart != nil {
		add(apart.RequiredDuringSchedulingIgnoredDuringExecution, apart.PreferredDuringSchedulingIgnoredDuringExecution)
	}
	return all
}

// unmerge takes out of the selector what the keys stand for in a pod with the labels.
func unmerge(selector *metav1.LabelSelector, keys []string, operator metav1.LabelSelectorOperator,
	labels map[string]string) {
	if selector == nil {
		return
	}
	selector.MatchExpressions = slices.DeleteFunc(selector.MatchExpressions, func(r metav1.LabelSelectorRequirement) bool {
		return slices.Contains(keys, r.Key) && r.Operator == operator && slices.Equal(r.Values, []string{labels[r.Key]})
	})
}
