package spec

import v1 "k8s.io/api/core/v1"

// NodeDeclaredFeatures is the filter
//
//	Holds == RequiredFeatures(Pod) \subseteq Node.Status.DeclaredFeatures
//
// It answers for the plugin NodeDeclaredFeatures, which is on by default since FeaturesDeclared, and reads
// only the node.
//
// Source: https://kubernetes.io/docs/concepts/scheduling-eviction/node-declared-features/, and KEP-5328.
func NodeDeclaredFeatures() Filter {
	return Filter{
		Plugin:    "NodeDeclaredFeatures",
		Footprint: ReadsNode,
		Holds: func(p *Profile, pod *v1.Pod, node *v1.Node, _ *Snapshot) bool {
			return !p.has(FeaturesDeclared()) || len(minus(RequiredFeatures(pod), DeclaredFeatures(node))) == 0
		},
	}
}

// RequiredFeatures returns the features that a node must declare to run the pod:
//
//	RestartAllContainersOnContainerExits  a container or init container has a restart rule with the action RestartAllContainers
//	UserNamespacesHostNetworkSupport      the pod wants the host's network and a user namespace of its own
//	VolumeBindMountOptions                a container, also an ephemeral one, mounts a volume with bindMountOptions
//
// Source: KEP-5328, which lists the features of v1.36. The others it lists, InPlacePodLevelResourcesVerticalScaling,
// InPlacePodVerticalScalingInitContainers and ExtendWebSocketsToKubelet, are about changes to running pods. KEP-5607
// tells when the second is needed, and calls it UserNamespacesHostNetwork as well; the name here is the feature
// gate's, which KEP-5328 asks for. The third came with v1.37: field doc of VolumeMount.bindMountOptions; that a node
// must declare it is stated in code (k8s.io/component-helpers). Both gates are alpha and off, and without them the API
// has no such pods.
func RequiredFeatures(pod *v1.Pod) []string {
	containers := append(append([]v1.Container{}, pod.Spec.InitContainers...), pod.Spec.Containers...)
	var features []string
	if exists(containers, restartsAll) {
		features = append(features, "RestartAllContainersOnContainerExits")
	}
	if pod.Spec.HostNetwork && !valueOr(pod.Spec.HostUsers, true) {
		features = append(features, "UserNamespacesHostNetworkSupport")
	}
	mounts := union(containers, func(c v1.Container) []v1.VolumeMount { return c.VolumeMounts })
	ephemeral := union(pod.Spec.EphemeralContainers,
		func(c v1.EphemeralContainer) []v1.VolumeMount { return c.VolumeMounts })
	if exists(append(mounts, ephemeral...), hasBindMountOptions) {
		features = append(features, "VolumeBindMountOptions")
	}
	return features
}
