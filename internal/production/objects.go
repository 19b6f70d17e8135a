package production

import (
	"fmt"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// objects holds what the plugins see through informers and listers: exactly the snapshot of the
// question at hand. Types that a snapshot does not have (rules that taint devices, ...) are served
// by the factory's ordinary informers, which are never run and so stay empty.
type objects struct {
	nodes             *feed[*v1.Node]
	pods              *feed[*v1.Pod]
	namespaces        *feed[*v1.Namespace]
	budgets           *feed[*policyv1.PodDisruptionBudget]
	volumes           *feed[*v1.PersistentVolume]
	claims            *feed[*v1.PersistentVolumeClaim]
	storageClasses    *feed[*storagev1.StorageClass]
	csiNodes          *feed[*storagev1.CSINode]
	volumeAttachments *feed[*storagev1.VolumeAttachment]
	csiDrivers        *feed[*storagev1.CSIDriver]
	storageCapacities *feed[*storagev1.CSIStorageCapacity]
	resourceClaims    *feed[*resourcev1.ResourceClaim]
	resourceSlices    *feed[*resourcev1.ResourceSlice]
	deviceClasses     *feed[*resourcev1.DeviceClass]

	services               *feed[*v1.Service]
	replicationControllers *feed[*v1.ReplicationController]
	replicaSets            *feed[*appsv1.ReplicaSet]
	statefulSets           *feed[*appsv1.StatefulSet]

	moments moments
}

// newObjects puts a feed in the factory's place for every type of object that a snapshot has. It must
// come before anybody else asks the factory for these informers.
func newObjects(factory informers.SharedInformerFactory) *objects {
	return &objects{
		nodes:             newFeed[*v1.Node](factory, &v1.Node{}),
		pods:              newFeed[*v1.Pod](factory, &v1.Pod{}),
		namespaces:        newFeed[*v1.Namespace](factory, &v1.Namespace{}),
		budgets:           newFeed[*policyv1.PodDisruptionBudget](factory, &policyv1.PodDisruptionBudget{}),
		volumes:           newFeed[*v1.PersistentVolume](factory, &v1.PersistentVolume{}),
		claims:            newFeed[*v1.PersistentVolumeClaim](factory, &v1.PersistentVolumeClaim{}),
		storageClasses:    newFeed[*storagev1.StorageClass](factory, &storagev1.StorageClass{}),
		csiNodes:          newFeed[*storagev1.CSINode](factory, &storagev1.CSINode{}),
		volumeAttachments: newFeed[*storagev1.VolumeAttachment](factory, &storagev1.VolumeAttachment{}),
		csiDrivers:        newFeed[*storagev1.CSIDriver](factory, &storagev1.CSIDriver{}),
		storageCapacities: newFeed[*storagev1.CSIStorageCapacity](factory, &storagev1.CSIStorageCapacity{}),
		resourceClaims:    newFeed[*resourcev1.ResourceClaim](factory, &resourcev1.ResourceClaim{}),
		resourceSlices:    newFeed[*resourcev1.ResourceSlice](factory, &resourcev1.ResourceSlice{}),
		deviceClasses:     newFeed[*resourcev1.DeviceClass](factory, &resourcev1.DeviceClass{}),

		services:               newFeed[*v1.Service](factory, &v1.Service{}),
		replicationControllers: newFeed[*v1.ReplicationController](factory, &v1.ReplicationController{}),
		replicaSets:            newFeed[*appsv1.ReplicaSet](factory, &appsv1.ReplicaSet{}),
		statefulSets:           newFeed[*appsv1.StatefulSet](factory, &appsv1.StatefulSet{}),
	}
}

// set makes the snapshot's objects the ones the plugins see, of a profile that lets drivers of devices take so long.
func (o *objects) set(s *spec.Snapshot, bindingTimeout time.Duration) error {
	sets := [...]func() error{
		func() error { return o.nodes.set(s.Nodes) },
		func() error { return o.namespaces.set(s.Namespaces) },
		func() error { return o.storageClasses.set(s.StorageClasses) },
		func() error { return o.csiNodes.set(s.CSINodes) },
		func() error { return o.volumes.set(s.PersistentVolumes) },
		func() error { return o.claims.set(s.PersistentVolumeClaims) },
		func() error { return o.volumeAttachments.set(s.VolumeAttachments) },
		func() error { return o.csiDrivers.set(s.CSIDrivers) },
		func() error { return o.storageCapacities.set(s.CSIStorageCapacities) },
		func() error { return o.deviceClasses.setAfresh(s.DeviceClasses) },
		func() error { return o.resourceSlices.set(s.ResourceSlices) },
		func() error { return o.resourceClaims.setAfresh(o.moments.show(s, bindingTimeout)) },
		func() error { return o.budgets.set(s.PodDisruptionBudgets) },
		func() error { return o.services.set(s.Services) },
		func() error { return o.replicationControllers.set(s.ReplicationControllers) },
		func() error { return o.replicaSets.set(s.ReplicaSets) },
		func() error { return o.statefulSets.set(s.StatefulSets) },
		func() error { return o.pods.set(s.Pods) },
	}
	for _, set := range sets {
		if err := set(); err != nil {
			return err
		}
	}
	return nil
}

// object is an API object, known by its pointer.
type object interface {
	comparable
	runtime.Object
}

// feed is a shared informer that is told its objects instead of watching for them. Handlers are
// called before set returns, on the caller's goroutine. The informer it embeds is never run: it only
// lends its indexer.
type feed[T object] struct {
	cache.SharedIndexInformer

	handlers []cache.ResourceEventHandler
	// held are the objects of the last set, in its order.
	held []T
	// round counts the sets, and seen tells in which one an object was last present. It has exactly the
	// objects of held.
	round uint64
	seen  map[T]uint64
}

func newFeed[T object](factory informers.SharedInformerFactory, kind runtime.Object) *feed[T] {
	f := &feed[T]{seen: map[T]uint64{}}
	factory.InformerFor(kind, func(kubernetes.Interface, time.Duration) cache.SharedIndexInformer {
		indexers := cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}
		f.SharedIndexInformer = cache.NewSharedIndexInformer(&cache.ListWatch{}, kind, 0, indexers)
		return f
	})
	return f
}

// set replaces the objects. Handlers hear of those that went, then of those that came, each in
// order. An object that changed is one that went and one that came: the assume caches of the plugins
// ignore an update whose resource version is not newer, and the versions of a model do not grow.
func (f *feed[T]) set(objects []T) error {
	if slices.Equal(f.held, objects) {
		return nil
	}
	f.round++
	var came []T
	for _, o := range objects {
		if _, held := f.seen[o]; !held {
			came = append(came, o)
		}
		f.seen[o] = f.round
	}
	for _, o := range f.held {
		if f.seen[o] != f.round {
			if err := f.remove(o); err != nil {
				return err
			}
		}
	}
	for _, o := range came {
		if err := f.add(o); err != nil {
			return err
		}
	}
	f.held = append(f.held[:0], objects...)
	return nil
}

// setAfresh is set for objects of which plugins remember one where several say the same thing, so that what they know
// would depend on who went before: if anything differs, all go, and all come.
func (f *feed[T]) setAfresh(objects []T) error {
	if slices.Equal(f.held, objects) {
		return nil
	}
	if err := f.set(nil); err != nil {
		return err
	}
	return f.set(objects)
}

func (f *feed[T]) remove(o T) error {
	delete(f.seen, o)
	if err := f.GetIndexer().Delete(o); err != nil {
		return fmt.Errorf("taking %T out of its informer: %w", o, err)
	}
	for _, h := range f.handlers {
		h.OnDelete(o)
	}
	return nil
}

func (f *feed[T]) add(o T) error {
	if err := f.GetIndexer().Add(o); err != nil {
		return fmt.Errorf("putting %T into its informer: %w", o, err)
	}
	for _, h := range f.handlers {
		h.OnAdd(o, false)
	}
	return nil
}

// AddEventHandler registers a handler and tells it of the objects that are there.
func (f *feed[T]) AddEventHandler(h cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	return f.AddEventHandlerWithOptions(h, cache.HandlerOptions{})
}

// AddEventHandlerWithResyncPeriod is AddEventHandler: a feed has nothing to synchronise again.
func (f *feed[T]) AddEventHandlerWithResyncPeriod(h cache.ResourceEventHandler,
	_ time.Duration) (cache.ResourceEventHandlerRegistration, error) {
	return f.AddEventHandlerWithOptions(h, cache.HandlerOptions{})
}

// AddEventHandlerWithOptions is AddEventHandler: the options concern logging and resynchronisation. The
// registration comes from the embedded informer, which never calls anybody.
func (f *feed[T]) AddEventHandlerWithOptions(h cache.ResourceEventHandler,
	options cache.HandlerOptions) (cache.ResourceEventHandlerRegistration, error) {
	f.handlers = append(f.handlers, h)
	for _, o := range f.held {
		h.OnAdd(o, true)
	}
	return f.SharedIndexInformer.AddEventHandlerWithOptions(cache.ResourceEventHandlerFuncs{}, options)
}

// HasSynced is always true: the objects are there before anybody is asked.
func (f *feed[T]) HasSynced() bool { return true }
