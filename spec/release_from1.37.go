//go:build !before1.37

package spec

import v1 "k8s.io/api/core/v1"

// hasBindMountOptions reports whether the volume is mounted with further options.
func hasBindMountOptions(m v1.VolumeMount) bool { return len(m.BindMountOptions) > 0 }
