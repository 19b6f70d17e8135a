package scenario

import (
	"maps"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// canonical gives the quantities of a pod or a node the form in which an API server hands them out: 1.5Gi is 1536Mi.
// Schedulers see no other, and what they do with others (such as adding to them in place) says nothing of clusters.
func (r *reading) canonical(o object) {
	switch object := o.Object.(type) {
	case *v1.Node:
		canonicalList(object.Status.Allocatable)
		canonicalList(object.Status.Capacity)
	case *v1.Pod:
		for _, containers := range [][]v1.Container{object.Spec.InitContainers, object.Spec.Containers} {
			for _, c := range containers {
				canonicalList(c.Resources.Requests)
				canonicalList(c.Resources.Limits)
			}
		}
		canonicalList(object.Spec.Overhead)
		if level := object.Spec.Resources; level != nil {
			canonicalList(level.Requests)
			canonicalList(level.Limits)
			r.numbers(o, level.Requests, object.Spec.Overhead)
		}
	}
}

func canonicalList(list v1.ResourceList) {
	for name, quantity := range list {
		if parsed, err := resource.ParseQuantity(quantity.String()); err == nil {
			list[name] = parsed
		}
	}
}

// numbers holds as numbers the requests of a pod as a whole to which its overhead is added, and says so. Those too long
// to be read as numbers, such as 100Ti, kube-scheduler v1.36 changes in the pod itself whenever it adds up what the pod
// requests, so that its decisions depend on how often it did.
func (r *reading) numbers(o object, requests, overhead v1.ResourceList) {
	for _, name := range slices.Sorted(maps.Keys(requests)) {
		quantity := requests[name]
		if _, added := overhead[name]; !added {
			continue
		}
		if _, short := quantity.AsInt64(); short {
			continue
		}
		number := resource.NewQuantity(quantity.Value(), quantity.Format)
		if quantity.Cmp(*number) != 0 { // not number.Cmp, which makes a decimal of it
			continue
		}
		requests[name] = *number
		r.note(o, "spec.resources.requests.%s: to %s kube-scheduler adds the overhead again in every cycle, as it changes "+
			"the pod it has; that growth is left out", name, number)
	}
}
