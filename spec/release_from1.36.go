//go:build !before1.36

package spec

import storagev1 "k8s.io/api/storage/v1"

// PreventsIfMissing reports whether the driver wants no pods with volumes of its where it is missing.
func PreventsIfMissing(d *storagev1.CSIDriver) bool {
	return valueOr(d.Spec.PreventPodSchedulingIfMissing, false)
}
