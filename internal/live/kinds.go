package live

// Kind is a kind of object that is listed.
type Kind struct {
	// Resource is its name in URLs and in rules of RBAC, such as "pods", and APIVersion that of the API that serves it.
	Resource, APIVersion string
	// Kind is what an object says it is.
	Kind string
	// Lacks says what an answer lacks where the kind may not be listed; empty if there is no answer without it.
	Lacks string
}

// Kinds returns the kinds that bear on placement, in the order in which they are listed: nodes and pods first, as there
// is no answer without them. They are those that scenario.Kinds names of a cluster. Secrets and ConfigMaps are not
// among them.
func Kinds() []Kind {
	return []Kind{
		{"nodes", "v1", "Node", ""},
		{"pods", "v1", "Pod", ""},
		{"namespaces", "v1", "Namespace",
			"namespaces count as having no labels, which a namespaceSelector asks for"},
		{"poddisruptionbudgets", "policy/v1", "PodDisruptionBudget", "preemption is decided as if no pod were protected"},
		{"priorityclasses", "scheduling.k8s.io/v1", "PriorityClass",
			"pods have the priority that they state, and new ones of a class that is not given have 0"},
		{"persistentvolumeclaims", "v1", "PersistentVolumeClaim",
			"pods that name a claim are decided as if it did not exist"},
		{"persistentvolumes", "v1", "PersistentVolume",
			"pods whose claims are bound are decided as if their volumes were gone"},
		{"storageclasses", "storage.k8s.io/v1", "StorageClass",
			"claims are decided as if their classes did not exist, so none waits for its first consumer"},
		{"csinodes", "storage.k8s.io/v1", "CSINode", "nodes attach any number of volumes"},
		{"volumeattachments", "storage.k8s.io/v1", "VolumeAttachment", "only the volumes of pods count as attached"},
		{"csidrivers", "storage.k8s.io/v1", "CSIDriver", "no driver counts as one that reports its capacity"},
		{"csistoragecapacities", "storage.k8s.io/v1", "CSIStorageCapacity",
			"drivers that report their capacity count as having none"},
		{"resourceclaims", "resource.k8s.io/v1", "ResourceClaim",
			"pods that name a claim of devices are decided as if it did not exist, and all devices count as free"},
		{"resourceclaimtemplates", "resource.k8s.io/v1", "ResourceClaimTemplate",
			"no claims of further pods can be made from templates"},
		{"resourceslices", "resource.k8s.io/v1", "ResourceSlice", "claims are decided as if there were no devices"},
		{"deviceclasses", "resource.k8s.io/v1", "DeviceClass", "claims are decided as if their classes did not exist"},
		{"services", "v1", "Service", "the default spreading does not count the pods of a Service together"},
		{"replicationcontrollers", "v1", "ReplicationController",
			"the default spreading does not count the pods of a ReplicationController together"},
		{"replicasets", "apps/v1", "ReplicaSet", "the default spreading does not count the pods of a ReplicaSet together"},
		{"statefulsets", "apps/v1", "StatefulSet",
			"the default spreading does not count the pods of a StatefulSet together"},
		{"deployments", "apps/v1", "Deployment", "no further pods of Deployments can be asked about"},
		{"daemonsets", "apps/v1", "DaemonSet", "no further pods of DaemonSets can be asked about"},
		{"jobs", "batch/v1", "Job", "no further pods of Jobs can be asked about"},
		{"cronjobs", "batch/v1", "CronJob", "no further pods of CronJobs can be asked about"},
	}
}

// path is where an API server serves the kind, of all namespaces.
func (k Kind) path() string {
	if k.APIVersion == "v1" {
		return "/api/v1/" + k.Resource
	}
	return "/apis/" + k.APIVersion + "/" + k.Resource
}
