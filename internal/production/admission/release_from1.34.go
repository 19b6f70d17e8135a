//go:build !before1.34

package admission

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/apiserver/pkg/util/feature"
	"k8s.io/kubernetes/plugin/pkg/admission/defaulttolerationseconds"
)

// inspectGates shows the plugin the feature gates.
func inspectGates(plugin *defaulttolerationseconds.Plugin) {
	plugin.InspectFeatureGates(feature.DefaultFeatureGate)
}

// dropOfPod drops nothing: what is read of pods belongs to features that are on since v1.34.
func dropOfPod(*v1.Pod) bool { return false }

// dropAttributesClass drops nothing: see dropOfPod.
func dropAttributesClass(**string) bool { return false }
