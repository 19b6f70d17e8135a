package spec

import (
	"maps"

	v1 "k8s.io/api/core/v1"
)

// PodRequestsOverlooked is a defect of kube-scheduler v1.36. KEP-2837 makes no exception for the score, and neither
// do the filter, NodeResourcesBalancedAllocation and the sums of what is bound already.
func PodRequestsOverlooked() Quirk {
	return Quirk{
		Name: "pod-requests-overlooked", Class: Unconfirmed, Upstream: "not reported",
		Since:  "v1.34",
		Title:  "scores overlook the pod-level requests of the incoming pod",
		Plugin: "NodeResourcesFit",
		Doc: "In the score, requests that the incoming pod states for the pod as a whole do not count; those of " +
			"its containers do.",
		Needs: func(_ *Profile, pod *v1.Pod, _ *Snapshot) bool { return pod.Spec.Resources != nil },
		Change: func(p *Predicates) {
			p.Allocation.pending = func(r ResizeRules, pod *v1.Pod) v1.ResourceList {
				containers := pod.DeepCopy()
				containers.Spec.Resources = nil
				return r.nonZero(containers)
			}
		},
	}
}

// MissingRequestsOfBound is a defect of kube-scheduler v1.36. Of any other pod, and of the same pod before it was
// bound, such a container counts 100m or 200Mi.
func MissingRequestsOfBound() Quirk {
	return Quirk{
		Name: "missing-requests-of-bound", Class: Reported, Upstream: "kubernetes/kubernetes#128407",
		Since:  "v1.34",
		Title:  "scores undercount bound pods with pod-level requests",
		Plugin: "NodeResourcesFit",
		Doc: "In the score, a container of a bound pod that states requests for the pod as a whole counts nothing of " +
			"a resource that it " +
			"does not request, if another container does.",
		Needs: func(_ *Profile, _ *v1.Pod, s *Snapshot) bool { return exists(s.Pods, requestsAsWhole) },
		Change: func(p *Predicates) {
			p.Allocation.held = func(r ResizeRules, pod *v1.Pod) v1.ResourceList {
				if !requestsAsWhole(pod) {
					return r.nonZero(pod)
				}
				missing := maps.Clone(missingRequests)
				for _, name := range sortedKeys(r.requests(pod, nil)) {
					delete(missing, name)
				}
				return r.requests(pod, missing)
			}
		},
	}
}

// requestsAsWhole reports whether the pod states requests for the pod as a whole.
func requestsAsWhole(pod *v1.Pod) bool {
	return pod.Spec.Resources != nil && len(pod.Spec.Resources.Requests) > 0
}
