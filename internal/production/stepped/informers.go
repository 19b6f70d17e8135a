package stepped

import (
	"fmt"
	"slices"
	"strings"
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

	"github.com/seed-a3f26817/modelcheck/internal/loop"
)

// watched are the kinds of object that a run has.
func watched() []runtime.Object {
	return []runtime.Object{
		&v1.Node{}, &v1.Pod{}, &v1.Namespace{}, &policyv1.PodDisruptionBudget{}, &v1.PersistentVolume{},
		&v1.PersistentVolumeClaim{}, &storagev1.StorageClass{}, &storagev1.CSINode{}, &storagev1.VolumeAttachment{},
		&storagev1.CSIDriver{}, &storagev1.CSIStorageCapacity{},
		&resourcev1.DeviceClass{}, &resourcev1.ResourceSlice{}, &resourcev1.ResourceClaim{},
		&resourcev1.ResourceClaimTemplate{}, // which only controllers watch
		&v1.Service{}, &v1.ReplicationController{}, &appsv1.ReplicaSet{}, &appsv1.StatefulSet{},
	}
}

// absent are the other kinds that the scheduler asks for. There are never any; a real informer would keep room for
// a thousand events of each.
func absent() []runtime.Object { return releaseAbsent() }

// informer is a shared informer that is told of changes instead of watching for them. It calls the handlers on the
// goroutine that delivers, one after the other in the order of their registration. The informer it embeds is never
// run: it lends its indexer.
type informer struct {
	cache.SharedIndexInformer
	handlers []cache.ResourceEventHandler
}

// GetIndexer implements cache.SharedIndexInformer.
func (i *informer) GetIndexer() cache.Indexer { return sorted{i.SharedIndexInformer.GetIndexer()} }

// sorted lists objects in the order of their keys. Production goes through them as they come, which is in the order of
// a map: of two volumes that are reserved for a claim, say, it takes the first.
type sorted struct{ cache.Indexer }

// List implements cache.Store.
func (s sorted) List() []any { return inOrderOfKeys(s.Indexer.List()) }

// ByIndex implements cache.Indexer.
func (s sorted) ByIndex(name, value string) ([]any, error) {
	objects, err := s.Indexer.ByIndex(name, value)
	return inOrderOfKeys(objects), err
}

// Index implements cache.Indexer.
func (s sorted) Index(name string, object any) ([]any, error) {
	objects, err := s.Indexer.Index(name, object)
	return inOrderOfKeys(objects), err
}

func inOrderOfKeys(objects []any) []any {
	slices.SortFunc(objects, func(a, b any) int {
		x, _ := cache.MetaNamespaceKeyFunc(a)
		y, _ := cache.MetaNamespaceKeyFunc(b)
		return strings.Compare(x, y)
	})
	return objects
}

// newInformers puts an informer in the factory's place for every kind, and gives those of the watched ones. It must
// come before anybody else asks for these.
func newInformers(factory informers.SharedInformerFactory) map[string]*informer {
	all := map[string]*informer{}
	for _, kind := range append(watched(), absent()...) {
		i := &informer{}
		factory.InformerFor(kind, func(kubernetes.Interface, time.Duration) cache.SharedIndexInformer {
			indexers := cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}
			i.SharedIndexInformer = cache.NewSharedIndexInformer(&cache.ListWatch{}, kind, 0, indexers)
			return i
		})
		all[loop.RefOf(kind).Kind] = i
	}
	for _, kind := range absent() {
		delete(all, loop.RefOf(kind).Kind)
	}
	return all
}

// list makes a change known to the listers.
func (i *informer) list(c change) error {
	var err error
	if c.new == nil {
		err = i.GetIndexer().Delete(c.old)
	} else {
		err = i.GetIndexer().Update(c.new)
	}
	if err != nil {
		return fmt.Errorf("telling the informer of %s: %w", c.ref, err)
	}
	return nil
}

// deliver makes a change known: first to the listers, then to the handlers. One that was missed comes as the objects of
// its kind are listed anew: handlers hear of each, in the order of their keys, as of one that has changed; then of what
// is not there any more.
func (i *informer) deliver(c change) error {
	if err := i.list(c); err != nil {
		return err
	}
	if c.missed {
		keys := i.GetIndexer().ListKeys()
		slices.Sort(keys)
		for _, key := range keys {
			object, _, err := i.GetIndexer().GetByKey(key)
			if err != nil {
				return fmt.Errorf("listing %s anew: %w", key, err)
			}
			if same, _ := object.(runtime.Object); same != c.new {
				i.tell(change{ref: loop.RefOf(same), old: same, new: same})
			} else {
				i.tell(c)
			}
		}
	}
	if !c.missed || c.new == nil {
		i.tell(c)
	}
	return nil
}

// tell has the handlers hear of a change.
func (i *informer) tell(c change) {
	for _, h := range i.handlers {
		switch {
		case c.old == nil:
			h.OnAdd(c.new, false)
		case c.new == nil && c.missed:
			h.OnDelete(cache.DeletedFinalStateUnknown{Key: c.ref.Key(), Obj: c.old})
		case c.new == nil:
			h.OnDelete(c.old)
		default:
			h.OnUpdate(c.old, c.new)
		}
	}
}

// AddEventHandler registers a handler. There is nothing yet to tell it of: handlers come before objects.
func (i *informer) AddEventHandler(h cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	return i.AddEventHandlerWithOptions(h, cache.HandlerOptions{})
}

// AddEventHandlerWithResyncPeriod is AddEventHandler: nothing is ever synchronised again.
func (i *informer) AddEventHandlerWithResyncPeriod(h cache.ResourceEventHandler,
	_ time.Duration) (cache.ResourceEventHandlerRegistration, error) {
	return i.AddEventHandlerWithOptions(h, cache.HandlerOptions{})
}

// AddEventHandlerWithOptions is AddEventHandler. The embedded informer would keep room for a thousand events for
// each handler.
func (i *informer) AddEventHandlerWithOptions(h cache.ResourceEventHandler,
	_ cache.HandlerOptions) (cache.ResourceEventHandlerRegistration, error) {
	i.handlers = append(i.handlers, h)
	return handled{i}, nil
}

// HasSynced is always true: the listers have every object.
func (i *informer) HasSynced() bool { return true }

// handled is the registration of a handler with an informer: it has been told everything.
type handled struct{ by *informer }

var _ cache.ResourceEventHandlerRegistration = handled{}

// HasSynced implements cache.ResourceEventHandlerRegistration.
func (handled) HasSynced() bool { return true }
