package fields

import "strings"

// unreadGroup is fields that are unread for one reason.
type unreadGroup struct {
	reason string
	paths  []string
	// elsewhere: they are read, but not by what is modelled, or could not be set; the test leaves them alone.
	elsewhere bool
}

// unreadFields are what the plugins of the default profile have no use for, with all that is below them. A test
// sets them to something else and sees that kube-scheduler decides as before.
//
// A path that begins with a dot is one of every kind of object; containers, initContainers and ephemeralContainers
// of a pod are alike, and so are their statuses.
var unreadFields = []unreadGroup{
	{"bookkeeping of the API server", []string{".apiVersion", ".kind", ".metadata.creationTimestamp",
		".metadata.deletionGracePeriodSeconds", ".metadata.finalizers", ".metadata.generateName",
		".metadata.generation", ".metadata.managedFields", ".metadata.resourceVersion", ".metadata.selfLink",
		"Pod.status.observedGeneration", "Pod.status.conditions[].observedGeneration",
		"PodDisruptionBudget.status.observedGeneration"}, false},
	{"no owner of theirs matters", []string{"Node.metadata.ownerReferences", "Namespace.metadata.ownerReferences",
		"PodDisruptionBudget.metadata.ownerReferences", "PersistentVolume.metadata.ownerReferences",
		"StorageClass.metadata.ownerReferences", "CSINode.metadata.ownerReferences",
		"VolumeAttachment.metadata.ownerReferences", "CSIDriver.metadata.ownerReferences",
		"CSIStorageCapacity.metadata.ownerReferences"}, false},
	{"the claim that is made of it counts", []string{"Pod.spec.volumes[].ephemeral.volumeClaimTemplate"}, false},
	{"a reference names a claim by namespace, name and uid", []string{"PersistentVolume.spec.claimRef.apiVersion",
		"PersistentVolume.spec.claimRef.fieldPath", "PersistentVolume.spec.claimRef.kind",
		"PersistentVolume.spec.claimRef.resourceVersion"}, false},
	{"nobody asks whether they go", []string{"Node.metadata.deletionTimestamp", "Namespace.metadata.deletionTimestamp",
		"PodDisruptionBudget.metadata.deletionTimestamp", "StorageClass.metadata.deletionTimestamp",
		"CSINode.metadata.deletionTimestamp", "VolumeAttachment.metadata.deletionTimestamp",
		"CSIDriver.metadata.deletionTimestamp", "CSIStorageCapacity.metadata.deletionTimestamp"}, false},
	{"they are in no namespace", []string{"Node.metadata.namespace", "Namespace.metadata.namespace",
		"PersistentVolume.metadata.namespace", "StorageClass.metadata.namespace", "CSINode.metadata.namespace",
		"VolumeAttachment.metadata.namespace", "CSIDriver.metadata.namespace"}, true},
	{"nobody selects them by label, nor reads their annotations",
		[]string{"Node.metadata.annotations", "Pod.metadata.annotations", "Namespace.metadata.annotations",
			"PodDisruptionBudget.metadata.annotations", "PodDisruptionBudget.metadata.labels",
			"PersistentVolumeClaim.metadata.labels", "StorageClass.metadata.labels",
			"StorageClass.metadata.annotations", "CSINode.metadata.labels", "VolumeAttachment.metadata.labels",
			"VolumeAttachment.metadata.annotations", "CSIDriver.metadata.labels", "CSIDriver.metadata.annotations",
			"CSIStorageCapacity.metadata.labels", "CSIStorageCapacity.metadata.annotations"}, false},
	{"for the kubelet, which runs the pod", []string{"Pod.spec.activeDeadlineSeconds",
		"Pod.spec.automountServiceAccountToken", "Pod.spec.dnsConfig", "Pod.spec.dnsPolicy",
		"Pod.spec.enableServiceLinks", "Pod.spec.hostAliases", "Pod.spec.hostIPC", "Pod.spec.hostPID",
		"Pod.spec.hostname", "Pod.spec.hostnameOverride", "Pod.spec.imagePullSecrets", "Pod.spec.os",
		"Pod.spec.readinessGates", "Pod.spec.runtimeClassName", "Pod.spec.securityContext", "Pod.spec.serviceAccount",
		"Pod.spec.serviceAccountName", "Pod.spec.setHostnameAsFQDN", "Pod.spec.shareProcessNamespace",
		"Pod.spec.subdomain", "Pod.spec.terminationGracePeriodSeconds", "Pod.spec.containers[].args",
		"Pod.spec.containers[].command", "Pod.spec.containers[].env", "Pod.spec.containers[].envFrom",
		"Pod.spec.containers[].imagePullPolicy", "Pod.spec.containers[].lifecycle",
		"Pod.spec.containers[].livenessProbe", "Pod.spec.containers[].readinessProbe",
		"Pod.spec.containers[].resizePolicy", "Pod.spec.containers[].securityContext",
		"Pod.spec.containers[].startupProbe", "Pod.spec.containers[].stdin", "Pod.spec.containers[].stdinOnce",
		"Pod.spec.containers[].terminationMessagePath", "Pod.spec.containers[].terminationMessagePolicy",
		"Pod.spec.containers[].tty", "Pod.spec.containers[].volumeDevices",
		"Pod.spec.containers[].volumeMounts[].mountPath", "Pod.spec.containers[].volumeMounts[].mountPropagation",
		"Pod.spec.containers[].volumeMounts[].name", "Pod.spec.containers[].volumeMounts[].readOnly",
		"Pod.spec.containers[].volumeMounts[].recursiveReadOnly", "Pod.spec.containers[].volumeMounts[].subPath",
		"Pod.spec.containers[].volumeMounts[].subPathExpr", "Pod.spec.containers[].workingDir",
		"Pod.spec.containers[].ports[].name",
		"Pod.spec.containers[].ports[].containerPort"}, false},
	{"ephemeral containers request nothing", []string{"Pod.status.ephemeralContainerStatuses"}, false},
	{"for who evicts pods, or looks after storage", []string{"Pod.spec.evictionResponders", "Pod.status.volumeHealth",
		"CSINode.status"}, false},
	{"only preemption for a resize reads it, which is off", []string{"Node.spec.podPreemptionPolicy"}, false},
	{"a pod gets them when it runs, to be debugged", []string{"Pod.spec.ephemeralContainers"}, true},
	{"limits bound what runs, not what fits; they are defaults of requests, which were filled in",
		[]string{"Pod.spec.resources.limits", "Pod.spec.containers[].resources.limits", "Pod.status.resources.limits",
			"Pod.status.containerStatuses[].resources.limits"}, false},
	{"what admission made of it is in spec.priority", []string{"Pod.spec.priorityClassName"}, false},
	{
		"for the taint eviction controller",
		[]string{"Pod.spec.tolerations[].tolerationSeconds", "Node.spec.taints[].timeAdded"},
		false,
	},
	{"the pod was asked of this scheduler", []string{"Pod.spec.schedulerName"}, false},
	{"who is in a pod's status says nothing of where it fits", []string{"Pod.status.hostIP", "Pod.status.hostIPs",
		"Pod.status.message", "Pod.status.podIP", "Pod.status.podIPs", "Pod.status.qosClass", "Pod.status.reason",
		"Pod.status.resize", "Pod.status.phase", "Pod.status.conditions[].lastProbeTime",
		"Pod.status.conditions[].lastTransitionTime", "Pod.status.conditions[].message",
		"Pod.status.containerStatuses[].allocatedResourcesStatus", "Pod.status.containerStatuses[].containerID",
		"Pod.status.containerStatuses[].image", "Pod.status.containerStatuses[].imageID",
		"Pod.status.containerStatuses[].lastState", "Pod.status.containerStatuses[].ready",
		"Pod.status.containerStatuses[].restartCount", "Pod.status.containerStatuses[].started",
		"Pod.status.containerStatuses[].state", "Pod.status.containerStatuses[].stopSignal",
		"Pod.status.containerStatuses[].user", "Pod.status.containerStatuses[].volumeMounts"}, false},
	{"which containers use a claim of the pod, and what was made of its extended resources, is the kubelet's affair",
		[]string{"Pod.spec.containers[].resources.claims", "Pod.spec.resources.claims",
			"Pod.status.resources.claims", "Pod.status.extendedResourceClaimStatus",
			"Pod.status.nodeAllocatableResourceClaimStatuses", "Pod.status.containerStatuses[].resources.claims"},
		true},
	{"pod groups are scheduled only behind a feature gate that is off", []string{"Pod.spec.schedulingGroup"}, false},
	{"how it is mounted is for the kubelet", []string{"Pod.spec.volumes[].cephfs", "Pod.spec.volumes[].configMap",
		"Pod.spec.volumes[].csi", "Pod.spec.volumes[].downwardAPI", "Pod.spec.volumes[].emptyDir",
		"Pod.spec.volumes[].fc", "Pod.spec.volumes[].flexVolume", "Pod.spec.volumes[].flocker",
		"Pod.spec.volumes[].gitRepo", "Pod.spec.volumes[].glusterfs", "Pod.spec.volumes[].hostPath",
		"Pod.spec.volumes[].nfs", "Pod.spec.volumes[].photonPersistentDisk", "Pod.spec.volumes[].projected",
		"Pod.spec.volumes[].quobyte", "Pod.spec.volumes[].scaleIO", "Pod.spec.volumes[].secret",
		"Pod.spec.volumes[].storageos", "Pod.spec.volumes[].awsElasticBlockStore.fsType",
		"Pod.spec.volumes[].gcePersistentDisk.fsType", "Pod.spec.volumes[].gcePersistentDisk.partition",
		"Pod.spec.volumes[].persistentVolumeClaim.readOnly", "Pod.spec.volumes[].image.pullPolicy",
		"PersistentVolume.spec.cephfs", "PersistentVolume.spec.fc", "PersistentVolume.spec.flexVolume",
		"PersistentVolume.spec.flocker", "PersistentVolume.spec.glusterfs", "PersistentVolume.spec.hostPath",
		"PersistentVolume.spec.iscsi", "PersistentVolume.spec.local", "PersistentVolume.spec.nfs",
		"PersistentVolume.spec.photonPersistentDisk", "PersistentVolume.spec.quobyte", "PersistentVolume.spec.rbd",
		"PersistentVolume.spec.scaleIO", "PersistentVolume.spec.storageos",
		"PersistentVolume.spec.csi.controllerExpandSecretRef", "PersistentVolume.spec.csi.controllerPublishSecretRef",
		"PersistentVolume.spec.csi.fsType", "PersistentVolume.spec.csi.nodeExpandSecretRef",
		"PersistentVolume.spec.csi.nodePublishSecretRef", "PersistentVolume.spec.csi.nodeStageSecretRef",
		"PersistentVolume.spec.csi.readOnly", "PersistentVolume.spec.csi.volumeAttributes"}, false},
	{"of a node, what it has and is, not how it does", []string{"Node.spec.configSource", "Node.spec.externalID",
		"Node.spec.podCIDR", "Node.spec.podCIDRs", "Node.spec.providerID", "Node.status.addresses",
		"Node.status.capacity", "Node.status.conditions", "Node.status.config", "Node.status.daemonEndpoints",
		"Node.status.features", "Node.status.nodeInfo", "Node.status.phase", "Node.status.runtimeHandlers",
		"Node.status.volumesAttached", "Node.status.volumesInUse"}, false},
	{"the disruption controller's affair: the scheduler reads what came of it",
		[]string{"PodDisruptionBudget.spec.maxUnavailable", "PodDisruptionBudget.spec.minAvailable",
			"PodDisruptionBudget.spec.unhealthyPodEvictionPolicy", "PodDisruptionBudget.status.conditions",
			"PodDisruptionBudget.status.currentHealthy", "PodDisruptionBudget.status.desiredHealthy",
			"PodDisruptionBudget.status.expectedPods"}, false},
	{"of a namespace, who it is", []string{"Namespace.spec", "Namespace.status"}, false},
	{"provisioners and mounters read it", []string{"StorageClass.allowVolumeExpansion", "StorageClass.mountOptions",
		"StorageClass.parameters", "StorageClass.reclaimPolicy", "PersistentVolume.spec.mountOptions",
		"PersistentVolume.spec.persistentVolumeReclaimPolicy", "PersistentVolume.status.lastPhaseTransitionTime",
		"PersistentVolume.status.message", "PersistentVolume.status.reason", "PersistentVolumeClaim.spec.dataSource",
		"PersistentVolumeClaim.spec.dataSourceRef", "PersistentVolumeClaim.spec.resources.limits",
		"PersistentVolumeClaim.status.accessModes", "PersistentVolumeClaim.status.allocatedResourceStatuses",
		"PersistentVolumeClaim.status.allocatedResources", "PersistentVolumeClaim.status.capacity",
		"PersistentVolumeClaim.status.conditions", "PersistentVolumeClaim.status.currentVolumeAttributesClassName",
		"PersistentVolumeClaim.status.modifyVolumeStatus", "CSINode.spec.drivers[].nodeID", "CSIDriver.spec.attachRequired",
		"CSIDriver.spec.fsGroupPolicy", "CSIDriver.spec.nodeAllocatableUpdatePeriodSeconds",
		"CSIDriver.spec.podInfoOnMount", "CSIDriver.spec.requiresRepublish", "CSIDriver.spec.seLinuxMount",
		"CSIDriver.spec.serviceAccountTokenInSecrets", "CSIDriver.spec.tokenRequests",
		"CSIDriver.spec.volumeLifecycleModes"}, false},
	{"of what selects pods, who it is and whom it selects", []string{"Service.metadata.annotations",
		"Service.metadata.deletionTimestamp", "Service.metadata.labels", "Service.metadata.ownerReferences",
		"Service.spec.allocateLoadBalancerNodePorts", "Service.spec.clusterIP", "Service.spec.clusterIPs",
		"Service.spec.externalIPs", "Service.spec.externalName", "Service.spec.externalTrafficPolicy",
		"Service.spec.healthCheckNodePort", "Service.spec.internalTrafficPolicy", "Service.spec.ipFamilies",
		"Service.spec.ipFamilyPolicy", "Service.spec.loadBalancerClass", "Service.spec.loadBalancerIP",
		"Service.spec.loadBalancerSourceRanges", "Service.spec.ports", "Service.spec.publishNotReadyAddresses",
		"Service.spec.sessionAffinity", "Service.spec.sessionAffinityConfig", "Service.spec.trafficDistribution",
		"Service.status", "ReplicationController.metadata.annotations",
		"ReplicationController.metadata.deletionTimestamp", "ReplicationController.metadata.labels",
		"ReplicationController.metadata.ownerReferences", "ReplicationController.spec.minReadySeconds",
		"ReplicationController.spec.replicas", "ReplicationController.spec.template", "ReplicationController.status",
		"ReplicaSet.metadata.annotations", "ReplicaSet.metadata.deletionTimestamp", "ReplicaSet.metadata.labels",
		"ReplicaSet.metadata.ownerReferences", "ReplicaSet.spec.minReadySeconds", "ReplicaSet.spec.replicas",
		"ReplicaSet.spec.template", "ReplicaSet.status", "StatefulSet.metadata.annotations",
		"StatefulSet.metadata.deletionTimestamp", "StatefulSet.metadata.labels", "StatefulSet.metadata.ownerReferences",
		"StatefulSet.spec.minReadySeconds", "StatefulSet.spec.ordinals",
		"StatefulSet.spec.persistentVolumeClaimRetentionPolicy", "StatefulSet.spec.podManagementPolicy",
		"StatefulSet.spec.replicas", "StatefulSet.spec.revisionHistoryLimit", "StatefulSet.spec.serviceName",
		"StatefulSet.spec.template", "StatefulSet.spec.updateStrategy", "StatefulSet.spec.volumeClaimTemplates",
		"StatefulSet.status"}, false},
	{"of devices, drivers read it", []string{"ResourceClaim.spec.devices.config",
		"ResourceClaim.status.allocation.devices.config", "ResourceClaim.status.devices[].data",
		"ResourceClaim.status.devices[].networkData", "DeviceClass.spec.config", "ResourceClaim.metadata.labels",
		"ResourceSlice.metadata.labels", "ResourceSlice.metadata.annotations", "ResourceSlice.metadata.ownerReferences",
		"ResourceSlice.metadata.deletionTimestamp", "DeviceClass.metadata.labels", "DeviceClass.metadata.annotations",
		"DeviceClass.metadata.ownerReferences", "DeviceClass.metadata.deletionTimestamp"}, false},
	{
		"whether it is attached is the attacher's affair",
		[]string{"VolumeAttachment.status", "VolumeAttachment.spec.source.inlineVolumeSpec"},
		false,
	},
}

// whyUnread returns the reason why nobody reads the field, or what it is part of.
func whyUnread(path string) (reason string, is bool) {
	path = strings.NewReplacer("spec.initContainers", "spec.containers", "status.initContainerStatuses",
		"status.containerStatuses").Replace(path)
	for _, group := range unreadFields {
		for _, unread := range group.paths {
			at := path
			if unread[0] == '.' {
				at = path[strings.IndexByte(path+".", '.'):]
			}
			if rest, below := strings.CutPrefix(at, unread); below && (rest == "" || rest[0] == '.' || rest[0] == '[') {
				return group.reason, true
			}
		}
	}
	return "", false
}
