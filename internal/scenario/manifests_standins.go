package scenario

import (
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// Files are seldom the whole of a cluster. What others are sure to have, and pods cannot do without, is stood in for
// by what is most usual, and said.

// DefaultPlainNodes is how many nodes stand in by default: as many as the zones of a region usually are.
const DefaultPlainNodes = 3

// PlainNode describes a node that stands in.
const PlainNode = "4 CPU, 16 GiB, 110 pods, in 3 zones by turns"

// withPlainNodes adds plain nodes where there are pods, or workloads that make them, and no Node. A running cluster
// has those that it has.
func (r *reading) withPlainNodes(objects []object) []object {
	is := func(kinds ...string) bool {
		return slices.ContainsFunc(objects, func(o object) bool { return slices.Contains(kinds, o.kind) })
	}
	if r.Served != nil || is("Node") || !is("Pod", "CronJob", "DaemonSet", "Deployment", "Job", "ReplicaSet",
		"ReplicationController", "StatefulSet") {
		return objects
	}
	for i := range r.PlainNodes {
		name := fmt.Sprintf("node-%d", i+1)
		has := v1.ResourceList{
			v1.ResourceCPU: resource.MustParse("4"), v1.ResourceMemory: resource.MustParse("16Gi"),
			v1.ResourcePods: resource.MustParse("110"), v1.ResourceEphemeralStorage: resource.MustParse("100Gi"),
		}
		node := &v1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
				v1.LabelHostname: name, v1.LabelOSStable: "linux", v1.LabelArchStable: "amd64",
				v1.LabelTopologyRegion: "region-1", v1.LabelTopologyZone: fmt.Sprintf("zone-%d", i%3+1),
			}},
			Status: v1.NodeStatus{Capacity: has, Allocatable: has.DeepCopy()},
		}
		objects = append(objects, object{Object: node, kind: "Node", quiet: true})
	}
	r.plain = r.PlainNodes
	return objects
}

// withPriorityClasses adds the classes that new pods name and that are not given, and says so. Such a class has
// priority 0, or the priority that a pod of it states.
func (r *reading) withPriorityClasses(objects []object) []object {
	return append(objects, r.missingClasses(objects, objects)...)
}

// missingClasses returns the classes that new pods name and that are not among the objects.
func (r *reading) missingClasses(pods, objects []object) []object {
	given := map[string]bool{}
	for _, o := range objects {
		if o.kind == "PriorityClass" {
			given[o.GetName()] = true
		}
	}
	var missing []object
	for _, o := range pods {
		pod, isPod := o.Object.(*v1.Pod)
		if !isPod {
			continue
		}
		name := pod.Spec.PriorityClassName
		if name == "" || given[name] || isSystemClass(name) || o.stored && pod.Spec.Priority != nil {
			continue
		}
		given[name] = true
		class := &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: name},
			Value: ptr.Deref(pod.Spec.Priority, 0), PreemptionPolicy: pod.Spec.PreemptionPolicy}
		missing = append(missing, object{Object: class, kind: "PriorityClass", standIn: true})
		r.note(o.root(), "spec.priorityClassName: there is no PriorityClass %q here, so its pods get the priority %d; "+
			"give it to have its own", name, class.Value)
	}
	return missing
}

// isSystemClass reports whether every cluster has the class.
func isSystemClass(name string) bool {
	return strings.HasPrefix(name, "system-") && slices.Contains([]string{"system-cluster-critical",
		"system-node-critical"}, name)
}
