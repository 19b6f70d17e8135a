//go:build before1.35

package spec

import v1 "k8s.io/api/core/v1"

// ReportedWhole: the status says nothing of the pod as a whole before v1.35.
func ReportedWhole(*v1.Pod) (v1.ResourceList, *v1.ResourceRequirements) { return nil, nil }

// ReportWhole does nothing: see ReportedWhole.
func ReportWhole(*v1.Pod, v1.ResourceList, *v1.ResourceRequirements) {}

// DeclaredFeatures: nodes declare none before v1.35.
func DeclaredFeatures(*v1.Node) []string { return nil }

// SetDeclaredFeatures does nothing: see DeclaredFeatures.
func SetDeclaredFeatures(*v1.Node, []string) {}

// restartsAll: no API server admits the action RestartAllContainers before v1.35.
func restartsAll(v1.Container) bool { return false }
