//go:build before1.36

package admission

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Drop drops fields of the object that belong to features that the release has off, as its API server does:
// DRADeviceTaints, DRAPartitionableDevices, DRAConsumableCapacity, DRADeviceBindingConditions and DRAExtendedResource,
// and before v1.34 DynamicResourceAllocation, PodLevelResources and VolumeAttributesClass.
// It reports whether there were any. Those of an object that has a uid stay if a user hands it in, as the API server
// that gave it out had the features on.
//
// Source: the fields' docs ("This is an alpha field and requires enabling the ... feature gate").
func Drop(object any) bool {
	dropped := false
	switch object := object.(type) {
	case *resourcev1.ResourceSlice:
		dropped = clearSlice(&object.Spec.SharedCounters)
		dropped = clearPointer(&object.Spec.PerDeviceNodeSelection) || dropped
		for i := range object.Spec.Devices {
			dropped = dropOfDevice(&object.Spec.Devices[i]) || dropped
		}
	case *resourcev1.ResourceClaim:
		dropped = dropOfClaim(&object.Spec)
		if allocation := object.Status.Allocation; allocation != nil {
			for i := range allocation.Devices.Results {
				dropped = dropOfResult(&allocation.Devices.Results[i]) || dropped
			}
		}
	case *resourcev1.ResourceClaimTemplate:
		dropped = dropOfClaim(&object.Spec.Spec)
	case *v1.Pod:
		dropped = dropOfPod(object)
	case *v1.PersistentVolumeClaim:
		dropped = dropAttributesClass(&object.Spec.VolumeAttributesClassName)
	case *v1.PersistentVolume:
		dropped = dropAttributesClass(&object.Spec.VolumeAttributesClassName)
	case *resourcev1.DeviceClass:
		dropped = clearPointer(&object.Spec.ExtendedResourceName)
	}
	return dropped
}

// DropRefused drops what Drop drops, and of a claim the constraints of which nothing is left then. An API server
// refuses such a claim, so that it cannot be there.
func DropRefused(object any) bool {
	dropped := Drop(object)
	if claim, is := object.(*resourcev1.ResourceClaim); is && dropped {
		devices := &claim.Spec.Devices
		devices.Constraints = slices.DeleteFunc(devices.Constraints, func(c resourcev1.DeviceConstraint) bool {
			return c.MatchAttribute == nil
		})
	}
	return dropped
}

// AdmitAnew is Admit for objects that no API server has given out, though some have a uid, as drawn ones do.
func AdmitAnew(objects []runtime.Object) ([]runtime.Object, []field.ErrorList) {
	anew := make([]runtime.Object, len(objects))
	for i, object := range objects {
		anew[i] = object.DeepCopyObject()
		DropRefused(anew[i])
	}
	return Admit(anew)
}

func dropOfDevice(d *resourcev1.Device) bool {
	dropped := clearSlice(&d.Taints)
	dropped = clearSlice(&d.ConsumesCounters) || dropped
	dropped = clearPointer(&d.NodeName) || dropped
	dropped = clearPointer(&d.NodeSelector) || dropped
	dropped = clearPointer(&d.AllNodes) || dropped
	dropped = clearSlice(&d.BindingConditions) || dropped
	dropped = clearSlice(&d.BindingFailureConditions) || dropped
	dropped = clearPointer(&d.BindsToNode) || dropped
	dropped = clearPointer(&d.AllowMultipleAllocations) || dropped
	for name, capacity := range d.Capacity {
		dropped = clearPointer(&capacity.RequestPolicy) || dropped
		d.Capacity[name] = capacity
	}
	return dropped
}

func dropOfResult(result *resourcev1.DeviceRequestAllocationResult) bool {
	dropped := clearSlice(&result.BindingConditions)
	dropped = clearSlice(&result.BindingFailureConditions) || dropped
	dropped = clearPointer(&result.ShareID) || dropped
	dropped = len(result.ConsumedCapacity) > 0 || dropped
	result.ConsumedCapacity = nil
	return dropped
}

func dropOfClaim(claim *resourcev1.ResourceClaimSpec) bool {
	dropped := false
	for i := range claim.Devices.Constraints {
		dropped = clearPointer(&claim.Devices.Constraints[i].DistinctAttribute) || dropped
	}
	for i := range claim.Devices.Requests {
		request := &claim.Devices.Requests[i]
		if request.Exactly != nil {
			dropped = clearPointer(&request.Exactly.Capacity) || dropped
		}
		for j := range request.FirstAvailable {
			dropped = clearPointer(&request.FirstAvailable[j].Capacity) || dropped
		}
	}
	return dropped
}

func clearSlice[T any](field *[]T) bool {
	had := len(*field) > 0
	*field = nil
	return had
}

func clearPointer[T any](field **T) bool {
	had := *field != nil
	*field = nil
	return had
}
