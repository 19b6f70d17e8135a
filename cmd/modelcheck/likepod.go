package main

import (
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/internal/audit"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
)

// templatePod returns the pod that a workload of the cluster which has none would get, of the template that its
// controller goes by; nil if that was not read. A Deployment goes by its youngest ReplicaSet.
func templatePod(scale *audit.Scale, manifests *scenario.Manifests) *v1.Pod {
	var owner metav1.Object
	var template *v1.PodTemplateSpec
	is := func(o metav1.Object) bool {
		return o.GetName() == scale.Name && (scale.Namespace == "" || o.GetNamespace() == scale.Namespace)
	}
	switch scale.Kind {
	case "Deployment", "ReplicaSet":
		for _, set := range manifests.ReplicaSets {
			controller := metav1.GetControllerOf(set)
			of := scale.Kind == "ReplicaSet" && is(set) || scale.Kind == "Deployment" && controller != nil &&
				controller.Kind == "Deployment" && controller.Name == scale.Name &&
				(scale.Namespace == "" || set.Namespace == scale.Namespace)
			older := owner != nil && set.CreationTimestamp.Time.Before(owner.GetCreationTimestamp().Time)
			if of && !older {
				owner, template = set, &set.Spec.Template
			}
		}
	case "StatefulSet":
		for _, set := range manifests.StatefulSets {
			if is(set) {
				owner, template = set, &set.Spec.Template
			}
		}
	case "ReplicationController":
		for _, controller := range manifests.ReplicationControllers {
			if is(controller) && controller.Spec.Template != nil {
				owner, template = controller, controller.Spec.Template
			}
		}
	}
	if owner == nil {
		return nil
	}
	kind := scale.Kind
	if kind == "Deployment" {
		kind = "ReplicaSet"
	}
	yes := true
	pod := &v1.Pod{ObjectMeta: *template.ObjectMeta.DeepCopy(), Spec: *template.Spec.DeepCopy()}
	pod.Namespace, pod.Name = owner.GetNamespace(), owner.GetName()
	pod.OwnerReferences = []metav1.OwnerReference{{Kind: kind, Name: owner.GetName(), UID: owner.GetUID(),
		Controller: &yes}}
	prioritized(pod, manifests)
	return pod
}

// prioritized gives the pod the priority of its class, as admission would.
//
// Source: https://kubernetes.io/docs/concepts/scheduling-eviction/pod-priority-preemption/#priorityclass
func prioritized(pod *v1.Pod, manifests *scenario.Manifests) {
	priority := int32(0)
	switch pod.Spec.PriorityClassName {
	case "system-cluster-critical":
		priority = 2000000000
	case "system-node-critical":
		priority = 2000001000
	}
	for _, class := range manifests.PriorityClasses {
		if class.Name == pod.Spec.PriorityClassName || pod.Spec.PriorityClassName == "" && class.GlobalDefault {
			priority = class.Value
			if class.PreemptionPolicy != nil && pod.Spec.PreemptionPolicy == nil {
				pod.Spec.PreemptionPolicy = class.PreemptionPolicy
			}
		}
	}
	pod.Spec.Priority = &priority
	if pod.Spec.SchedulerName == "" {
		pod.Spec.SchedulerName = v1.DefaultSchedulerName
	}
}
