package spec

import (
	"math/big"

	v1 "k8s.io/api/core/v1"
)

// Overcommitted returns the resources of which the pods on the node together request more than it has to allocate,
// sorted by name; "pods" among them if there are more pods than it takes. For a single pod more that is what
// NodeResourcesFit prevents; this is the same bound for all of them.
//
// Source:
// https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/#how-pods-with-resource-requests-are-scheduled.
func (m *Scheduler) Overcommitted(node *v1.Node, pods []*v1.Pod) []v1.ResourceName {
	allocatable := node.Status.Allocatable
	requested := each(pods, Requests)
	exceeded := filter(sortedKeys(total(requested...)), func(name v1.ResourceName) bool {
		return !atMost(m.rules.amounts.together(name, requested), m.rules.amounts.amount(name, allocatable))
	})
	if !atMost(big.NewInt(int64(len(pods))), amount(v1.ResourcePods, allocatable)) {
		exceeded = append(exceeded, v1.ResourcePods)
	}
	return exceeded
}

// Requests reports whether the pod requests some of the resource.
func (m *Scheduler) Requests(pod *v1.Pod, name v1.ResourceName) bool {
	return !none(m.rules.amounts.amount(name, Requests(pod)))
}
