//go:build before1.34

package loop

import (
	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// unmapped: before v1.34 no claim is made for extended resources.
func unmapped(*v1.Pod, *spec.Snapshot, *spec.Snapshot) string { return "" }

// stillNames: so no status names one.
func stillNames(*v1.Pod, *v1.Pod, *spec.Snapshot) bool { return false }
