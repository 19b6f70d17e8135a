package generate

import (
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// Admission does to objects what an API server does on their way in: it returns the admitted objects, of the same
// types and in the same order, and the errors of each. The package production/admission has one made of Kubernetes'
// own code.
type Admission func(objects []runtime.Object) ([]runtime.Object, []field.ErrorList)

// Admitted takes the objects of a drawn question through admission. Pods come in as new ones, so that what is
// filled in on creation is, such as the label selectors that matchLabelKeys stand for; their priorities are those
// drawn, also none, for there may be such pods from before. An object that the API server would refuse is an error.
func Admitted(q spec.Question, admit Admission) (spec.Question, error) {
	admitted, refused := admittedOf(q, admit)
	if len(refused) > 0 {
		return q, refused[0]
	}
	return *admitted, nil
}

// Comparable is Admitted for a release that may refuse what the newest admits: it leaves such objects out, and returns
// how many. nil if the pod that is asked about is one of them, or chance decides.
func Comparable(q spec.Question, admit Admission) (*spec.Question, int) {
	admitted, refused := admittedOf(q, admit)
	if admitted != nil && LeftToChance(*admitted) {
		admitted = nil
	}
	return admitted, len(refused)
}

// admittedOf returns the question without the objects that are refused, and why they are; nil if its pod is.
func admittedOf(q spec.Question, admit Admission) (*spec.Question, []error) {
	objects := objectsOf(q.Snapshot)
	created := make([]runtime.Object, len(objects))
	for i, object := range objects {
		created[i] = object
		if pod, isPod := object.(*v1.Pod); isPod {
			created[i] = newPod(pod)
		}
	}
	admitted, errs := admit(created)
	is := &spec.Question{Snapshot: &spec.Snapshot{}}
	var refused []error
	for i, object := range admitted {
		if len(errs[i]) > 0 {
			refused = append(refused, fmt.Errorf("the API server would refuse %T %d: %w", object, i, errs[i].ToAggregate()))
			continue
		}
		if pod, isPod := object.(*v1.Pod); isPod {
			drawn := objects[i].(*v1.Pod)
			if asDrawn(pod, drawn); drawn == q.Pod {
				is.Pod = pod
			}
		}
		put(is.Snapshot, object)
	}
	if is.Pod == nil {
		return nil, refused
	}
	is.Snapshot.Now = spec.Moment(is.Snapshot)
	return is, refused
}

// newPod returns the pod as somebody would create it, who cannot state a priority without its class.
func newPod(pod *v1.Pod) *v1.Pod {
	fresh := *pod
	fresh.UID, fresh.Spec.Priority, fresh.Spec.PreemptionPolicy = "", nil, nil
	return &fresh
}

// asDrawn returns an admitted pod back what newPod took.
func asDrawn(pod, drawn *v1.Pod) {
	pod.UID, pod.Spec.Priority = drawn.UID, drawn.Spec.Priority
	if drawn.Spec.Priority == nil || drawn.Spec.PreemptionPolicy != nil {
		pod.Spec.PreemptionPolicy = drawn.Spec.PreemptionPolicy
	}
}

// admittedAgain takes objects that came out of Admitted, and were changed since, through admission as ones that are
// stored; nil if the API server would refuse one.
func admittedAgain(s *spec.Snapshot, admit Admission) *spec.Snapshot {
	objects := objectsOf(s)
	stored := slices.Clone(objects)
	for i, object := range objects {
		if pod, isPod := object.(*v1.Pod); isPod && pod.Spec.Priority == nil {
			with := *pod
			with.Spec.Priority = new(int32)
			stored[i] = &with
		}
	}
	admitted, errs := admit(stored)
	again := &spec.Snapshot{}
	for i, object := range admitted {
		if len(errs[i]) > 0 {
			return nil
		}
		if pod, isPod := object.(*v1.Pod); isPod {
			pod.Spec.Priority = objects[i].(*v1.Pod).Spec.Priority
		}
		put(again, object)
	}
	again.Now = spec.Moment(again)
	return again
}

// objectsOf lists the objects of a snapshot.
func objectsOf(s *spec.Snapshot) []runtime.Object {
	var all []runtime.Object
	all = listed(all, s.Nodes)
	all = listed(all, s.Pods)
	all = listed(all, s.Namespaces)
	all = listed(all, s.PodDisruptionBudgets)
	all = listed(all, s.StorageClasses)
	all = listed(all, s.PersistentVolumes)
	all = listed(all, s.PersistentVolumeClaims)
	all = listed(all, s.CSINodes)
	all = listed(all, s.VolumeAttachments)
	all = listed(all, s.CSIDrivers)
	all = listed(all, s.CSIStorageCapacities)
	all = listed(all, s.DeviceClasses)
	all = listed(all, s.ResourceSlices)
	all = listed(all, s.ResourceClaims)
	all = listed(all, s.ResourceClaimTemplates)
	all = listed(all, s.Services)
	all = listed(all, s.ReplicationControllers)
	all = listed(all, s.ReplicaSets)
	return listed(all, s.StatefulSets)
}

func listed[T runtime.Object](all []runtime.Object, more []T) []runtime.Object {
	for _, object := range more {
		all = append(all, object)
	}
	return all
}

// put adds an object to a snapshot.
func put(s *spec.Snapshot, object runtime.Object) {
	switch o := object.(type) {
	case *v1.Node:
		s.Nodes = append(s.Nodes, o)
	case *v1.Pod:
		s.Pods = append(s.Pods, o)
	case *v1.Namespace:
		s.Namespaces = append(s.Namespaces, o)
	case *policyv1.PodDisruptionBudget:
		s.PodDisruptionBudgets = append(s.PodDisruptionBudgets, o)
	case *storagev1.StorageClass:
		s.StorageClasses = append(s.StorageClasses, o)
	case *v1.PersistentVolume:
		s.PersistentVolumes = append(s.PersistentVolumes, o)
	case *v1.PersistentVolumeClaim:
		s.PersistentVolumeClaims = append(s.PersistentVolumeClaims, o)
	case *storagev1.CSINode:
		s.CSINodes = append(s.CSINodes, o)
	case *storagev1.VolumeAttachment:
		s.VolumeAttachments = append(s.VolumeAttachments, o)
	case *storagev1.CSIDriver:
		s.CSIDrivers = append(s.CSIDrivers, o)
	case *storagev1.CSIStorageCapacity:
		s.CSIStorageCapacities = append(s.CSIStorageCapacities, o)
	case *resourcev1.DeviceClass:
		s.DeviceClasses = append(s.DeviceClasses, o)
	case *resourcev1.ResourceSlice:
		s.ResourceSlices = append(s.ResourceSlices, o)
	case *resourcev1.ResourceClaim:
		s.ResourceClaims = append(s.ResourceClaims, o)
	case *resourcev1.ResourceClaimTemplate:
		s.ResourceClaimTemplates = append(s.ResourceClaimTemplates, o)
	case *v1.Service:
		s.Services = append(s.Services, o)
	case *v1.ReplicationController:
		s.ReplicationControllers = append(s.ReplicationControllers, o)
	case *appsv1.ReplicaSet:
		s.ReplicaSets = append(s.ReplicaSets, o)
	case *appsv1.StatefulSet:
		s.StatefulSets = append(s.StatefulSets, o)
	}
}
