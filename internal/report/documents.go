package report

// documentOf returns the document that says what a plugin promises; the general one if there is none of its own.
// The predicates of the model, one file per plugin under spec/, cite the sentences.
func documentOf(plugin string) string {
	const docs = "https://kubernetes.io/docs/concepts/"
	document, known := map[string]string{
		"DefaultPreemption": docs + "scheduling-eviction/pod-priority-preemption/#preemption",
		"NodeUnschedulable": docs + "architecture/nodes/#manual-node-administration",
		"NodeName":          docs + "scheduling-eviction/assign-pod-node/#nodename",
		"TaintToleration":   docs + "scheduling-eviction/taint-and-toleration/",
		"NodeAffinity":      docs + "scheduling-eviction/assign-pod-node/#node-affinity",
		"NodePorts":         docs + "configuration/overview/",
		"NodeResourcesFit": docs +
			"configuration/manage-resources-containers/#how-pods-with-resource-requests-are-scheduled",
		"NodeVolumeLimits":   docs + "storage/storage-limits/",
		"VolumeBinding":      docs + "storage/persistent-volumes/#binding",
		"VolumeRestrictions": docs + "storage/persistent-volumes/#access-modes",
		"VolumeZone":         "https://kubernetes.io/docs/setup/best-practices/multiple-zones/#storage-access-for-zones",
		"PodTopologySpread":  docs + "scheduling-eviction/topology-spread-constraints/",
		"InterPodAffinity": docs +
			"scheduling-eviction/assign-pod-node/#inter-pod-affinity-and-anti-affinity",
		"NodeDeclaredFeatures":            docs + "scheduling-eviction/node-declared-features/",
		"NodeResourcesBalancedAllocation": "https://kubernetes.io/docs/reference/scheduling/config/#scheduling-plugins",
		"ImageLocality":                   "https://kubernetes.io/docs/reference/scheduling/config/#scheduling-plugins",
	}[plugin]
	if !known {
		return docs + "scheduling-eviction/kube-scheduler/#kube-scheduler-implementation"
	}
	return document
}
