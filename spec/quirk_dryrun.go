package spec

import v1 "k8s.io/api/core/v1"

// What kube-scheduler knows of a cluster it counts when it starts on a pod. Dry runs of preemption, and nominated
// pods, change what was counted, one pod at a time. Some quirks depend on how that goes.

// moves returns the pods that were bound at first and are taken away, and those that are put on a node where they
// were not at first.
func moves(s *Snapshot) (taken, put []*v1.Pod) {
	taken = filter(s.gone, func(pod *v1.Pod) bool { return pod.Spec.NodeName != "" })
	put = filter(s.Pods, func(pod *v1.Pod) bool {
		return pod.Spec.NodeName != "" && exists(s.gone, func(gone *v1.Pod) bool {
			return gone.Spec.NodeName == "" && gone.Namespace == pod.Namespace && gone.Name == pod.Name
		})
	})
	return taken, put
}

// atFirst returns the snapshot with the bound pods that it had at first, and its pending ones.
func atFirst(s *Snapshot) *Snapshot {
	taken, put := moves(s)
	first := *s
	first.Pods, first.gone = append(minus(s.Pods, put), taken...), nil
	return &first
}
