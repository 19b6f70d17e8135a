//go:build before1.37

package spec

import v1 "k8s.io/api/core/v1"

// hasBindMountOptions: mounts have no such field before v1.37.
func hasBindMountOptions(v1.VolumeMount) bool { return false }
