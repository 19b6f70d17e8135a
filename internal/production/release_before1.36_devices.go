//go:build before1.36 && !before1.34

package production

import (
	"k8s.io/apiserver/pkg/util/feature"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/kubernetes/pkg/features"
)

// celFeatures says what expressions about devices may use in this release.
func celFeatures() cel.Features {
	return cel.Features{
		EnableConsumableCapacity: feature.DefaultFeatureGate.Enabled(features.DRAConsumableCapacity),
	}
}
