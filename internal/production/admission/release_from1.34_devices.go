//go:build !before1.34

package admission

import (
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/kubernetes/pkg/apis/resource"
	resourcevalidation "k8s.io/kubernetes/pkg/apis/resource/validation"

	// Registers the group's types, defaults and conversions with legacyscheme.
	_ "k8s.io/kubernetes/pkg/apis/resource/install"
)

// deviceKinds are the kinds of which there is what pods have of devices.
func deviceKinds() []kind {
	return []kind{
		{"DeviceClass", resourcev1.SchemeGroupVersion, "deviceclasses", false, &resourcev1.DeviceClass{},
			one(resourcevalidation.ValidateDeviceClass), two(resourcevalidation.ValidateDeviceClassUpdate),
			two(noStatus[resource.DeviceClass])},
		{"ResourceClaim", resourcev1.SchemeGroupVersion, "resourceclaims", true, &resourcev1.ResourceClaim{},
			one(resourcevalidation.ValidateResourceClaim), two(resourcevalidation.ValidateResourceClaimUpdate),
			two(resourcevalidation.ValidateResourceClaimStatusUpdate)},
		{"ResourceClaimTemplate", resourcev1.SchemeGroupVersion, "resourceclaimtemplates", true,
			&resourcev1.ResourceClaimTemplate{}, one(resourcevalidation.ValidateResourceClaimTemplate),
			two(resourcevalidation.ValidateResourceClaimTemplateUpdate), two(noStatus[resource.ResourceClaimTemplate])},
		{"ResourceSlice", resourcev1.SchemeGroupVersion, "resourceslices", false, &resourcev1.ResourceSlice{},
			one(resourcevalidation.ValidateResourceSlice), two(resourcevalidation.ValidateResourceSliceUpdate),
			two(noStatus[resource.ResourceSlice])},
	}
}
