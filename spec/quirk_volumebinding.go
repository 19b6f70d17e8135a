package spec

import (
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// VolumeMatchFields is a defect of kube-scheduler v1.36. A volume's node affinity is asked of the node's labels alone.
func VolumeMatchFields() Quirk {
	return Quirk{
		Name: "volume-match-fields", Class: Reported, Upstream: "kubernetes/kubernetes#81725",
		Title:  "matchFields of a volume's node affinity are passed over",
		Plugin: "VolumeBinding",
		Doc: "The matchFields of a volume's node affinity are passed over: the volume is taken to be within " +
			"reach from every node.",
		Needs: func(_ *Profile, _ *v1.Pod, s *Snapshot) bool {
			return exists(s.PersistentVolumes, func(volume *v1.PersistentVolume) bool {
				affinity := volume.Spec.NodeAffinity
				return affinity != nil && affinity.Required != nil &&
					exists(
						affinity.Required.NodeSelectorTerms,
						func(t v1.NodeSelectorTerm) bool { return len(t.MatchFields) > 0 },
					)
			})
		},
		Volumes: func(r *VolumeRules) {
			r.reaches = func(volume *v1.PersistentVolume, node *v1.Node) bool {
				affinity := volume.Spec.NodeAffinity
				return affinity == nil || affinity.Required == nil ||
					exists(affinity.Required.NodeSelectorTerms, func(t v1.NodeSelectorTerm) bool {
						expressions := v1.NodeSelectorTerm{MatchExpressions: t.MatchExpressions}
						return len(t.MatchFields) > 0 && len(t.MatchExpressions) == 0 || MatchesTerm(expressions, node)
					})
			}
		},
	}
}

// UnboundUnconverted is a defect of kube-scheduler.
func UnboundUnconverted() Quirk {
	return Quirk{
		Name: "unbound-unconverted", Class: Unconfirmed, Upstream: "not reported",
		Title:  "in-tree volumes are for other nodes before they are bound",
		Plugin: "VolumeBinding",
		Doc: "A volume of a migrated in-tree plugin is chosen by its own zone label, and once it is bound it must be in " +
			"the zone that the driver says the node is in: it is bound for a node that it is not for, or not found for one.",
		Needs: func(_ *Profile, _ *v1.Pod, s *Snapshot) bool {
			return exists(s.PersistentVolumes, func(volume *v1.PersistentVolume) bool {
				plugin, _ := ZonalPlugin(volume)
				return plugin != ""
			})
		},
		Volumes: func(r *VolumeRules) {
			r.unbound = func(v *v1.PersistentVolume, _ *v1.Node, _ *Snapshot) *v1.PersistentVolume { return v }
		},
	}
}

// UnreadableVolumeStopsPod is a defect of kube-scheduler.
func UnreadableVolumeStopsPod() Quirk {
	return Quirk{
		Name: "unreadable-volume-stops-pod", Class: Unconfirmed, Upstream: "not reported",
		Title:  "a volume that one node cannot migrate ends the whole cycle",
		Plugin: "VolumeBinding",
		Doc: "A bound volume of EBS with an ID that is not understood, of an Azure disk of another kind than Managed, or " +
			"of a GCE disk in zones of several regions ends the cycle of its pod in an error where the plugin is migrated " +
			"on some node, whatever other nodes there are.",
		Needs: func(_ *Profile, _ *v1.Pod, s *Snapshot) bool {
			return exists(s.PersistentVolumes, func(volume *v1.PersistentVolume) bool { return untranslatable(volume) != "" })
		},
		Volumes: func(r *VolumeRules) { r.unread = untranslatable },
	}
}

// ClaimUsedTwice is a defect of kube-scheduler v1.36.
func ClaimUsedTwice() Quirk {
	return Quirk{
		Name: "claim-used-twice", Class: Unconfirmed, Upstream: "not reported",
		Title:  "a claim used by two volumes of a pod needs two volumes",
		Plugin: "VolumeBinding",
		Doc: "A claim that two volumes of a pod use, and that has no volume yet, must find two persistent " +
			"volumes.",
		Needs: severalClaims,
		Volumes: func(r *VolumeRules) {
			r.waiting = func(pod *v1.Pod, s *Snapshot) []*v1.PersistentVolumeClaim {
				return claimsOf(pod, claiming(pod),
					s)
			}
		},
	}
}

// VolumesMatchedGreedily is a defect of kube-scheduler v1.36.
func VolumesMatchedGreedily() Quirk {
	return Quirk{
		Name: "volumes-matched-greedily", Class: Interpretation, Upstream: "not reported",
		Title:  "claims take volumes greedily, and a later one gets none",
		Plugin: "VolumeBinding",
		Doc: "Claims take the smallest volume that suits them, one after the other, and a later one may be " +
			"left without although all could be served.",
		Needs:   severalClaims,
		Volumes: func(r *VolumeRules) { r.serves = greedily },
	}
}

// greedily serves the claims with the volumes that they take, and provisions for those that are left.
func greedily(r VolumeRules, claims []*v1.PersistentVolumeClaim, node *v1.Node, s *Snapshot) bool {
	_, without := r.taken(claims, node, s)
	return all(without, func(claim *v1.PersistentVolumeClaim) bool { return r.provisionable(claim, node, s) })
}

// ReservedAccessModes is a defect of kube-scheduler v1.36.
func ReservedAccessModes() Quirk {
	return Quirk{
		Name: "reserved-access-modes", Class: Interpretation, Upstream: "not reported",
		Title:  "access modes of a reserved volume are not checked",
		Plugin: "VolumeBinding",
		Doc:    "The access modes of a volume that is reserved for the claim are not looked at.",
		Needs:  reservedThere,
		Volumes: func(r *VolumeRules) {
			r.suitsReserved = func(volume *v1.PersistentVolume, claim *v1.PersistentVolumeClaim) bool {
				anyModes := claim.DeepCopy()
				anyModes.Spec.AccessModes = nil
				return Suits(volume, anyModes)
			}
		},
	}
}

// ReservedAndProvisioned is a defect of kube-scheduler v1.36.
func ReservedAndProvisioned() Quirk {
	return Quirk{
		Name: "reserved-and-provisioned", Class: Unconfirmed, Upstream: "not reported",
		Title:  "a claim with a reserved volume is to be provisioned elsewhere",
		Plugin: "VolumeBinding",
		Doc: "A volume is to be provisioned for a claim on a node from which the volume reserved for the " +
			"claim cannot be reached.",
		Needs: reservedThere,
		Volumes: func(r *VolumeRules) {
			r.awaitsReserved = func(VolumeRules, *v1.PersistentVolumeClaim, *Snapshot) bool { return false }
		},
	}
}

// SelectorProvisioned is a defect of kube-scheduler v1.36.
func SelectorProvisioned() Quirk {
	return Quirk{
		Name: "selector-provisioned", Class: Interpretation, Upstream: "not reported",
		Title:  "a claim with a selector is to be provisioned",
		Plugin: "VolumeBinding",
		Doc:    "A volume is to be provisioned for a claim with a selector, for which nothing can be provisioned.",
		Needs: func(_ *Profile, pod *v1.Pod, s *Snapshot) bool {
			return exists(
				Claims(pod, s),
				func(claim *v1.PersistentVolumeClaim) bool { return !emptySelector(claim.Spec.Selector) },
			)
		},
		Volumes: func(r *VolumeRules) {
			r.provisionsFor = func(*metav1.LabelSelector) bool { return true }
		},
	}
}

// severalClaims reports whether two volumes of the pod use claims, maybe the same one.
func severalClaims(_ *Profile, pod *v1.Pod, _ *Snapshot) bool { return len(claiming(pod)) > 1 }

// reservedThere reports whether some volume is reserved for a claim.
func reservedThere(_ *Profile, _ *v1.Pod, s *Snapshot) bool {
	return exists(s.PersistentVolumes, func(volume *v1.PersistentVolume) bool { return volume.Spec.ClaimRef != nil })
}
