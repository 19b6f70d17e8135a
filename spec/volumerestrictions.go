package spec

import v1 "k8s.io/api/core/v1"

// VolumeRestrictions is the filter
//
//	Holds == /\ \A Volume \in Pod.Spec.Volumes that name their claim : \E Claim \in S : Claim is the one named
//	         /\ \A Claim \in Claims(Pod, S) : ReadWriteOncePod \in Claim.Spec.AccessModes =>
//	                ~\E Other \in S \ {Pod} : Bound(Other, S) /\ Claim \in Claims(Other, S)
//	         /\ \A Other \in PodsOn(Node), Mine \in Pod.Spec.Volumes, Theirs \in Other.Spec.Volumes : ~SameDisk(Mine, Theirs)
//
// It answers for the plugin VolumeRestrictions, and reads every pod: a ReadWriteOncePod claim is for one pod in the
// whole cluster.
//
// Source: https://kubernetes.io/docs/concepts/storage/persistent-volumes/#access-modes ("only one pod across the
// whole cluster can read that PVC or write to it"), KEP-2485 (Unschedulable if preemption may help, and for good if
// the pod "has a PVC that cannot be found"), and doc comment of VolumeRestrictions.Filter in
// k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumerestrictions.
//
// The claim of a generic ephemeral volume is a claim like any other, and other pods may name it
// (https://kubernetes.io/docs/concepts/storage/ephemeral-volumes/#lifecycle-and-persistentvolumeclaim: "While these
// PVCs exist, they can be used like any other PVC"). That it does not exist yet is left to VolumeBinding.
func VolumeRestrictions() Filter { return volumeRestrictions(DocumentedVolumes()).monotone(always) }

func volumeRestrictions(r VolumeRules) Filter {
	return Filter{
		Plugin:    "VolumeRestrictions",
		Footprint: ReadsCluster,
		Holds: func(_ *Profile, pod *v1.Pod, node *v1.Node, s *Snapshot) bool {
			return namedClaimsThere(pod, s) &&
				r.unused(r, pod, s) &&
				all(PodsOn(node, s), func(other *v1.Pod) bool { return !sharesDisk(pod, other) })
		},
		indexed: r.indexedRestrictions,
		Idle: func(_ *Profile, pod *v1.Pod, _ []*v1.Pod, s *Snapshot) bool {
			return namedClaimsThere(pod, s) && len(singlePodClaims(pod, s)) == 0 && !exists(pod.Spec.Volumes, exclusive)
		},
	}
}

// namedClaimsThere reports whether the claims that the pod names exist.
func namedClaimsThere(pod *v1.Pod, s *Snapshot) bool {
	return all(pod.Spec.Volumes, func(volume v1.Volume) bool {
		return volume.PersistentVolumeClaim == nil || ClaimOf(pod, volume, s) != nil
	})
}

// singlePodClaims returns the pod's claims with the access mode ReadWriteOncePod.
func singlePodClaims(pod *v1.Pod, s *Snapshot) []*v1.PersistentVolumeClaim {
	return filter(Claims(pod, s), func(claim *v1.PersistentVolumeClaim) bool {
		return contains(claim.Spec.AccessModes, v1.ReadWriteOncePod)
	})
}

// unused reports whether no other bound pod uses a ReadWriteOncePod claim of the pod.
func unused(_ VolumeRules, pod *v1.Pod, s *Snapshot) bool {
	return all(
		singlePodClaims(pod, s),
		func(claim *v1.PersistentVolumeClaim) bool { return !usedByAnother(claim, pod, s) },
	)
}

// usedByAnother reports whether a bound pod other than this one uses the claim.
func usedByAnother(claim *v1.PersistentVolumeClaim, pod *v1.Pod, s *Snapshot) bool {
	return exists(s.Pods, func(other *v1.Pod) bool {
		return other != pod && Bound(other, s) && contains(Claims(other, s), claim)
	})
}

// sharesDisk reports whether the two pods have volumes on one disk that cannot both be mounted.
func sharesDisk(pod, other *v1.Pod) bool {
	return exists(pod.Spec.Volumes, func(mine v1.Volume) bool {
		return exists(other.Spec.Volumes, func(theirs v1.Volume) bool { return SameDisk(mine, theirs) })
	})
}

// exclusive reports whether the volume is of a kind that SameDisk may keep from being mounted twice.
func exclusive(volume v1.Volume) bool {
	return volume.GCEPersistentDisk != nil || volume.AWSElasticBlockStore != nil || volume.ISCSI != nil ||
		volume.RBD != nil
}

// SameDisk reports whether two inline volumes are on one disk and cannot be mounted on a node by two pods:
//
//	GCE persistent disk  the same name, unless both are read only
//	Amazon EBS           the same volume ID, read only or not
//	iSCSI                the same IQN, unless both are read only
//	Ceph RBD             a monitor in common, the same pool and image, unless both are read only
//
// Source: doc comment of VolumeRestrictions.Filter, and https://kubernetes.io/docs/concepts/storage/volumes/
// (gcePersistentDisk, iscsi, rbd: mounted read only by many, or read-write by one). That the target portal and LUN
// of iSCSI do not tell disks apart is by that comment, which names the IQN alone.
func SameDisk(a, b v1.Volume) bool {
	switch {
	case a.GCEPersistentDisk != nil && b.GCEPersistentDisk != nil:
		a, b := a.GCEPersistentDisk, b.GCEPersistentDisk
		return a.PDName == b.PDName && !(a.ReadOnly && b.ReadOnly)
	case a.AWSElasticBlockStore != nil && b.AWSElasticBlockStore != nil:
		return a.AWSElasticBlockStore.VolumeID == b.AWSElasticBlockStore.VolumeID
	case a.ISCSI != nil && b.ISCSI != nil:
		return a.ISCSI.IQN == b.ISCSI.IQN && !(a.ISCSI.ReadOnly && b.ISCSI.ReadOnly)
	case a.RBD != nil && b.RBD != nil:
		a, b := a.RBD, b.RBD
		shared := exists(a.CephMonitors, func(monitor string) bool { return contains(b.CephMonitors, monitor) })
		return shared && a.RBDPool == b.RBDPool && a.RBDImage == b.RBDImage && !(a.ReadOnly && b.ReadOnly)
	default:
		return false
	}
}
