package spec

import v1 "k8s.io/api/core/v1"

// Overcommitted gives the resources of which the pods on the node together request more than it has to allocate, sorted
// by name; "pods" among them if there are more pods than it takes. For a single pod more that is what
// NodeResourcesFit prevents; this is the same bound for all of them.
//
// Source: https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/#how-pods-with-resource-requests-are-scheduled.
func Overcommitted(node *v1.Node, pods []*v1.Pod) []v1.ResourceName {
	allocatable := node.Status.Allocatable
	requested := each(pods, Requests)
	exceeded := filter(sortedKeys(total(requested...)), func(name v1.ResourceName) bool {
		return sum(requested, func(r v1.ResourceList) int64 { return amount(name, r) }) > amount(name, allocatable)
	})
	if int64(len(pods)) > amount(v1.ResourcePods, allocatable) {
		exceeded = append(exceeded, v1.ResourcePods)
	}
	return exceeded
}
