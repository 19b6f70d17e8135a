package spec

import (
	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
)

// UnknownCapacityPanics is a defect of kube-scheduler v1.37. CSIStorageCapacity.capacity is optional, and
// maximumVolumeSize alone is enough for the filter, as documented.
func UnknownCapacityPanics() Quirk {
	return Quirk{
		Name: "unknown-capacity-panics", Class: Unconfirmed, Upstream: "not reported", Since: "v1.37",
		Title:  "storage of which only the largest volume is known: a panic",
		Plugin: "VolumeBinding",
		Doc: "Where a volume would be made of storage of which the largest volume is reported and not the capacity, " +
			"the score of the node ends kube-scheduler in a panic.",
		Needs:  capacityReported,
		Panics: true,
		ScoringFails: func(m *Scheduler, pod *v1.Pod, node *v1.Node, s *Snapshot) bool {
			return m.scoresCapacity(pod, node, s,
				func(_ *v1.PersistentVolumeClaim, c *storagev1.CSIStorageCapacity) bool { return c.Capacity == nil })
		},
	}
}

// AnnotatedClassPanics is a defect of kube-scheduler v1.37: the annotation
// volume.beta.kubernetes.io/storage-class "is still working", by the page on persistent volumes.
func AnnotatedClassPanics() Quirk {
	return Quirk{
		Name: "annotated-class-panics", Class: Unconfirmed, Upstream: "not reported", Since: "v1.37",
		Title:  "a claim with its class in the annotation alone: a panic",
		Plugin: "VolumeBinding",
		Doc: "Where a volume would be made of storage whose capacity is reported, for a claim that has its class in " +
			"the annotation volume.beta.kubernetes.io/storage-class and not in its spec, the score of the node ends " +
			"kube-scheduler in a panic.",
		Needs:  capacityReported,
		Panics: true,
		ScoringFails: func(m *Scheduler, pod *v1.Pod, node *v1.Node, s *Snapshot) bool {
			return m.scoresCapacity(pod, node, s,
				func(c *v1.PersistentVolumeClaim, _ *storagev1.CSIStorageCapacity) bool {
					return c.Spec.StorageClassName == nil
				})
		},
	}
}

// capacityReported reports whether the capacity of some storage is reported.
func capacityReported(_ *Profile, _ *v1.Pod, s *Snapshot) bool {
	return len(s.CSIStorageCapacities) > 0
}

// scoresCapacity reports whether VolumeBinding scores the node by storage for a claim of which that is so.
func (m *Scheduler) scoresCapacity(pod *v1.Pod, node *v1.Node, s *Snapshot,
	is func(*v1.PersistentVolumeClaim, *storagev1.CSIStorageCapacity) bool) bool {
	scored := exists(m.scorePlugins, func(r ScorePlugin) bool {
		return r.Plugin == "VolumeBinding" && !r.Abstains(m.Profile, pod, nil, s)
	})
	if !scored {
		return false
	}
	r := m.predicates().Volumes
	waiting := filter(r.waiting(pod, s), func(c *v1.PersistentVolumeClaim) bool { return !ClaimBound(c) })
	taken, without := r.taken(waiting, node, s)
	return len(taken) == 0 && exists(without, func(claim *v1.PersistentVolumeClaim) bool {
		class := ClassOf(claim, s)
		return class != nil && reportsCapacity(class.Provisioner, s) &&
			exists(sufficient(claim, class, node, s), func(c *storagev1.CSIStorageCapacity) bool { return is(claim, c) })
	})
}
