//go:build before1.34

package generate

import v1 "k8s.io/api/core/v1"

// restart does nothing: containers have no such rules before v1.34.
func restart(*v1.Container, string) {}
