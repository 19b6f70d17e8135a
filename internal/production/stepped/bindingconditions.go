package stepped

import (
	"context"
	"reflect"
	"slices"
	"time"
	"unsafe"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources"

	"github.com/seed-a3f26817/modelcheck/internal/production/frameworkapi"
)

// devices stands between the plugin DynamicResources and what it knows of claims. Production looks every five seconds
// whether drivers say that the devices of a pod are ready to be bound, or failed. Here it looks after every action
// instead: its look waits until a claim is one of both, and what it makes of that is production's own. The time that
// drivers have never runs out.
type devices struct {
	frameworkapi.SharedDRAManager
	plugin    *dynamicresources.DynamicResources
	framework *controlled
}

// controlDevices puts devices in the place of what the plugin knows.
func controlDevices(plugin *dynamicresources.DynamicResources, framework *controlled) {
	field := reflect.ValueOf(plugin).Elem().FieldByName("draManager")
	manager := (*frameworkapi.SharedDRAManager)(unsafe.Pointer(field.UnsafeAddr()))
	if *manager != nil {
		*manager = &devices{*manager, plugin, framework}
	}
}

//
//go:linkname isClaimReadyForBinding k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources.(*DynamicResources).isClaimReadyForBinding
func isClaimReadyForBinding(plugin *dynamicresources.DynamicResources, claim *resourcev1.ResourceClaim) (bool, error)

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
	b := a.devices.framework.preBinding
	if err == nil && b != nil && reservedForPod(claim, b.pod) && !a.decided(claim) {
		b.ready = func() bool {
			latest, err := a.ResourceClaimTracker.Get(namespace, name)
			return err != nil || latest.Status.Allocation == nil || a.decided(latest)
		}
		a.devices.framework.pause(b)
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
	return inTime(claim), nil
}

// AssumeClaimAfterAPICall implements frameworkapi.ResourceClaimTracker. Pods that it wakes are asked for their claims
// on the way.
func (a *awaited) AssumeClaimAfterAPICall(claim *resourcev1.ResourceClaim) error {
	b := a.devices.framework.preBinding
	a.devices.framework.preBinding = nil
	defer func() { a.devices.framework.preBinding = b }()
	return a.ResourceClaimTracker.AssumeClaimAfterAPICall(claim)
}

// decided reports whether the devices of the claim are ready to be bound, or one failed.
func (a *awaited) decided(claim *resourcev1.ResourceClaim) bool {
	ready, err := isClaimReadyForBinding(a.devices.plugin, claim)
	return ready || err != nil
}

func reservedForPod(claim *resourcev1.ResourceClaim, pod *v1.Pod) bool {
	return slices.ContainsFunc(claim.Status.ReservedFor,
		func(by resourcev1.ResourceClaimConsumerReference) bool { return by.UID == pod.UID })
}

// inTime returns the claim as it is seen before the time is over that drivers have since its allocation: that is long
// ago by the wall clock, at which production looks.
func inTime(claim *resourcev1.ResourceClaim) *resourcev1.ResourceClaim {
	allocation := claim.Status.Allocation
	if allocation == nil || allocation.AllocationTimestamp == nil ||
		!slices.ContainsFunc(allocation.Devices.Results,
			func(r resourcev1.DeviceRequestAllocationResult) bool { return len(r.BindingConditions) > 0 }) {
		return claim
	}
	claim = claim.DeepCopy()
	claim.Status.Allocation.AllocationTimestamp = &metav1.Time{Time: epoch.Add(200 * 365 * 24 * time.Hour)}
	return claim
}
