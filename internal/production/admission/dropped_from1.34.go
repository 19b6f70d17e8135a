//go:build before1.36 && !before1.34

package admission

import v1 "k8s.io/api/core/v1"

// dropOfPod drops nothing: what is read of pods belongs to features that are on since v1.34.
func dropOfPod(*v1.Pod) bool { return false }

// dropAttributesClass drops nothing: see dropOfPod.
func dropAttributesClass(**string) bool { return false }
