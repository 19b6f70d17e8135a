//go:build !before1.34

package admission

import (
	"k8s.io/apiserver/pkg/util/feature"
	"k8s.io/kubernetes/plugin/pkg/admission/defaulttolerationseconds"
)

// inspectGates shows the plugin the feature gates.
func inspectGates(plugin *defaulttolerationseconds.Plugin) {
	plugin.InspectFeatureGates(feature.DefaultFeatureGate)
}
