package spec

import v1 "k8s.io/api/core/v1"

// NodeName is the filter
//
//	Holds == Pod.Spec.NodeName \in {"", Node.Name}
//
// It answers for the plugin NodeName, and reads only the node.
//
// Source: field doc of PodSpec.nodeName, and
// https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#nodename.
// The scheduler is asked about unbound pods only, for which it always holds.
func NodeName() Filter {
	return Filter{
		Plugin:    "NodeName",
		Footprint: ReadsNode,
		Holds: func(_ *Profile, pod *v1.Pod, node *v1.Node, _ *Snapshot) bool {
			return contains([]string{"", node.Name}, pod.Spec.NodeName)
		},
	}
}
