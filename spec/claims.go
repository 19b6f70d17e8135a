package spec

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Annotations of claims, as https://kubernetes.io/docs/reference/labels-annotations-taints/ describes them.
const (
	// bindCompleted: the claim is through its first binding.
	bindCompleted = "pv.kubernetes.io/bind-completed"
	// selectedNode names the node for which a scheduler has had the provisioning of the claim begun.
	selectedNode = "volume.kubernetes.io/selected-node"
)

// noProvisioner is the provisioner of storage classes that provision nothing.
//
// Source: https://kubernetes.io/docs/concepts/storage/storage-classes/#local.
const noProvisioner = "kubernetes.io/no-provisioner"

// ClaimName returns the name of the claim, in the pod's namespace, that the volume of the pod uses; "" if it uses none.
//
//	the volume names a claim     that name
//	it is generically ephemeral  <pod name>-<volume name>
//
// Source: field docs of PersistentVolumeClaimVolumeSource.claimName and EphemeralVolumeSource.volumeClaimTemplate.
func ClaimName(pod *v1.Pod, volume v1.Volume) string {
	switch {
	case volume.PersistentVolumeClaim != nil:
		return volume.PersistentVolumeClaim.ClaimName
	case volume.Ephemeral != nil:
		return pod.Name + "-" + volume.Name
	default:
		return ""
	}
}

// ClaimOf returns the claim that the volume of the pod uses; nil if it uses none or the claim is not there. An
// ephemeral volume's claim counts only if the pod controls it.
//
// Source: field doc of EphemeralVolumeSource.volumeClaimTemplate ("An existing PVC with that name that is not owned
// by the pod will *not* be used").
func ClaimOf(pod *v1.Pod, volume v1.Volume, s *Snapshot) *v1.PersistentVolumeClaim {
	claim := choose(s.PersistentVolumeClaims, func(c *v1.PersistentVolumeClaim) bool {
		return c.Namespace == pod.Namespace && c.Name == ClaimName(pod, volume)
	})
	if claim == nil || volume.Ephemeral != nil && !metav1.IsControlledBy(claim, pod) {
		return nil
	}
	return claim
}

// Claims returns the claims that the pod uses and that are there, each once however many volumes use it, in the
// order of its volumes.
func Claims(pod *v1.Pod, s *Snapshot) []*v1.PersistentVolumeClaim {
	return distinct(claimsOf(pod, pod.Spec.Volumes, s), func(a, b *v1.PersistentVolumeClaim) bool { return a == b })
}

// claimsOf returns the claims that these volumes of the pod use and that are there, once for each volume.
func claimsOf(pod *v1.Pod, volumes []v1.Volume, s *Snapshot) []*v1.PersistentVolumeClaim {
	of := each(volumes, func(volume v1.Volume) *v1.PersistentVolumeClaim { return ClaimOf(pod, volume, s) })
	return filter(of, func(c *v1.PersistentVolumeClaim) bool { return c != nil })
}

// claiming returns the pod's volumes that use a claim, there or not.
func claiming(pod *v1.Pod) []v1.Volume {
	return filter(pod.Spec.Volumes, func(volume v1.Volume) bool { return ClaimName(pod, volume) != "" })
}

// naming returns the pod's volumes that name their claim, as opposed to ephemeral ones.
func naming(pod *v1.Pod) []v1.Volume {
	return filter(pod.Spec.Volumes, func(volume v1.Volume) bool { return volume.PersistentVolumeClaim != nil })
}

// ClaimBound reports whether the claim is bound: it names its volume, and the binding is complete. A claim that its
// user has given a volume is bound only when the control plane has agreed.
//
//	ClaimBound(Claim) == Claim.Spec.VolumeName # "" /\ "pv.kubernetes.io/bind-completed" \in DOMAIN Claim.Annotations
//
// Source: https://kubernetes.io/docs/concepts/storage/persistent-volumes/#reserving-a-persistentvolume, field doc of
// PersistentVolumeSpec.claimRef ("claim.VolumeName is the authoritative bind"), and the annotation's reference.
func ClaimBound(claim *v1.PersistentVolumeClaim) bool {
	return claim.Spec.VolumeName != "" && metav1.HasAnnotation(claim.ObjectMeta, bindCompleted)
}

// ClaimWaits reports whether the claim waits for a pod to be scheduled before it gets a volume.
//
//	ClaimWaits(Claim, S) == /\ Claim.Spec.VolumeName = ""
//	                        /\ \E Class \in S : Class = ClassOf(Claim) /\ Class.VolumeBindingMode = WaitForFirstConsumer
//
// Source: https://kubernetes.io/docs/concepts/storage/storage-classes/#volume-binding-mode. Without a class, or with
// one that is not there, a claim is bound at once or never.
func ClaimWaits(claim *v1.PersistentVolumeClaim, s *Snapshot) bool {
	class := ClassOf(claim, s)
	return claim.Spec.VolumeName == "" && class != nil &&
		class.VolumeBindingMode != nil && *class.VolumeBindingMode == storagev1.VolumeBindingWaitForFirstConsumer
}

// ClassOf returns the storage class that the claim asks for; nil if it asks for none or the class is not there.
func ClassOf(claim *v1.PersistentVolumeClaim, s *Snapshot) *storagev1.StorageClass {
	name := className(claim)
	return choose(
		s.StorageClasses,
		func(class *storagev1.StorageClass) bool { return name != "" && class.Name == name },
	)
}

// className returns the name of the storage class that the claim asks for; "" if none.
//
// Source: https://kubernetes.io/docs/concepts/storage/persistent-volumes/#class-1. The beta annotation "is still
// working"; which of the two counts when both are there is not documented: here the annotation.
func className(claim *v1.PersistentVolumeClaim) string {
	if name, ok := claim.Annotations[v1.BetaStorageClassAnnotation]; ok {
		return name
	}
	return valueOr(claim.Spec.StorageClassName, "")
}

// VolumeNamed returns the persistent volume of that name; nil if it is not there.
func VolumeNamed(name string, s *Snapshot) *v1.PersistentVolume {
	return choose(s.PersistentVolumes, func(volume *v1.PersistentVolume) bool { return volume.Name == name })
}

// volumesOf returns the persistent volumes that the claims name and that are there.
func volumesOf(claims []*v1.PersistentVolumeClaim, s *Snapshot) []*v1.PersistentVolume {
	named := each(
		claims,
		func(c *v1.PersistentVolumeClaim) *v1.PersistentVolume { return VolumeNamed(c.Spec.VolumeName, s) },
	)
	return filter(named, func(volume *v1.PersistentVolume) bool { return volume != nil })
}

// choose is CHOOSE x \in set : is(x), the first; nil if there is none.
func choose[T any](set []*T, is func(*T) bool) *T {
	if i := slices.IndexFunc(set, is); i >= 0 {
		return set[i]
	}
	return nil
}

// valueOr returns what an optional field holds, or what its absence means.
func valueOr[T any](field *T, absent T) T {
	if field == nil {
		return absent
	}
	return *field
}
