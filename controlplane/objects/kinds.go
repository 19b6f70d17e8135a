// Package objects puts the objects of a cluster onto an API server, reads them back as a scheduler sees them, and takes
// them away again. It does what controllers and kubelets would have done: the status of an object is written through
// its subresource, and a pod that terminates is one that was deleted and is held by a finalizer.
package objects

import (
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// Cluster is what is put onto an API server.
type Cluster struct {
	*spec.Snapshot
	// PriorityClasses are those that pods may name. More are made for pods whose priority none of them gives.
	PriorityClasses []*schedulingv1.PriorityClass

	runtimeClasses []*nodev1.RuntimeClass
}

// kind is a type of object.
type kind struct {
	name       string
	resource   schema.GroupVersionResource
	namespaced bool
	// status: it has a subresource of that name.
	status bool
	// of returns those of a cluster, and to puts some into a snapshot; nil if a snapshot has none.
	of func(c Cluster) []runtime.Object
	to func(s *spec.Snapshot, object map[string]any) error
	// kept reports whether the API server has the object by itself.
	kept func(namespace, name string) bool
}

// kinds are all types, in the order in which they are put: what others name comes first, pods before the claims that
// are theirs, and claims before the volumes that are reserved for them.
func kinds() []kind {
	core, apps := v1.SchemeGroupVersion.WithResource, appsv1.SchemeGroupVersion.WithResource
	storage, devices := storagev1.SchemeGroupVersion.WithResource, resourcev1.SchemeGroupVersion.WithResource
	admission := admissionregistrationv1.SchemeGroupVersion.WithResource
	return []kind{
		{"Namespace", core("namespaces"), false, false,
			func(c Cluster) []runtime.Object { return listed(c.Namespaces) },
			func(s *spec.Snapshot, o map[string]any) error { return add(&s.Namespaces, o) },
			func(_, name string) bool { return name == "default" || strings.HasPrefix(name, "kube-") }},
		{"PriorityClass", schedulingv1.SchemeGroupVersion.WithResource("priorityclasses"), false, false,
			func(c Cluster) []runtime.Object { return listed(c.PriorityClasses) },
			nil,
			func(_, name string) bool { return strings.HasPrefix(name, "system-") }},
		{"RuntimeClass", nodev1.SchemeGroupVersion.WithResource("runtimeclasses"), false, false,
			func(c Cluster) []runtime.Object { return listed(c.runtimeClasses) }, nil, nil},
		{"StorageClass", storage("storageclasses"), false, false,
			func(c Cluster) []runtime.Object { return listed(c.StorageClasses) },
			func(s *spec.Snapshot, o map[string]any) error { return add(&s.StorageClasses, o) }, nil},
		{"CSIDriver", storage("csidrivers"), false, false,
			func(c Cluster) []runtime.Object { return listed(c.CSIDrivers) },
			func(s *spec.Snapshot, o map[string]any) error { return add(&s.CSIDrivers, o) }, nil},
		{"Node", core("nodes"), false, true,
			func(c Cluster) []runtime.Object { return listed(c.Nodes) },
			func(s *spec.Snapshot, o map[string]any) error { return add(&s.Nodes, o) }, nil},
		{"CSINode", storage("csinodes"), false, false,
			func(c Cluster) []runtime.Object { return listed(c.CSINodes) },
			func(s *spec.Snapshot, o map[string]any) error { return add(&s.CSINodes, o) }, nil},
		{"CSIStorageCapacity", storage("csistoragecapacities"), true, false,
			func(c Cluster) []runtime.Object { return listed(c.CSIStorageCapacities) },
			func(s *spec.Snapshot, o map[string]any) error { return add(&s.CSIStorageCapacities, o) }, nil},
		{"DeviceClass", devices("deviceclasses"), false, false,
			func(c Cluster) []runtime.Object { return listed(c.DeviceClasses) },
			func(s *spec.Snapshot, o map[string]any) error { return add(&s.DeviceClasses, o) }, nil},
		{"ResourceSlice", devices("resourceslices"), false, false,
			func(c Cluster) []runtime.Object { return listed(c.ResourceSlices) },
			func(s *spec.Snapshot, o map[string]any) error { return add(&s.ResourceSlices, o) }, nil},
		{"Service", core("services"), true, false,
			func(c Cluster) []runtime.Object { return listed(c.Services) },
			func(s *spec.Snapshot, o map[string]any) error { return add(&s.Services, o) },
			func(namespace, name string) bool { return namespace == "default" && name == "kubernetes" }},
		{"ReplicationController", core("replicationcontrollers"), true, false,
			func(c Cluster) []runtime.Object { return listed(c.ReplicationControllers) },
			func(s *spec.Snapshot, o map[string]any) error { return add(&s.ReplicationControllers, o) }, nil},
		{"ReplicaSet", apps("replicasets"), true, false,
			func(c Cluster) []runtime.Object { return listed(c.ReplicaSets) },
			func(s *spec.Snapshot, o map[string]any) error { return add(&s.ReplicaSets, o) }, nil},
		{"StatefulSet", apps("statefulsets"), true, false,
			func(c Cluster) []runtime.Object { return listed(c.StatefulSets) },
			func(s *spec.Snapshot, o map[string]any) error { return add(&s.StatefulSets, o) }, nil},
		{"Pod", core("pods"), true, true,
			func(c Cluster) []runtime.Object { return listed(c.Pods) },
			func(s *spec.Snapshot, o map[string]any) error { return add(&s.Pods, o) }, nil},
		{"PersistentVolumeClaim", core("persistentvolumeclaims"), true, true,
			func(c Cluster) []runtime.Object { return listed(c.PersistentVolumeClaims) },
			func(s *spec.Snapshot, o map[string]any) error { return add(&s.PersistentVolumeClaims, o) }, nil},
		{"ResourceClaim", devices("resourceclaims"), true, true,
			func(c Cluster) []runtime.Object { return listed(c.ResourceClaims) },
			func(s *spec.Snapshot, o map[string]any) error { return add(&s.ResourceClaims, o) }, nil},
		{"PersistentVolume", core("persistentvolumes"), false, true,
			func(c Cluster) []runtime.Object { return listed(c.PersistentVolumes) },
			func(s *spec.Snapshot, o map[string]any) error { return add(&s.PersistentVolumes, o) }, nil},
		{"VolumeAttachment", storage("volumeattachments"), false, true,
			func(c Cluster) []runtime.Object { return listed(c.VolumeAttachments) },
			func(s *spec.Snapshot, o map[string]any) error { return add(&s.VolumeAttachments, o) }, nil},
		{"PodDisruptionBudget", policyv1.SchemeGroupVersion.WithResource("poddisruptionbudgets"), true, true,
			func(c Cluster) []runtime.Object { return listed(c.PodDisruptionBudgets) },
			func(s *spec.Snapshot, o map[string]any) error { return add(&s.PodDisruptionBudgets, o) }, nil},
		// With these a run has requests of the scheduler fail, or take their time.
		{"ValidatingAdmissionPolicy", admission("validatingadmissionpolicies"), false, false, none, nil, nil},
		{"ValidatingAdmissionPolicyBinding", admission("validatingadmissionpolicybindings"), false, false, none, nil, nil},
		{"ValidatingWebhookConfiguration", admission("validatingwebhookconfigurations"), false, false, none, nil, nil},
	}
}

func none(Cluster) []runtime.Object { return nil }

func listed[T runtime.Object](objects []T) []runtime.Object {
	var all []runtime.Object
	for _, object := range objects {
		all = append(all, object)
	}
	return all
}

// add decodes an object, and adds it to the list.
func add[T any](list *[]*T, object map[string]any) error {
	typed := new(T)
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object, typed); err != nil {
		return err
	}
	*list = append(*list, typed)
	return nil
}
