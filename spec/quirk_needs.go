package spec

import v1 "k8s.io/api/core/v1"

// What several quirks need.

// nominatedBeside reports whether the other pod is one beside the pod that is nominated, to whatever node.
func nominatedBeside(pod, other *v1.Pod) bool {
	return other != pod && other.Spec.NodeName == "" && other.Status.NominatedNodeName != ""
}

// nominatedThere reports whether another pod is nominated.
func nominatedThere(_ *Profile, pod *v1.Pod, s *Snapshot) bool {
	return exists(s.Pods, func(other *v1.Pod) bool { return nominatedBeside(pod, other) })
}

// volumeThere reports whether some pod has a volume for which holds is true.
func volumeThere(s *Snapshot, holds func(v1.Volume) bool) bool {
	return exists(s.Pods, func(pod *v1.Pod) bool { return exists(pod.Spec.Volumes, holds) })
}

// isEphemeral reports whether a claim is made for the volume.
func isEphemeral(volume v1.Volume) bool { return volume.Ephemeral != nil }

// terminatingThere reports whether some pod terminates.
func terminatingThere(_ *Profile, _ *v1.Pod, s *Snapshot) bool {
	return exists(s.Pods, func(pod *v1.Pod) bool { return pod.DeletionTimestamp != nil })
}
