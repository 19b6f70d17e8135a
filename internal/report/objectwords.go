package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// objectWords say what an object is like that comes, or changes, in a run which begins with the cluster; none of kinds
// that are said elsewhere.
func objectWords(object runtime.Object, s *spec.Snapshot) []string {
	switch object := object.(type) {
	case *policyv1.PodDisruptionBudget:
		return disruptionWords(object)
	case *v1.PersistentVolumeClaim:
		return claimWords(object, s)
	case *v1.PersistentVolume:
		return volumeWords(object, s)
	case *storagev1.StorageClass:
		return classWords(object)
	case *storagev1.CSIDriver:
		return driverWords(object)
	case *storagev1.CSIStorageCapacity:
		return capacityWords(object)
	case *storagev1.CSINode:
		return csiNodeWords(object)
	case *storagev1.VolumeAttachment:
		return attachmentWords(object, s)
	case *resourcev1.ResourceSlice:
		words := sliceWords(object)
		for i := range object.Spec.Devices {
			device := &object.Spec.Devices[i]
			of := deviceWords(deviceID(object, device), device, s)
			words = append(words, "device "+device.Name+": "+strings.Join(of, ", "))
		}
		return words
	case *resourcev1.DeviceClass:
		return deviceClassWords(object, s)
	case *resourcev1.ResourceClaim:
		return resourceClaimWords(object, s)
	case *v1.Namespace:
		return namespaceWords(object)
	case *v1.Service:
		return []string{"of pods " + plainSelector(object.Spec.Selector)}
	}
	return nil
}

func deviceID(slice *resourcev1.ResourceSlice, device *resourcev1.Device) spec.DeviceID {
	return spec.DeviceID{Driver: slice.Spec.Driver, Pool: slice.Spec.Pool.Name, Device: device.Name}
}

// disruptionWords say whom a budget protects, and how many of them may go.
func disruptionWords(budget *policyv1.PodDisruptionBudget) []string {
	words := []string{"pods " + labelSelector(budget.Spec.Selector),
		fmt.Sprintf("disruptions allowed %d", budget.Status.DisruptionsAllowed)}
	if disrupted := slices.Sorted(maps.Keys(budget.Status.DisruptedPods)); len(disrupted) > 0 {
		words = append(words, "being evicted already "+strings.Join(disrupted, ", "))
	}
	return words
}
