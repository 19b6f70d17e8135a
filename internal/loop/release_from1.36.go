//go:build !before1.36

package loop

import storagev1 "k8s.io/api/storage/v1"

// keepAwayWhereMissing has the driver keep pods off nodes without it as the other one does.
func keepAwayWhereMissing(driver, like *storagev1.CSIDriver) {
	driver.Spec.PreventPodSchedulingIfMissing = like.Spec.PreventPodSchedulingIfMissing
}
