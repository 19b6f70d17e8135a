package generate

import (
	"slices"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// LeftToChance reports whether production's answer to the question may depend on chance. VolumeBinding goes through
// persistent volumes in the order of a map: where a claim could have several volumes of one size, or several are
// reserved for it, it takes any of them. That matters if a second claim of the pod wants one of them too, or if one
// is out of reach.
func LeftToChance(q spec.Question) bool {
	claims := slices.DeleteFunc(
		spec.Claims(q.Pod, q.Snapshot),
		func(c *v1.PersistentVolumeClaim) bool { return !spec.ClaimWaits(c, q.Snapshot) },
	)
	wants := func(v *v1.PersistentVolume, c *v1.PersistentVolumeClaim) bool {
		return reserved(v, c) || v.Spec.ClaimRef == nil && spec.Suits(v, c)
	}
	return slices.ContainsFunc(claims, func(c *v1.PersistentVolumeClaim) bool {
		contested := len(claims) > 1 || uses(q.Pod, c.Name) > 1
		for i, v := range q.Snapshot.PersistentVolumes {
			for _, other := range q.Snapshot.PersistentVolumes[:i] {
				same := v.Spec.Capacity.Storage().Cmp(*other.Spec.Capacity.Storage()) == 0
				if wants(v, c) && wants(other, c) && (reserved(v, c) && reserved(other, c) || contested && same) {
					return true
				}
			}
		}
		return false
	})
}

// reserved reports whether the volume's claimRef names the claim.
func reserved(volume *v1.PersistentVolume, claim *v1.PersistentVolumeClaim) bool {
	ref := volume.Spec.ClaimRef
	return ref != nil && ref.Namespace == claim.Namespace && ref.Name == claim.Name
}

// uses counts how often the pod names the claim.
func uses(pod *v1.Pod, claim string) int {
	n := 0
	for _, v := range pod.Spec.Volumes {
		if v.PersistentVolumeClaim != nil && v.PersistentVolumeClaim.ClaimName == claim {
			n++
		}
	}
	return n
}
