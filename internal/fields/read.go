package fields

import (
	"reflect"
	"slices"
	"sync"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
)

// kinds are the kinds of object that a scheduler looks at.
var kinds = map[string]reflect.Type{
	"Node":                  reflect.TypeFor[v1.Node](),
	"Pod":                   reflect.TypeFor[v1.Pod](),
	"Namespace":             reflect.TypeFor[v1.Namespace](),
	"PodDisruptionBudget":   reflect.TypeFor[policyv1.PodDisruptionBudget](),
	"PersistentVolume":      reflect.TypeFor[v1.PersistentVolume](),
	"PersistentVolumeClaim": reflect.TypeFor[v1.PersistentVolumeClaim](),
	"StorageClass":          reflect.TypeFor[storagev1.StorageClass](),
	"CSINode":               reflect.TypeFor[storagev1.CSINode](),
	"Service":               reflect.TypeFor[v1.Service](),
	"ReplicationController": reflect.TypeFor[v1.ReplicationController](),
	"ReplicaSet":            reflect.TypeFor[appsv1.ReplicaSet](),
	"StatefulSet":           reflect.TypeFor[appsv1.StatefulSet](),
	"VolumeAttachment":      reflect.TypeFor[storagev1.VolumeAttachment](),
	"CSIDriver":             reflect.TypeFor[storagev1.CSIDriver](),
	"CSIStorageCapacity":    reflect.TypeFor[storagev1.CSIStorageCapacity](),
	"ResourceClaim":         reflect.TypeFor[resourcev1.ResourceClaim](),
	"ResourceClaimTemplate": reflect.TypeFor[resourcev1.ResourceClaimTemplate](),
	"ResourceSlice":         reflect.TypeFor[resourcev1.ResourceSlice](),
	"DeviceClass":           reflect.TypeFor[resourcev1.DeviceClass](),
}

// Paths returns the paths of all fields that somebody reads, in order. A struct that is always there, such as
// metadata, is none itself.
func Paths() []string {
	var all []string
	for kind, t := range kinds {
		all = append(all, paths(kind, t)...)
	}
	slices.Sort(all)
	return all
}

// paths returns those of the fields below a path, of the type.
func paths(path string, t reflect.Type) []string {
	switch {
	case t.Kind() == reflect.Pointer:
		return paths(path, t.Elem())
	case isLeaf(t), t.Kind() == reflect.Map:
		return nil
	case t.Kind() == reflect.Slice:
		return paths(path+"[]", t.Elem())
	}
	var all []string
	for name, field := range fieldsOf(t) {
		at := join(path, name)
		if name != "" && unread(at) {
			continue
		}
		if field.Type.Kind() != reflect.Struct || isLeaf(field.Type) {
			all = append(all, at)
		}
		all = append(all, paths(at, field.Type)...)
	}
	return all
}

// unread reports whether nobody reads the field, or what it is part of.
func unread(path string) bool {
	if known, ok := unreadPaths.Load(path); ok {
		return known.(bool)
	}
	_, is := whyUnread(path)
	unreadPaths.Store(path, is)
	return is
}

// unreadPaths remembers what whyUnread said.
var unreadPaths sync.Map
