//go:build before1.36

package generate

import storagev1 "k8s.io/api/storage/v1"

// require does nothing: drivers have no such field before v1.36.
func require(*storagev1.CSIDriver, *bool) {}
