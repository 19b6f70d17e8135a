package loop

import (
	"maps"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// changedObjects returns the changes of objects that are neither nodes, pods nor namespaces to what the scope's object
// of the same name is like, in fields that the API server lets change; and those that take something away.
func (s *Scope) changedObjects(state *State) []Action {
	var actions []Action
	like := map[Ref]runtime.Object{}
	for _, object := range Objects(s.Templates) {
		like[RefOf(object)] = object
	}
	for _, object := range Objects(state.API) {
		if wanted := like[RefOf(object)]; wanted != nil {
			if after := changedLike(object, wanted); after != nil {
				actions = append(actions, update(object, after, likeAnother+"of the other kind")...)
			}
		}
		actions = append(actions, lessened(object)...)
	}
	return actions
}

// alike returns the changes of objects to what the next one of their kind is like.
func (s *Scope) alike(state *State) []Action {
	kinds := map[string][]runtime.Object{}
	for _, object := range Objects(s.Templates) {
		kind := RefOf(object).Kind
		kinds[kind] = append(kinds[kind], object)
	}
	var actions []Action
	for _, object := range Objects(state.API) {
		if kind := RefOf(object).Kind; kind != "Pod" && kind != "Node" && kind != "Namespace" {
			actions = append(actions, likeNext(object, kinds[kind], 1)...)
		}
	}
	return actions
}

// likeNext returns the changes of the object to what the next ones of its kind are like, so many of them at most.
func likeNext(object runtime.Object, kind []runtime.Object, most int) []Action {
	var actions []Action
	at := slices.IndexFunc(kind, func(o runtime.Object) bool { return RefOf(o) == RefOf(object) })
	for n := range min(most, len(kind)-1) {
		like := kind[(at+1+n)%len(kind)]
		after := changedLike(object, like)
		if slice, is := object.(*resourcev1.ResourceSlice); is {
			after = withDevices(slice, like.(*resourcev1.ResourceSlice), kind)
		}
		if after != nil {
			actions = append(actions, update(object, after, likeAnother+RefOf(like).Key())...)
		}
	}
	return actions
}

// lessened returns the changes that take away what the object demands, or is there for, or have it demand too much; and
// one of a class that nothing of scheduling turns on.
func lessened(object runtime.Object) []Action {
	switch object := object.(type) {
	case *storagev1.CSINode:
		unlimited, empty, fewer := object.DeepCopy(), object.DeepCopy(), object.DeepCopy()
		for i := range unlimited.Spec.Drivers { // said in both ways that the API has
			unlimited.Spec.Drivers[i].Allocatable = []*storagev1.VolumeNodeResources{{}, nil}[i%2]
		}
		empty.Spec.Drivers = nil
		for _, driver := range fewer.Spec.Drivers {
			if limit := driver.Allocatable; limit != nil && limit.Count != nil && *limit.Count > 0 {
				*limit.Count--
			}
		}
		inTree := object.DeepCopy()
		delete(inTree.Annotations, v1.MigratedPluginsAnnotationKey)
		return slices.Concat(update(object, inTree, "plugins: none is migrated"),
			update(object, unlimited, "limits: its drivers have none"),
			update(object, empty, "drivers: it has none"), update(object, fewer, "limits: each is one less"))
	case *storagev1.CSIDriver:
		lenient, silent := object.DeepCopy(), object.DeepCopy()
		keepAwayWhereMissing(lenient, &storagev1.CSIDriver{})
		silent.Spec.StorageCapacity = new(false)
		var actions []Action
		if spec.PreventsIfMissing(object) {
			actions = update(object, lenient, "where it is missing: pods may be placed")
		}
		if reportsCapacity(object) {
			actions = append(actions, update(object, silent, "reports: it tells no capacity any more")...)
		}
		return actions
	case *storagev1.CSIStorageCapacity:
		full, untold := object.DeepCopy(), object.DeepCopy()
		full.Capacity, full.MaximumVolumeSize = new(resource.Quantity), nil
		untold.Capacity, untold.MaximumVolumeSize = nil, nil
		return append(update(object, full, "capacity: it has none left"),
			update(object, untold, "capacity: it is not told")...)
	case *storagev1.StorageClass:
		narrow := object.DeepCopy()
		narrow.AllowedTopologies = []v1.TopologySelectorTerm{{MatchLabelExpressions: []v1.TopologySelectorLabelRequirement{
			{Key: v1.LabelTopologyZone, Values: []string{"nowhere"}}}}}
		other := object.DeepCopy()
		other.AllowVolumeExpansion = new(!ptr.Deref(object.AllowVolumeExpansion, false))
		expand := map[bool]string{false: "no more be", true: "be"}[*other.AllowVolumeExpansion]
		return append(update(object, narrow, "topologies: it allows one that no node has"),
			update(object, other, "expansion: its volumes may "+expand+" expanded")...)
	case *v1.PersistentVolume:
		var actions []Action
		for _, key := range sortedKeys(object.Labels) {
			without := object.DeepCopy()
			delete(without.Labels, key)
			actions = append(actions, update(object, without, "labels: it loses "+key)...)
		}
		if object.Status.Phase == v1.VolumeReleased { // its data is kept: reclaim policy Retain
			free := object.DeepCopy()
			free.Spec.ClaimRef, free.Status.Phase = nil, v1.VolumeAvailable
			actions = append(actions, update(object, free, "claim: it is for none, so it is available")...)
		}
		return actions
	case *resourcev1.DeviceClass:
		return unnamed(object)
	}
	return nil
}

// changedLike returns the object with the fields of another that may change; nil for kinds of which none does here.
func changedLike(object, like runtime.Object) runtime.Object {
	switch like := like.(type) {
	case *policyv1.PodDisruptionBudget:
		after := object.DeepCopyObject().(*policyv1.PodDisruptionBudget)
		after.Spec, after.Status = like.Spec, like.Status
		return after
	case *v1.Service:
		after := object.DeepCopyObject().(*v1.Service)
		after.Spec.Selector = like.Spec.Selector
		return after
	case *storagev1.CSINode:
		after := object.DeepCopyObject().(*storagev1.CSINode)
		after.Annotations, after.Spec.Drivers = maps.Clone(like.Annotations), like.Spec.Drivers
		return after
	case *storagev1.StorageClass:
		after := object.DeepCopyObject().(*storagev1.StorageClass)
		after.AllowedTopologies = like.AllowedTopologies
		return after
	case *storagev1.CSIDriver:
		after := object.DeepCopyObject().(*storagev1.CSIDriver)
		after.Spec.StorageCapacity = like.Spec.StorageCapacity
		keepAwayWhereMissing(after, like)
		return after
	case *storagev1.CSIStorageCapacity:
		after := object.DeepCopyObject().(*storagev1.CSIStorageCapacity)
		after.Capacity, after.MaximumVolumeSize = like.Capacity, like.MaximumVolumeSize
		return after
	case *v1.PersistentVolume:
		after := object.DeepCopyObject().(*v1.PersistentVolume)
		after.Labels = maps.Clone(like.Labels)
		if after.Spec.ClaimRef == nil {
			after.Spec.Capacity, after.Spec.AccessModes = like.Spec.Capacity, like.Spec.AccessModes
			after.Spec.StorageClassName = like.Spec.StorageClassName
		}
		return after
	case *resourcev1.DeviceClass:
		after := object.DeepCopyObject().(*resourcev1.DeviceClass)
		after.Spec = like.Spec
		return after
	}
	return nil
}

// withDevices returns the slice with the devices of the other one, and with the next generation of its pool, as the
// driver must say whenever it changes something (field doc of ResourcePool.generation); nil if the API server would not
// take it, or one of the pools has more of the slices, which would all change.
func withDevices(slice, like *resourcev1.ResourceSlice, all []runtime.Object) runtime.Object {
	alone := func(one *resourcev1.ResourceSlice) bool {
		pool := one.Spec.Pool
		return pool.ResourceSliceCount == 1 && !slices.ContainsFunc(all, func(o runtime.Object) bool {
			other := o.(*resourcev1.ResourceSlice)
			return other.Name != one.Name && other.Spec.Driver == one.Spec.Driver && other.Spec.Pool.Name == pool.Name
		})
	}
	perDevice := func(one *resourcev1.ResourceSlice) bool { return ptr.Deref(one.Spec.PerDeviceNodeSelection, false) }
	if !alone(slice) || !alone(like) || perDevice(slice) != perDevice(like) || len(slice.Spec.SharedCounters) > 0 ||
		equality.Semantic.DeepEqual(slice.Spec.Devices, like.Spec.Devices) {
		return nil
	}
	after := slice.DeepCopy()
	after.Spec.Devices = like.Spec.Devices
	after.Spec.Pool.Generation++
	return after
}

// unnamed returns the change that takes the extended resource away for which the class stands.
func unnamed(class *resourcev1.DeviceClass) []Action {
	after := class.DeepCopy()
	after.Spec.ExtendedResourceName = nil
	return update(class, after, "resource: it stands for none")
}

func tolerationInWords(t v1.Toleration) string {
	return strings.Join([]string{t.Key, string(t.Operator), t.Value, string(t.Effect)}, ":")
}

// resized returns the pod with the requests of the other, for cpu and memory of its containers; nil if the API server
// would not let it become so: its containers are others, a request would come or go, or there are limits, which are to
// keep the QoS class that the pod has. The kubelet is taken to follow at once.
//
// Source: https://kubernetes.io/docs/tasks/configure-pod-container/resize-container-resources/ (limitations).
func resized(pod, like *v1.Pod) *v1.Pod {
	if len(pod.Spec.Containers) != len(like.Spec.Containers) || pod.Spec.Resources != nil {
		return nil
	}
	after := new(v1.Pod)
	*after = *pod // nobody changes what both have
	after.Spec.Containers = slices.Clone(pod.Spec.Containers)
	for i := range after.Spec.Containers {
		from, to := pod.Spec.Containers[i].Resources, like.Spec.Containers[i].Resources
		if len(from.Limits) > 0 || len(to.Limits) > 0 {
			return nil
		}
		requests := from.Requests.DeepCopy()
		for _, name := range []v1.ResourceName{v1.ResourceCPU, v1.ResourceMemory} {
			was, had := from.Requests[name]
			is, has := to.Requests[name]
			if had != has {
				return nil
			}
			if had && !was.Equal(is) {
				requests[name] = is
			}
		}
		after.Spec.Containers[i].Resources.Requests = requests
	}
	after.Status.ContainerStatuses = slices.Clone(pod.Status.ContainerStatuses)
	for i := range after.Status.ContainerStatuses {
		status := &after.Status.ContainerStatuses[i]
		for _, container := range after.Spec.Containers {
			if container.Name == status.Name && status.AllocatedResources != nil {
				status.AllocatedResources = container.Resources.Requests
				status.Resources = &container.Resources
			}
		}
	}
	return after
}

// namespaces returns the creation of namespaces of the scope that are not there, or the removal of those in which there
// is nothing.
func (s *Scope) namespaces(state *State, kind EventType) []Action {
	var actions []Action
	there, used := map[string]bool{}, map[string]bool{v1.NamespaceDefault: true}
	for _, object := range Objects(state.API) {
		if ref := RefOf(object); ref.Kind == "Namespace" {
			there[ref.Name] = true
		} else {
			used[ref.Namespace] = true
		}
	}
	for _, namespace := range s.Templates.Namespaces {
		if kind == NamespaceAdded && !there[namespace.Name] {
			actions = append(actions, Action{Verb: Create, Ref: RefOf(namespace), Object: namespace})
		}
	}
	for _, namespace := range state.API.Namespaces {
		if kind == NamespaceRemoved && !used[namespace.Name] {
			actions = append(actions, Action{Verb: Delete, Ref: RefOf(namespace)})
		}
	}
	return actions
}

// awaitsNamespace reports whether the namespace of the object is one of the scope's that is not there.
func (s *Scope) awaitsNamespace(object runtime.Object, state *State) bool {
	name := RefOf(object).Namespace
	is := func(namespace *v1.Namespace) bool { return namespace.Name == name }
	return slices.ContainsFunc(s.Templates.Namespaces, is) && !slices.ContainsFunc(state.API.Namespaces, is)
}
