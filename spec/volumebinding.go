package spec

import v1 "k8s.io/api/core/v1"

// VolumeBinding is the filter
//
//	Holds == /\ \A Volume \in Pod.Spec.Volumes that use a claim : ClaimOf(Pod, Volume, S) \in S
//	         /\ \A Claim \in Claims(Pod, S) : ~Lost(Claim) /\ ~Deleting(Claim) /\ (ClaimBound(Claim) \/ ClaimWaits(Claim, S))
//	         /\ \A Claim \in Claims(Pod, S) : ClaimBound(Claim) => \E PV \in S : PV.Name = Claim.Spec.VolumeName /\ Reaches(OnNode(PV, Node, S), Node)
//	         /\ Servable({Claim \in Claims(Pod, S) : ~ClaimBound(Claim)}, Node, S)
//
// It answers for the filter of the plugin VolumeBinding, and reads the node and the pod's claims with their volumes
// and classes.
//
// Source: https://kubernetes.io/docs/concepts/storage/persistent-volumes/ (#binding, #node-affinity, #phase),
// https://kubernetes.io/docs/concepts/storage/storage-classes/#volume-binding-mode, field doc of
// EphemeralVolumeSource, and doc comment of VolumeBinding.Filter in
// k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumebinding ("true if all bound PVCs have compatible PVs with
// the node, and if all unbound PVCs can be matched with an available and node-compatible PV"). That a claim on its
// way out takes no new pod is in the design of storage object protection (postpone-pvc-deletion-if-used-in-a-pod).
//
// The question is about now: what becomes of the waiting claims once the pod is bound is not part of it, and the
// snapshots of a state space keep their volumes as they are.
func VolumeBinding() Filter { return volumeBinding(DocumentedVolumes()).monotone(always) }

func volumeBinding(r VolumeRules) Filter {
	f := Filter{
		Plugin:    "VolumeBinding",
		Footprint: ReadsNodeAndVolumes,
		Holds: func(_ *Profile, pod *v1.Pod, node *v1.Node, s *Snapshot) bool {
			claims := Claims(pod, s)
			waiting := filter(r.waiting(pod, s), func(c *v1.PersistentVolumeClaim) bool { return !ClaimBound(c) })
			return allUsable(pod, s) && all(filter(claims, ClaimBound), func(c *v1.PersistentVolumeClaim) bool {
				return r.boundWithin(c, node, s) && !r.unreadOf(c, node, s)
			}) && r.serves(r, waiting, node, s)
		},
		Fails: r.readingFails(),
		Idle: func(_ *Profile, pod *v1.Pod, _ []*v1.Pod, s *Snapshot) bool {
			claims := Claims(pod, s)
			return claimsThere(pod, s) && all(claims, func(c *v1.PersistentVolumeClaim) bool {
				volume := VolumeNamed(c.Spec.VolumeName, s)
				if volume == nil || volume.Spec.NodeAffinity != nil {
					return false
				}
				plugin, _ := ZonalPlugin(volume)
				return usable(c, s) && ClaimBound(c) && plugin == ""
			})
		},
	}
	if f.Fails != nil {
		f.Idle = nil
	}
	return f
}

// boundWithin reports whether the volume that the claim is bound to is there, and within reach of the node.
func (r VolumeRules) boundWithin(claim *v1.PersistentVolumeClaim, node *v1.Node, s *Snapshot) bool {
	volume := VolumeNamed(claim.Spec.VolumeName, s)
	return volume != nil && r.reaches(OnNode(volume, node, s), node)
}

// unreadOf reports whether looking at the volume of the claim stops with an error.
func (r VolumeRules) unreadOf(claim *v1.PersistentVolumeClaim, node *v1.Node, s *Snapshot) bool {
	volume := VolumeNamed(claim.Spec.VolumeName, s)
	if r.unread == nil || volume == nil {
		return false
	}
	plugin := r.unread(volume)
	return plugin != "" && migratedOn(plugin, node, s)
}

// readingFails returns the predicate whether looking at the volumes of the pod stops with an error, that is, if there
// is one before the first that is gone or out of reach; nil if nothing does.
func (r VolumeRules) readingFails() func(*Profile, *v1.Pod, *v1.Node, *Snapshot) bool {
	if r.unread == nil {
		return nil
	}
	return func(_ *Profile, pod *v1.Pod, node *v1.Node, s *Snapshot) bool {
		stops := choose(filter(Claims(pod, s), ClaimBound), func(c *v1.PersistentVolumeClaim) bool {
			return r.unreadOf(c, node, s) || !r.boundWithin(c, node, s)
		})
		return allUsable(pod, s) && stops != nil && r.unreadOf(stops, node, s)
	}
}

// allUsable reports whether the claims of the pod are there, and a pod may be scheduled with them as they are.
func allUsable(pod *v1.Pod, s *Snapshot) bool {
	return claimsThere(pod, s) && all(Claims(pod, s), func(c *v1.PersistentVolumeClaim) bool { return usable(c, s) })
}

// usable reports whether a pod may be scheduled with the claim as it is.
func usable(claim *v1.PersistentVolumeClaim, s *Snapshot) bool {
	return claim.Status.Phase != v1.ClaimLost && claim.DeletionTimestamp == nil &&
		(ClaimBound(claim) || ClaimWaits(claim, s))
}

// Reaches reports whether the volume can be accessed from the node:
//
//	Reaches(PV, Node) == \/ PV has no required node affinity
//	                     \/ \E Term \in PV.Spec.NodeAffinity.Required.NodeSelectorTerms : MatchesTerm(Term, Node)
//
// Source: field doc of PersistentVolumeSpec.nodeAffinity, docs of VolumeNodeAffinity and NodeSelector. A term's
// matchFields count as they do for a pod's affinity: nothing says otherwise.
func Reaches(volume *v1.PersistentVolume, node *v1.Node) bool {
	affinity := volume.Spec.NodeAffinity
	return affinity == nil || affinity.Required == nil ||
		exists(affinity.Required.NodeSelectorTerms, func(t v1.NodeSelectorTerm) bool { return MatchesTerm(t, node) })
}
