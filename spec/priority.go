package spec

import v1 "k8s.io/api/core/v1"

// Priority returns the pod's priority: spec.priority, or 0 if that is unset.
//
// Source: https://kubernetes.io/docs/concepts/scheduling-eviction/pod-priority-preemption/#priorityclass
// ("if there is no PriorityClass with globalDefault set, the priority of Pods with no
// priorityClassName is zero"). Admission writes the number into the spec, so only pods from before have none.
func Priority(pod *v1.Pod) int32 {
	if pod.Spec.Priority == nil {
		return 0
	}
	return *pod.Spec.Priority
}
