package stepped

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"time"
	"unsafe"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/production/frameworkapi"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// devices stands between the plugin DynamicResources and what it knows of claims. Production looks every five seconds
// whether drivers say that the devices of a pod are ready to be bound, or failed. Here it looks after every action
// instead: its look waits until a claim is one of both, or an action ends the time that drivers have, and what it makes
// of that is production's own.
type devices struct {
	frameworkapi.SharedDRAManager
	plugin  *dynamicresources.DynamicResources
	cycles  *cycles
	api     *api
	timeout time.Duration
}

// controlDevices puts devices in the place of what the plugin knows.
func (s *Scheduler) controlDevices(plugin *dynamicresources.DynamicResources, timeout time.Duration) {
	field := reflect.ValueOf(plugin).Elem().FieldByName("draManager")
	manager := (*frameworkapi.SharedDRAManager)(unsafe.Pointer(field.UnsafeAddr()))
	if *manager != nil {
		*manager = &devices{*manager, plugin, s.cycles, s.api, timeout}
	}
}

//
//go:linkname isClaimReadyForBinding k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources.(*DynamicResources).isClaimReadyForBinding
func isClaimReadyForBinding(plugin *dynamicresources.DynamicResources, claim *resourcev1.ResourceClaim) (bool, error)

//
//go:linkname isPodReadyForBinding k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources.(*DynamicResources).isPodReadyForBinding
func isPodReadyForBinding(plugin *dynamicresources.DynamicResources, state unsafe.Pointer) (bool, error)

//
//go:linkname isClaimTimeout k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources.(*DynamicResources).isClaimTimeout
func isClaimTimeout(plugin *dynamicresources.DynamicResources, claim *resourcev1.ResourceClaim) bool

// ResourceClaims implements frameworkapi.SharedDRAManager.
func (d *devices) ResourceClaims() frameworkapi.ResourceClaimTracker {
	return &awaited{d.SharedDRAManager.ResourceClaims(), d}
}

// awaited are the claims, of which one that a pod waits for is not had until its devices are ready, or failed.
type awaited struct {
	frameworkapi.ResourceClaimTracker
	devices *devices
}

// Get implements frameworkapi.ResourceClaimTracker.
func (a *awaited) Get(namespace, name string) (*resourcev1.ResourceClaim, error) {
	claim, err := a.ResourceClaimTracker.Get(namespace, name)
	b := a.devices.cycles.preBinding
	if err == nil && b != nil && reservedForPod(claim, b.pod) && !a.decided(claim) && !a.goesOn(b) {
		b.ready = func() bool {
			latest, err := a.ResourceClaimTracker.Get(namespace, name)
			return err != nil || latest.Status.Allocation == nil || a.decided(latest)
		}
		a.devices.cycles.pause(b)
		b.ready = nil
		if b.err != nil {
			return nil, b.err
		}
		if claim, err = a.ResourceClaimTracker.Get(namespace, name); err == nil && claim.Status.Allocation == nil {
			return nil, context.DeadlineExceeded // nothing makes it ready any more, so that this is waited for
		}
	}
	if err != nil {
		return nil, err
	}
	return a.atMoment(claim), nil
}

// AssumeClaimAfterAPICall implements frameworkapi.ResourceClaimTracker. Pods that it wakes are asked for their claims
// on the way.
func (a *awaited) AssumeClaimAfterAPICall(claim *resourcev1.ResourceClaim) error {
	b := a.devices.cycles.preBinding
	a.devices.cycles.preBinding = nil
	defer func() { a.devices.cycles.preBinding = b }()
	return a.ResourceClaimTracker.AssumeClaimAfterAPICall(claim)
}

// decided reports whether the devices of the claim are ready to be bound, or one failed or is late.
func (a *awaited) decided(claim *resourcev1.ResourceClaim) bool {
	ready, err := isClaimReadyForBinding(a.devices.plugin, claim)
	return ready || err != nil || isClaimTimeout(a.devices.plugin, a.atMoment(claim))
}

// goesOn reports whether production does not wait for the devices of the pod, which are not all ready.
func (a *awaited) goesOn(b *binding) bool {
	a.devices.cycles.preBinding = nil // it looks at the claims as they are
	defer func() { a.devices.cycles.preBinding = b }()
	state, err := b.state.Read(dynamicresources.Name)
	if err != nil {
		return true
	}
	ready, err := isPodReadyForBinding(a.devices.plugin, reflect.ValueOf(state).UnsafePointer())
	return ready || err != nil
}

func reservedForPod(claim *resourcev1.ResourceClaim, pod *v1.Pod) bool {
	return slices.ContainsFunc(claim.Status.ReservedFor,
		func(by resourcev1.ResourceClaimConsumerReference) bool { return by.UID == pod.UID })
}

// atMoment returns the claim as production is to see it, which looks at the wall clock, where runs have none.
func (a *awaited) atMoment(claim *resourcev1.ResourceClaim) *resourcev1.ResourceClaim {
	if !spec.Timed(claim) {
		return claim
	}
	return production.AtMoment(a.devices.api.since(claim), *began(), a.devices.timeout)
}

// overdue ends the time in which devices of the claim are to become ready: it is as if they had been allocated earlier.
// Nobody is told.
func (a *api) overdue(ref loop.Ref, timeout time.Duration) error {
	claim, ok := a.objects[ref].(*resourcev1.ResourceClaim)
	if !ok || !spec.Timed(claim) {
		return fmt.Errorf("no device of %s is to become ready in time", ref)
	}
	a.late[claim.UID] = metav1.NewTime(began().Add(-timeout))
	a.objects[ref] = a.since(claim)
	return nil
}

// since returns the claim with the time of its allocation that the run has.
func (a *api) since(claim *resourcev1.ResourceClaim) *resourcev1.ResourceClaim {
	at, late := a.late[claim.UID]
	if !late || claim.Status.Allocation == nil || claim.Status.Allocation.AllocationTimestamp == nil {
		return claim
	}
	claim = claim.DeepCopy()
	claim.Status.Allocation.AllocationTimestamp = &at
	return claim
}

// sinceEpoch returns an object of a cluster in which it is now, as it is if now is when runs begin.
func sinceEpoch(object runtime.Object, now metav1.Time) runtime.Object {
	claim, ok := object.(*resourcev1.ResourceClaim)
	if !ok || now.IsZero() || !spec.Timed(claim) {
		return object
	}
	claim = claim.DeepCopy()
	at := claim.Status.Allocation.AllocationTimestamp
	at.Time = began().Add(at.Sub(now.Time))
	return claim
}
