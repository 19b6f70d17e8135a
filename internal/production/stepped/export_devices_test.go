package stepped

import (
	"reflect"
	"unsafe"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/structured"
	fwk "k8s.io/kube-scheduler/framework"
	kubescheduler "k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources"
)

// AroundDevices puts something between the plugin DynamicResources and what it knows of devices. What State reads is
// left as it is.
func AroundDevices(s *kubescheduler.Scheduler, put func(fwk.SharedDRAManager) fwk.SharedDRAManager) {
	for _, profile := range s.Profiles {
		for _, plugin := range profile.EnqueueExtensions() {
			if devices, ok := plugin.(*dynamicresources.DynamicResources); ok {
				field := reflect.ValueOf(devices).Elem().FieldByName("draManager")
				manager := (*fwk.SharedDRAManager)(unsafe.Pointer(field.UnsafeAddr()))
				*manager = put(*manager)
			}
		}
	}
}

// Unselective knows nothing of what classes select.
type Unselective struct{ fwk.SharedDRAManager }

// DeviceClasses implements fwk.SharedDRAManager.
func (u Unselective) DeviceClasses() fwk.DeviceClassLister {
	return unselectiveClasses{u.SharedDRAManager.DeviceClasses()}
}

type unselectiveClasses struct{ fwk.DeviceClassLister }

func (u unselectiveClasses) Get(name string) (*resourcev1.DeviceClass, error) {
	class, err := u.DeviceClassLister.Get(name)
	if err != nil {
		return nil, err
	}
	class = class.DeepCopy()
	class.Spec.Selectors = nil
	return class, nil
}

// Careless does not know which devices are allocated.
type Careless struct{ fwk.SharedDRAManager }

// ResourceClaims implements fwk.SharedDRAManager.
func (c Careless) ResourceClaims() fwk.ResourceClaimTracker {
	return carelessClaims{c.SharedDRAManager.ResourceClaims()}
}

type carelessClaims struct{ fwk.ResourceClaimTracker }

func (carelessClaims) GatherAllocatedState() (*structured.AllocatedState, error) {
	return &structured.AllocatedState{}, nil
}

// Unreserving does not reserve the devices that it has chosen.
type Unreserving struct{ fwk.SharedDRAManager }

// ResourceClaims implements fwk.SharedDRAManager.
func (u Unreserving) ResourceClaims() fwk.ResourceClaimTracker {
	return unreservingClaims{u.SharedDRAManager.ResourceClaims()}
}

type unreservingClaims struct{ fwk.ResourceClaimTracker }

func (unreservingClaims) SignalClaimPendingAllocation(types.UID, *resourcev1.ResourceClaim) error {
	return nil
}
