//go:build before1.34

package admission

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/apiserver/pkg/util/feature"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/plugin/pkg/admission/defaulttolerationseconds"
)

// inspectGates does nothing: the plugin heeds none before v1.34.
func inspectGates(*defaulttolerationseconds.Plugin) {}

// deviceKinds: resource.k8s.io/v1 came with v1.34.
func deviceKinds() []kind { return nil }

// dropOfPod drops claims of devices, and what the pod requests as a whole.
func dropOfPod(pod *v1.Pod) bool {
	dropped := clearSlice(&pod.Spec.ResourceClaims)
	dropped = clearSlice(&pod.Status.ResourceClaimStatuses) || dropped
	for i := range pod.Spec.InitContainers {
		dropped = clearSlice(&pod.Spec.InitContainers[i].Resources.Claims) || dropped
	}
	for i := range pod.Spec.Containers {
		dropped = clearSlice(&pod.Spec.Containers[i].Resources.Claims) || dropped
	}
	if feature.DefaultFeatureGate.Enabled(features.PodLevelResources) {
		return dropped
	}
	return clearPointer(&pod.Spec.Resources) || dropped
}

// dropAttributesClass drops the name of a VolumeAttributesClass.
func dropAttributesClass(name **string) bool { return clearPointer(name) }
