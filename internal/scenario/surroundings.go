package scenario

import (
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// surroundings is what controllers see of the objects that were read, found by what they look for: a cluster has
// hundreds of workloads and tens of thousands of pods.
type surroundings struct {
	nodes []*v1.Node
	// controlled are objects by kind, namespace and name of their controller, and loose the pods without one by
	// namespace.
	controlled map[[3]string][]object
	loose      map[string][]object
	// names are the kinds, namespaces and names of all objects.
	names map[[3]string]bool
}

func surround(objects []object) *surroundings {
	s := &surroundings{
		controlled: map[[3]string][]object{}, loose: map[string][]object{},
		names: make(map[[3]string]bool, len(objects)),
	}
	for _, o := range objects {
		namespace := o.GetNamespace()
		s.names[[3]string{o.kind, namespace, o.GetName()}] = true
		if node, is := o.Object.(*v1.Node); is {
			s.nodes = append(s.nodes, node)
		}
		if owner := metav1.GetControllerOf(o); owner != nil {
			key := [3]string{owner.Kind, namespace, owner.Name}
			s.controlled[key] = append(s.controlled[key], o)
		} else if o.kind == "Pod" {
			s.loose[namespace] = append(s.loose[namespace], o)
		}
	}
	return s
}

// has reports whether there is such an object.
func (s *surroundings) has(kind, namespace, name string) bool {
	return s.names[[3]string{kind, namespace, name}]
}
