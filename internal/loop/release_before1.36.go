//go:build before1.36

package loop

import storagev1 "k8s.io/api/storage/v1"

// keepAwayWhereMissing: drivers do not keep pods off nodes without them before v1.36.
func keepAwayWhereMissing(_, _ *storagev1.CSIDriver) {}
