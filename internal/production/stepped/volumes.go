package stepped

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"unsafe"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumebinding"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
)

// volumes stands between the plugin VolumeBinding and its binder. Production writes to the API server which claims
// and volumes belong together, and then looks once a second whether the volume controller has bound them. Here its wait
// is cut short, and it looks after every action instead: all but the second in between is production's own.
type volumes struct {
	volumebinding.SchedulerVolumeBinder
	cycles *cycles
	api    *api
}

//
//go:linkname checkBindings k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumebinding.(*volumeBinder).checkBindings
func checkBindings(binder unsafe.Pointer, logger klog.Logger, pod *v1.Pod, bindings []*volumebinding.BindingInfo,
	claims []*v1.PersistentVolumeClaim) (bool, error)

// BindPodVolumes implements volumebinding.SchedulerVolumeBinder.
func (v *volumes) BindPodVolumes(ctx context.Context, pod *v1.Pod, chosen *volumebinding.PodVolumes) error {
	binder, bindings := reflect.ValueOf(v.SchedulerVolumeBinder).UnsafePointer(), chosen.StaticBindings
	if err := v.ask(ctx, pod, chosen); !errors.Is(err, context.Canceled) {
		return err
	}
	claims := v.api.written(chosen.DynamicProvisions)
	b := v.cycles.binding(pod.UID)
	b.bound = func() (bool, error) {
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		return checkBindings(binder, klog.FromContext(ctx), pod, bindings, claims)
	}
	v.cycles.pause(b)
	b.bound = nil
	if err := cmp.Or(b.err, ctx.Err()); err != nil { // who is evicted meanwhile has its context ended
		return fmt.Errorf("binding volumes: %w", err)
	}
	return nil
}

// ask has production write what the pod wants, and wait for it, for no time. Who answers its calls does not look at
// that.
func (v *volumes) ask(ctx context.Context, pod *v1.Pod, chosen *volumebinding.PodVolumes) error {
	noTime, cancel := context.WithCancel(ctx)
	cancel()
	return v.SchedulerVolumeBinder.BindPodVolumes(noTime, pod, chosen)
}

// written returns the claims as the API server has just answered to writing them: of older versions, which is what
// informers that lag have, production waits for the newer.
func (a *api) written(provisions []*volumebinding.DynamicProvision) []*v1.PersistentVolumeClaim {
	a.mu.Lock()
	defer a.mu.Unlock()
	claims := []*v1.PersistentVolumeClaim{} // to production nil is another matter
	for _, provision := range provisions {
		claim, _ := a.objects[loop.RefOf(provision.PVC)].(*v1.PersistentVolumeClaim)
		claims = append(claims, claim)
	}
	return claims
}

// look asks for every pod that waits for its volumes or devices whether they are bound, or ready, or will not be.
func (c *cycles) look() {
	for _, b := range c.all() {
		if b.ready != nil && !b.decided && b.ready() {
			c.decide(b.pod.UID)
		}
		if b.bound == nil || b.decided {
			continue
		}
		if done, err := b.bound(); done || err != nil {
			b.err = err
			c.decide(b.pod.UID)
		}
	}
}

// reservedVolumes returns the volumes and claims as the plugins of the profiles have reserved them, each for itself.
func (s *Scheduler) reservedVolumes(told map[loop.Ref]runtime.Object) []loop.Reservation {
	var all []loop.Reservation
	for _, f := range s.frameworks {
		under := ""
		if len(s.frameworks) > 1 {
			under = f.ProfileName()
		}
		for _, object := range f.volumes.reserved(told) {
			all = append(all, loop.Reservation{Object: object, Under: under})
		}
	}
	return all
}

// reserved returns the volumes and claims as the plugin has reserved them, where this is not what the scheduler was
// told of them.
func (v *volumes) reserved(objects map[loop.Ref]runtime.Object) []runtime.Object {
	if v == nil {
		return nil
	}
	volumes, claims := assumeCaches(reflect.ValueOf(v.SchedulerVolumeBinder).Elem())
	var reserved []runtime.Object
	for _, volume := range of[*v1.PersistentVolume](objects) {
		if assumed := volumes(volume.Name); assumed != nil && !apiequality.Semantic.DeepEqual(assumed, volume) {
			reserved = append(reserved, assumed)
		}
	}
	for _, claim := range of[*v1.PersistentVolumeClaim](objects) {
		if assumed := claims(loop.Key(claim)); assumed != nil && !apiequality.Semantic.DeepEqual(assumed, claim) {
			reserved = append(reserved, assumed)
		}
	}
	return reserved
}

// forOwner returns the object that the action creates. A volume that names the uid of its claim, or that a controller
// makes, is for the claim that there is, of the name it has; a claim is that of the pods that there are, of the names
// that its owners have.
func (a *api) forOwner(action loop.Action) runtime.Object {
	if a.initial {
		return action.Object
	}
	switch object := action.Object.(type) {
	case *resourcev1.ResourceClaim:
		object = object.DeepCopy()
		a.ownedBy(object)
		return object
	case *v1.PersistentVolumeClaim:
		object = object.DeepCopy()
		a.ownedBy(object)
		return object
	case *v1.PersistentVolume:
		if ref := object.Spec.ClaimRef; ref != nil && (ref.UID != "" || action.Controller) {
			object = object.DeepCopy()
			claim := loop.Ref{Kind: "PersistentVolumeClaim", Namespace: ref.Namespace, Name: ref.Name}
			object.Spec.ClaimRef.UID = a.uidOf(claim)
			return object
		}
	}
	return action.Object
}

// uidOf returns the uid of the object; that of none if it is not there.
func (a *api) uidOf(ref loop.Ref) types.UID {
	if object, err := meta.Accessor(a.objects[ref]); err == nil {
		return object.GetUID()
	}
	return "gone"
}

// ownedBy has the claim belong to these pods.
func (a *api) ownedBy(claim metav1.Object) {
	owners := claim.GetOwnerReferences()
	for i := range owners {
		if pod, err := a.pod(loop.Ref{Kind: "Pod", Namespace: claim.GetNamespace(), Name: owners[i].Name}); err == nil {
			owners[i].UID = pod.UID
		}
	}
}

// updateVolume answers to updates of volumes and claims.
func (a *api) updateVolume(action clienttesting.Action) (runtime.Object, error) {
	update, _ := action.(clienttesting.UpdateAction)
	resource := action.GetResource().GroupResource()
	if err := a.trouble(resource, loop.RefOf(update.GetObject())); err != nil {
		return nil, err
	}
	return a.replace(resource, update.GetObject(), nil)
}

// replace replaces an object by one that was made of it: who knows an older version must read again, and what it is to
// be is checked first, if check is not nil. As on an API server, an update that changes nothing is no write, and makes
// no new version.
func (a *api) replace(resource schema.GroupResource, after runtime.Object, check func(before runtime.Object) error) (
	runtime.Object, error) {
	object, err := meta.Accessor(after)
	if err != nil {
		return nil, err
	}
	ref := loop.RefOf(after)
	old, exists := a.objects[ref]
	if !exists {
		return nil, apierrors.NewNotFound(resource, ref.Name)
	}
	stored, err := meta.Accessor(old)
	if err != nil {
		return nil, err
	}
	if stored.GetResourceVersion() != object.GetResourceVersion() {
		return nil, apierrors.NewConflict(resource, ref.Name, fmt.Errorf("it has changed since"))
	}
	if check != nil {
		if err := check(old); err != nil {
			return nil, err
		}
	}
	if !apiequality.Semantic.DeepEqual(old, after) {
		if err := a.put(ref, after); err != nil {
			return nil, err
		}
	}
	return a.objects[ref].DeepCopyObject(), nil // it is the caller's
}
