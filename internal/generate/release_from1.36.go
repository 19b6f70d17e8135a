//go:build !before1.36

package generate

import storagev1 "k8s.io/api/storage/v1"

// require says whether pods with volumes of the driver are kept off nodes where it is missing.
func require(driver *storagev1.CSIDriver, required *bool) {
	driver.Spec.PreventPodSchedulingIfMissing = required
}
