//go:build before1.36

package spec

import storagev1 "k8s.io/api/storage/v1"

// PreventsIfMissing returns false: drivers have no such field before v1.36.
func PreventsIfMissing(*storagev1.CSIDriver) bool { return false }
