package spec

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// Requests returns what the pod requests of its node, per resource:
//
//	Requests(Pod) == PodLevel(Pod), for resources without it ByContainers(Pod), + Pod.Spec.Overhead
//	ByContainers(Pod) == Max(sum over containers and sidecars, Max over init containers I : Starting(I))
//	Starting(I) == I + the sidecars before I
//
// where a sidecar is a restartable init container. Resources of PodLevel are spec.resources.requests,
// of which cpu, memory and hugepages count.
//
// Source: KEP-753 (sidecar containers), "Resources calculation for scheduling and pod admission"; KEP-2837
// (pod-level resources); KEP-688 (pod overhead);
// https://kubernetes.io/docs/concepts/workloads/pods/init-containers/#resource-sharing-within-containers.
//
// For a bound pod, what the node reports takes part: see ResizeRules. Here it does as documented up to v1.36;
// Profile.Requests is for any release.
func Requests(pod *v1.Pod) v1.ResourceList { return ResizeRules{perContainer: true}.requests(pod, nil) }

// Requests returns what the pod requests of its node by the documents of the profile's release.
func (p *Profile) Requests(pod *v1.Pod) v1.ResourceList { return DocumentedAmounts().requests(p, pod) }

// NonZeroRequests is Requests for the purpose of score: a container that states no request of
// cpu or memory counts as if it stated 100m or 200Mi. A request of 0 that is stated stays 0, and a pod-level
// request takes the place of all containers' as ever.
//
// Source: doc comment of DefaultMilliCPURequest and DefaultMemoryRequest in
// k8s.io/kubernetes/pkg/scheduler/util. A pod counts the same before and after it is bound.
func NonZeroRequests(pod *v1.Pod) v1.ResourceList {
	return ResizeRules{perContainer: true}.nonZero(pod)
}

// missingRequests are the requests of a container that states none, for the purpose of score.
var missingRequests = v1.ResourceList{
	v1.ResourceCPU:    resource.MustParse("100m"),
	v1.ResourceMemory: resource.MustParse("200Mi"),
}

// byContainers adds up the containers' requests, each of which is of.
func byContainers(pod *v1.Pod, missing v1.ResourceList, of func(v1.Container) v1.ResourceList) v1.ResourceList {
	stated := func(c v1.Container) v1.ResourceList { return override(missing, of(c)) }
	if len(pod.Spec.InitContainers) == 0 {
		return total(each(pod.Spec.Containers, stated)...)
	}
	var sidecars, starting []v1.ResourceList
	for _, c := range pod.Spec.InitContainers {
		beside := append(slices.Clip(sidecars), stated(c))
		starting = append(starting, total(beside...))
		if Restartable(c) {
			sidecars = beside
		}
	}
	running := total(append(sidecars, each(pod.Spec.Containers, stated)...)...)
	return greatest(slices.Insert(starting, 0, running)...)
}

// Sidecars returns the pod's restartable init containers, which keep running beside its containers.
func Sidecars(pod *v1.Pod) []v1.Container { return filter(pod.Spec.InitContainers, Restartable) }

// Restartable reports whether an init container is a sidecar: its restartPolicy is Always.
//
// Source: field doc of Container.restartPolicy.
func Restartable(c v1.Container) bool {
	return c.RestartPolicy != nil && *c.RestartPolicy == v1.ContainerRestartPolicyAlways
}

// allowedAtPodLevel is the field doc of PodSpec.resources: cpu, memory and hugepages only.
func allowedAtPodLevel(name v1.ResourceName) bool {
	return contains([]v1.ResourceName{v1.ResourceCPU, v1.ResourceMemory}, name) ||
		strings.HasPrefix(string(name), v1.ResourceHugePagesPrefix)
}

// total adds resource by resource.
func total(lists ...v1.ResourceList) v1.ResourceList {
	return combined(lists, func(a, b resource.Quantity) resource.Quantity {
		more := b.DeepCopy()
		more.Add(a)
		return more
	})
}

// greatest takes the maximum resource by resource.
func greatest(lists ...v1.ResourceList) v1.ResourceList {
	return combined(lists, func(a, b resource.Quantity) resource.Quantity {
		if b.Cmp(a) > 0 {
			return b
		}
		return a
	})
}

// override returns list with the entries of over put in, in place of its own.
func override(list, over v1.ResourceList) v1.ResourceList {
	return combined([]v1.ResourceList{list, over}, func(_, b resource.Quantity) resource.Quantity { return b })
}

// combined returns every resource that a list names, with what the lists say of it put together one after the
// other. Lists are read only, so a list beside which no other names anything is the result.
func combined(lists []v1.ResourceList, put func(a, b resource.Quantity) resource.Quantity) v1.ResourceList {
	stated := func(list v1.ResourceList) bool { return len(list) > 0 }
	if count(lists, stated) == 1 {
		return lists[slices.IndexFunc(lists, stated)]
	}
	result := v1.ResourceList{}
	for _, list := range lists {
		for name, quantity := range list {
			if other, ok := result[name]; ok {
				quantity = put(other, quantity)
			}
			result[name] = quantity
		}
	}
	return result
}

// allNamed is \A x \in DOMAIN function : holds(x).
func allNamed[K comparable, V any](function map[K]V, holds func(K) bool) bool {
	for name := range function {
		if !holds(name) {
			return false
		}
	}
	return true
}

// sortedKeys is DOMAIN of a function, in order.
func sortedKeys[K cmp.Ordered, V any](function map[K]V) []K {
	return slices.Sorted(maps.Keys(function))
}
