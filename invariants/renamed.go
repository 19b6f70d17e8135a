package invariants

import (
	"fmt"
	"reflect"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// Renamed returns the question in which nodes, pods and namespaces have other names, whose order is another,
// wherever objects say them; and in which nodes, pods, volumes and claims come in the opposite order. A text that
// equals a name is taken for the name, also where it is the value of a label: then all labels and selectors change
// alike, and mean what they meant.
func Renamed(q spec.Question) spec.Question {
	names := renamedNames(q)
	s := q.Snapshot
	pending := slices.Index(s.Pods, q.Pod)
	other := &spec.Snapshot{
		Nodes: backwards(s.Nodes, names), Pods: backwards(s.Pods, names), Namespaces: backwards(s.Namespaces, names),
		PodDisruptionBudgets:   backwards(s.PodDisruptionBudgets, names),
		PersistentVolumes:      backwards(s.PersistentVolumes, names),
		PersistentVolumeClaims: backwards(s.PersistentVolumeClaims, names),
		StorageClasses:         backwards(s.StorageClasses, names),
		CSINodes:               backwards(s.CSINodes, names),
		VolumeAttachments:      backwards(s.VolumeAttachments, names),
		CSIDrivers:             backwards(s.CSIDrivers, names),
		CSIStorageCapacities:   backwards(s.CSIStorageCapacities, names),
		ResourceClaims:         backwards(s.ResourceClaims, names),
		ResourceClaimTemplates: backwards(s.ResourceClaimTemplates, names),
		ResourceSlices:         backwards(s.ResourceSlices, names),
		DeviceClasses:          backwards(s.DeviceClasses, names),
		Services:               backwards(s.Services, names),
		ReplicationControllers: backwards(s.ReplicationControllers, names),
		ReplicaSets:            backwards(s.ReplicaSets, names),
		StatefulSets:           backwards(s.StatefulSets, names),
		Now:                    s.Now,
	}
	return spec.Question{Pod: other.Pods[len(other.Pods)-1-pending], Snapshot: other}
}

// renamedNames returns the new names by the old ones. The claim of an ephemeral volume is named after its pod.
func renamedNames(q spec.Question) map[string]string {
	s, names := q.Snapshot, map[string]string{}
	rename := func(name, kind string) {
		if _, known := names[name]; !known && name != "" {
			names[name] = fmt.Sprintf("%s-%03d", kind, 999-len(names))
		}
	}
	for _, node := range s.Nodes {
		rename(node.Name, "n")
	}
	for _, namespace := range s.Namespaces {
		rename(namespace.Name, "s")
	}
	for _, pod := range s.Pods {
		rename(pod.Namespace, "s")
		rename(pod.Name, "p")
	}
	for _, pod := range s.Pods {
		for _, volume := range pod.Spec.Volumes {
			names[pod.Name+"-"+volume.Name] = names[pod.Name] + "-" + volume.Name
		}
	}
	return names
}

// backwards returns renamed copies in the opposite order.
func backwards[T interface{ DeepCopy() T }](objects []T, names map[string]string) []T {
	var all []T
	for _, object := range slices.Backward(objects) {
		other := object.DeepCopy()
		renameIn(reflect.ValueOf(other).Elem(), names)
		all = append(all, other)
	}
	return all
}

// renameIn puts new names in the place of old ones everywhere in a value, which is nobody else's.
func renameIn(v reflect.Value, names map[string]string) {
	switch v.Interface().(type) {
	case metav1.Time, metav1.MicroTime, resource.Quantity, v1.UniqueVolumeName:
		return
	}
	switch v.Kind() {
	case reflect.String:
		if name, is := names[v.String()]; is {
			v.SetString(name)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			renameIn(v.Elem(), names)
		}
	case reflect.Slice:
		for i := range v.Len() {
			renameIn(v.Index(i), names)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				renameIn(v.Field(i), names)
			}
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			if name, is := names[v.MapIndex(key).String()]; is && v.Type().Elem().Kind() == reflect.String {
				v.SetMapIndex(key, reflect.ValueOf(name).Convert(v.Type().Elem()))
			}
		}
	}
}
