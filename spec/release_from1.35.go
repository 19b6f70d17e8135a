//go:build !before1.35

package spec

import v1 "k8s.io/api/core/v1"

// ReportedWhole returns what the pod's status says of the pod as a whole: what is allocated for it and what it runs
// with, nil if it says nothing.
func ReportedWhole(pod *v1.Pod) (allocated v1.ResourceList, actual *v1.ResourceRequirements) {
	return pod.Status.AllocatedResources, pod.Status.Resources
}

// ReportWhole has the pod's status say that of the pod as a whole.
func ReportWhole(pod *v1.Pod, allocated v1.ResourceList, actual *v1.ResourceRequirements) {
	pod.Status.AllocatedResources, pod.Status.Resources = allocated, actual
}

// DeclaredFeatures returns the features that the node declares.
func DeclaredFeatures(node *v1.Node) []string { return node.Status.DeclaredFeatures }

// SetDeclaredFeatures has the node declare features.
func SetDeclaredFeatures(node *v1.Node, features []string) { node.Status.DeclaredFeatures = features }

// restartsAll reports whether the container has a restart rule with the action RestartAllContainers.
func restartsAll(c v1.Container) bool {
	return exists(c.RestartPolicyRules, func(r v1.ContainerRestartRule) bool {
		return r.Action == v1.ContainerRestartRuleActionRestartAllContainers
	})
}
