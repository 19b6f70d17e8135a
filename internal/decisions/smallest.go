package decisions

import (
	"reflect"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// Smallest makes a question smaller as long as it holds that it still shows what it is to show: it leaves out nodes
// with their pods, pods, other objects, and then one by one what valid objects say. What comes out is a local
// minimum, the same one every time.
func Smallest(q spec.Question, valid func(runtime.Object) bool, holds func(spec.Question) bool) spec.Question {
	if valid == nil {
		valid = func(runtime.Object) bool { return true }
	}
	shows := holds
	holds = func(q spec.Question) bool {
		q.Snapshot.Now = spec.Moment(q.Snapshot) // as whoever reads it has it
		return shows(q)
	}
	if len(objects(q.Snapshot)) > mostObjects {
		if q = halved(q, holds); len(objects(q.Snapshot)) > mostObjects {
			return q
		}
	}
	for {
		before := sizeOf(q)
		q = withoutObjects(q, holds)
		q = saidLess(q, valid, holds)
		if sizeOf(q) >= before {
			return q
		}
	}
}

// asking returns the question with all pods of one profile.
func asking(q spec.Question, schedulerName string) spec.Question {
	s := *q.Snapshot
	s.Pods = slices.Clone(s.Pods)
	for i, pod := range s.Pods {
		other := *pod
		other.Spec.SchedulerName = schedulerName
		if s.Pods[i] = &other; pod == q.Pod {
			q.Pod = &other
		}
	}
	q.Snapshot = &s
	return q
}

// A question of more objects is made smaller by halves first, of which so many are tried. If more are left then, the
// rest stays: to try objects one by one would take too long.
const (
	mostObjects = 1_000
	mostHalves  = 100
)

// halved leaves out nodes with their pods, then pods and what else there may be many of, halves of them first and then
// ever fewer at a time.
func halved(q spec.Question, holds func(spec.Question) bool) spec.Question {
	tried := 0
	shrunk(q.Snapshot.Nodes, func(nodes []*v1.Node) bool {
		names := map[string]bool{}
		for _, node := range nodes {
			names[node.Name] = true
		}
		less := *q.Snapshot
		less.Nodes = nodes
		less.Pods = slices.DeleteFunc(slices.Clone(less.Pods), func(pod *v1.Pod) bool {
			return pod.Spec.NodeName != "" && !names[pod.Spec.NodeName]
		})
		smaller := spec.Question{Pod: q.Pod, Snapshot: &less}
		if tried++; tried > mostHalves || !holds(smaller) {
			return false
		}
		q = smaller
		return true
	})
	q = halvedBy(q, func(s *spec.Snapshot) *[]*v1.Pod { return &s.Pods }, holds)
	q = halvedBy(q, func(s *spec.Snapshot) *[]*storagev1.CSINode { return &s.CSINodes }, holds)
	q = halvedBy(q, func(s *spec.Snapshot) *[]*storagev1.VolumeAttachment { return &s.VolumeAttachments }, holds)
	q = halvedBy(q, func(s *spec.Snapshot) *[]*storagev1.CSIStorageCapacity { return &s.CSIStorageCapacities }, holds)
	q = halvedBy(q, func(s *spec.Snapshot) *[]*storagev1.CSIDriver { return &s.CSIDrivers }, holds)
	q = halvedBy(q, func(s *spec.Snapshot) *[]*v1.PersistentVolumeClaim { return &s.PersistentVolumeClaims }, holds)
	q = halvedBy(q, func(s *spec.Snapshot) *[]*resourcev1.ResourceClaim { return &s.ResourceClaims }, holds)
	q = halvedBy(q, func(s *spec.Snapshot) *[]*resourcev1.ResourceClaimTemplate { return &s.ResourceClaimTemplates },
		holds)
	q = halvedBy(q, func(s *spec.Snapshot) *[]*resourcev1.ResourceSlice { return &s.ResourceSlices }, holds)
	q = halvedBy(q, func(s *spec.Snapshot) *[]*resourcev1.DeviceClass { return &s.DeviceClasses }, holds)
	q = halvedBy(q, func(s *spec.Snapshot) *[]*v1.PersistentVolume { return &s.PersistentVolumes }, holds)
	q = halvedBy(q, func(s *spec.Snapshot) *[]*policyv1.PodDisruptionBudget { return &s.PodDisruptionBudgets }, holds)
	q = halvedBy(q, func(s *spec.Snapshot) *[]*v1.Service { return &s.Services }, holds)
	q = halvedBy(q, func(s *spec.Snapshot) *[]*v1.ReplicationController { return &s.ReplicationControllers }, holds)
	q = halvedBy(q, func(s *spec.Snapshot) *[]*appsv1.ReplicaSet { return &s.ReplicaSets }, holds)
	return halvedBy(q, func(s *spec.Snapshot) *[]*appsv1.StatefulSet { return &s.StatefulSets }, holds)
}

// halvedBy leaves out objects of one kind: all of them, if that may be.
func halvedBy[T any](q spec.Question, of func(*spec.Snapshot) *[]T, holds func(spec.Question) bool) spec.Question {
	tried := 0
	fewer := func(objects []T) bool {
		less := *q.Snapshot
		*of(&less) = objects
		smaller := spec.Question{Pod: q.Pod, Snapshot: &less}
		if tried++; tried > mostHalves || !slices.Contains(less.Pods, q.Pod) || !holds(smaller) {
			return false
		}
		q = smaller
		return true
	}
	if all := *of(q.Snapshot); len(all) > 0 && !fewer(nil) {
		shrunk(all, fewer)
	}
	return q
}

// withoutObjects leaves out what can be left out.
func withoutObjects(q spec.Question, holds func(spec.Question) bool) spec.Question {
	all := objects(q.Snapshot)
	for i := len(all) - 1; i >= 0; i-- {
		if less, ok := withoutObject(q, all[i]); ok && holds(less) {
			q = less
		}
	}
	return q
}

// withoutObject leaves out one object, and the pods that are bound to it if it is a node. The pending pod, the last
// node, and namespaces that something is in, stay.
func withoutObject(q spec.Question, object runtime.Object) (spec.Question, bool) {
	node, isNode := object.(*v1.Node)
	namespace, isNamespace := object.(*v1.Namespace)
	switch {
	case object == runtime.Object(q.Pod),
		isNode && len(q.Snapshot.Nodes) == 1,
		isNamespace && inUse(namespace.Name, q.Snapshot):
		return q, false
	}
	return rebuilt(q, func(o runtime.Object) runtime.Object {
		pod, isPod := o.(*v1.Pod)
		if o == object || isNode && isPod && pod.Spec.NodeName == node.Name {
			return nil
		}
		return o
	}), true
}

// inUse reports whether something is in the namespace.
func inUse(namespace string, s *spec.Snapshot) bool {
	return slices.ContainsFunc(
		objects(s),
		func(o runtime.Object) bool { return o.(metav1.Object).GetNamespace() == namespace },
	)
}

// saidLess leaves out what objects say, one thing at a time.
func saidLess(q spec.Question, valid func(runtime.Object) bool, holds func(spec.Question) bool) spec.Question {
	for k := range objects(q.Snapshot) {
		for i := 0; ; {
			object := objects(q.Snapshot)[k]
			scissors := &reducer{left: i}
			less := scissors.cut(object)
			if !scissors.done {
				break
			}
			smaller := rebuilt(q, func(o runtime.Object) runtime.Object {
				if o == object {
					return less
				}
				return o
			})
			if sizeOf(smaller) < sizeOf(q) && valid(less) && holds(smaller) {
				q = smaller // and what was the next thing to leave out is the i-th now
			} else {
				i++
			}
		}
	}
	return q
}

// reducer cut one thing out of an object: after left others, an element of a list, an entry of a map, or an
// optional field.
type reducer struct {
	left int
	done bool
}

// cut returns a copy of the object with less in it. What identifies the object, where it is and which priority it
// has stays.
func (s *reducer) cut(object runtime.Object) runtime.Object {
	less := object.DeepCopyObject()
	for _, chunk := range []string{"Spec", "Status", "Labels", "Annotations", "DeletionTimestamp", "AllowedTopologies",
		"AllowVolumeExpansion"} {
		if v := reflect.ValueOf(less).Elem().FieldByName(chunk); v.IsValid() {
			s.visit(v)
		}
	}
	if pod, isPod := less.(*v1.Pod); isPod {
		s.blank(reflect.ValueOf(&pod.Status.NominatedNodeName).Elem())
		pod.Spec.Priority = object.(*v1.Pod).Spec.Priority
		pod.Status.StartTime = object.(*v1.Pod).Status.StartTime // without one, production looks at the clock
	}
	if node, isNode := less.(*v1.Node); isNode {
		s.visit(reflect.ValueOf(&node.Spec.Unschedulable).Elem())
	}
	return less
}

func (s *reducer) visit(v reflect.Value) {
	if s.done {
		return
	}
	switch v.Interface().(type) {
	case metav1.Time, resource.Quantity:
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		s.blank(v)
	case reflect.Pointer:
		if s.blank(v); !v.IsNil() {
			s.visit(v.Elem())
		}
	case reflect.Slice:
		for i := v.Len() - 1; i >= 0 && !s.done; i-- {
			if s.here() {
				v.Set(reflect.AppendSlice(v.Slice3(0, i, i), v.Slice(i+1, v.Len())))
				return
			}
			s.visit(v.Index(i))
		}
	case reflect.Map:
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		for _, key := range keys {
			if s.here() {
				v.SetMapIndex(key, reflect.Value{})
				return
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			s.visit(v.Field(i))
		}
	}
}

// blank takes the value away, if there is one and it is its turn.
func (s *reducer) blank(v reflect.Value) {
	if !s.done && !v.IsZero() && s.here() {
		v.SetZero()
	}
}

func (s *reducer) here() bool {
	if s.done {
		return false
	}
	s.done = s.left == 0
	s.left--
	return s.done
}

// rebuilt returns the question with other objects in the place of its own; nil leaves one out.
func rebuilt(q spec.Question, to func(runtime.Object) runtime.Object) spec.Question {
	s := q.Snapshot
	return spec.Question{Pod: to(q.Pod).(*v1.Pod), Snapshot: &spec.Snapshot{
		Nodes:                  rebuiltList(s.Nodes, to),
		Pods:                   rebuiltList(s.Pods, to),
		Namespaces:             rebuiltList(s.Namespaces, to),
		PodDisruptionBudgets:   rebuiltList(s.PodDisruptionBudgets, to),
		PersistentVolumes:      rebuiltList(s.PersistentVolumes, to),
		PersistentVolumeClaims: rebuiltList(s.PersistentVolumeClaims, to),
		StorageClasses:         rebuiltList(s.StorageClasses, to),
		CSINodes:               rebuiltList(s.CSINodes, to),
		VolumeAttachments:      rebuiltList(s.VolumeAttachments, to),
		CSIDrivers:             rebuiltList(s.CSIDrivers, to),
		CSIStorageCapacities:   rebuiltList(s.CSIStorageCapacities, to),
		ResourceClaims:         rebuiltList(s.ResourceClaims, to),
		ResourceClaimTemplates: rebuiltList(s.ResourceClaimTemplates, to),
		ResourceSlices:         rebuiltList(s.ResourceSlices, to),
		DeviceClasses:          rebuiltList(s.DeviceClasses, to),
		Services:               rebuiltList(s.Services, to),
		ReplicationControllers: rebuiltList(s.ReplicationControllers, to),
		ReplicaSets:            rebuiltList(s.ReplicaSets, to),
		StatefulSets:           rebuiltList(s.StatefulSets, to),
	}}
}

func rebuiltList[T runtime.Object](objects []T, to func(runtime.Object) runtime.Object) []T {
	var all []T
	for _, object := range objects {
		if other := to(object); other != nil {
			all = append(all, other.(T))
		}
	}
	return all
}
