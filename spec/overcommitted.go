package spec

import (
	"math/big"
	"slices"

	v1 "k8s.io/api/core/v1"
)

// Overcommitted returns the resources of which the pods on the node together request more than it has to allocate,
// sorted by name; "pods" among them if there are more pods than it takes. For a single pod more that is what
// NodeResourcesFit prevents; this is the same bound for all of them. A resource that the profile of a pod ignores is
// left out where the pod requests it: nobody keeps its bound. A profile without NodeResourcesFit ignores all of them,
// and how many pods there are. So is one left out that the node has as devices, of which claims keep account.
//
// Source:
// https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/#how-pods-with-resource-requests-are-scheduled;
// field docs of NodeResourcesFitArgs.ignoredResources and ignoredResourceGroups.
func (m *Scheduler) Overcommitted(node *v1.Node, pods []*v1.Pod, s *Snapshot) []v1.ResourceName {
	allocatable := node.Status.Allocatable
	requested := each(pods, m.requests)
	exceeded := filter(resourcesIn(requested), func(name v1.ResourceName) bool {
		return !exists(pods, func(pod *v1.Pod) bool { return m.ignores(pod, name) }) &&
			m.rules.amounts.classes.on(m.Profile, name, node, s) == nil &&
			!atMost(m.rules.amounts.together(name, requested), m.rules.amounts.amount(name, allocatable))
	})
	if all(pods, func(pod *v1.Pod) bool { return fitsResources(m.For(pod).Profile) }) &&
		!atMost(big.NewInt(int64(len(pods))), amount(v1.ResourcePods, allocatable)) {
		exceeded = append(exceeded, v1.ResourcePods)
	}
	return exceeded
}

// resourcesIn returns the resources that lists name, in order.
func resourcesIn(lists []v1.ResourceList) []v1.ResourceName {
	var names []v1.ResourceName
	for _, list := range lists {
		for name := range list {
			if !contains(names, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// ignores reports whether the pod requests the resource and is placed without regard to it.
func (m *Scheduler) ignores(pod *v1.Pod, name v1.ResourceName) bool {
	of := m.For(pod)
	return (!fitsResources(of.Profile) || ignored(of.Profile.Fit, name)) && of.Requests(pod, name)
}

// fitsResources reports whether the profile keeps to what nodes have to allocate.
func fitsResources(p *Profile) bool { return contains(p.Filters, "NodeResourcesFit") }

// Requests reports whether the pod requests some of the resource.
func (m *Scheduler) Requests(pod *v1.Pod, name v1.ResourceName) bool {
	return !none(m.rules.amounts.amount(name, m.requests(pod)))
}

func (m *Scheduler) requests(pod *v1.Pod) v1.ResourceList {
	return m.rules.amounts.requests(m.Profile, pod)
}
