package report

import (
	"maps"
	"slices"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// storage is what concerns the pods and nodes of a snapshot among its objects about storage, in its order.
type storage struct {
	claims      []*v1.PersistentVolumeClaim
	volumes     []*v1.PersistentVolume
	classes     []*storagev1.StorageClass
	csiNodes    []*storagev1.CSINode
	attachments []*storagev1.VolumeAttachment
	drivers     []*storagev1.CSIDriver
	capacities  []*storagev1.CSIStorageCapacity
	// absent are the claims that pods name and that are not there, others how many objects concern nobody.
	absent []string
	others int
}

// storageOf finds what concerns the pods and nodes of a snapshot: the claims that pods use, with their classes; the
// volumes that these have or are reserved for them, or that they can have while they have none; and, as soon as
// some pod has a volume, the limits of the nodes, what is attached to them, and the drivers that must be there.
func storageOf(s *spec.Snapshot) storage {
	named := map[string]bool{}
	mounts := false
	for _, pod := range s.Pods {
		mounts = mounts || len(podVolumes(pod)) > 0
		for _, volume := range pod.Spec.Volumes {
			if claim := spec.ClaimName(pod, volume); claim != "" {
				named[pod.Namespace+"/"+claim] = true
			}
		}
	}
	there := func(node string) bool {
		return mounts && slices.ContainsFunc(s.Nodes, func(n *v1.Node) bool { return n.Name == node })
	}

	var used storage
	for _, claim := range s.PersistentVolumeClaims {
		if key := claim.Namespace + "/" + claim.Name; named[key] {
			used.claims = append(used.claims, claim)
			named[key] = false
		}
	}
	for _, claim := range slices.Sorted(maps.Keys(named)) {
		if named[claim] {
			used.absent = append(used.absent, claim)
		}
	}
	used.attachments = kept(
		s.VolumeAttachments,
		func(a *storagev1.VolumeAttachment) bool { return there(a.Spec.NodeName) },
	)
	used.csiNodes = kept(s.CSINodes, func(n *storagev1.CSINode) bool { return there(n.Name) })
	used.classes = kept(s.StorageClasses, func(class *storagev1.StorageClass) bool {
		return slices.ContainsFunc(
			used.claims,
			func(c *v1.PersistentVolumeClaim) bool { return claimClass(c) == class.Name },
		)
	})
	used.drivers = kept(s.CSIDrivers, func(driver *storagev1.CSIDriver) bool {
		return mounts && spec.PreventsIfMissing(driver) || slices.ContainsFunc(
			used.classes,
			func(class *storagev1.StorageClass) bool { return class.Provisioner == driver.Name },
		)
	})
	used.capacities = kept(s.CSIStorageCapacities, func(c *storagev1.CSIStorageCapacity) bool {
		return used.isClass(c.StorageClassName)
	})
	used.volumes = kept(s.PersistentVolumes, used.concerns)
	used.others = len(s.PersistentVolumeClaims) + len(s.PersistentVolumes) + len(s.StorageClasses) + len(s.CSINodes) +
		len(s.VolumeAttachments) + len(s.CSIDrivers) + len(s.CSIStorageCapacities) -
		len(used.claims) - len(used.volumes) - len(used.classes) - len(used.csiNodes) - len(used.attachments) -
		len(used.drivers) - len(used.capacities)
	return used
}

// isClass reports whether there is a class of that name, without which no claim waits for a pod.
func (u storage) isClass(name string) bool {
	return slices.ContainsFunc(u.classes, func(class *storagev1.StorageClass) bool { return class.Name == name })
}

// concerns reports whether the volume has to do with one of the claims or attachments.
func (u storage) concerns(volume *v1.PersistentVolume) bool {
	return slices.ContainsFunc(u.claims, func(claim *v1.PersistentVolumeClaim) bool {
		ref := volume.Spec.ClaimRef
		return claim.Spec.VolumeName == volume.Name ||
			ref != nil && ref.Namespace == claim.Namespace && ref.Name == claim.Name ||
			!spec.ClaimBound(claim) && u.isClass(claimClass(claim)) && claimClass(claim) == volumeClass(volume)
	}) || slices.ContainsFunc(u.attachments, func(a *storagev1.VolumeAttachment) bool {
		attached := a.Spec.Source.PersistentVolumeName
		return attached != nil && *attached == volume.Name
	})
}

func kept[T any](objects []T, keep func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(objects), func(object T) bool { return !keep(object) })
}

// storage shows the objects about storage that concern somebody, one after the other, and counts the others.
func (p *page) storage(indent string, used storage, s *spec.Snapshot) {
	for _, claim := range used.claims {
		p.entry(indent, "claim "+claim.Namespace+"/"+claim.Name, claimWords(claim, s))
	}
	for _, claim := range used.absent {
		p.entry(indent, "claim "+claim, []string{"not there"})
	}
	for _, volume := range used.volumes {
		p.entry(indent, "persistent volume "+volume.Name, volumeWords(volume, s))
	}
	for _, class := range used.classes {
		p.entry(indent, "storage class "+class.Name, classWords(class))
	}
	for _, driver := range used.drivers {
		p.entry(indent, "CSIDriver "+driver.Name, driverWords(driver))
	}
	for _, capacity := range used.capacities {
		p.entry(indent, "storage capacity "+capacity.Namespace+"/"+capacity.Name, capacityWords(capacity))
	}
	for _, node := range used.csiNodes {
		p.entry(indent, "CSINode "+node.Name, csiNodeWords(node))
	}
	for _, attachment := range used.attachments {
		p.entry(indent, "volume attachment "+attachment.Name, attachmentWords(attachment, s))
	}
	if used.others > 0 {
		p.line("%sof no pod or node here: %s", indent, plural(int64(used.others), "other storage object"))
	}
}

// labels returns the keys of the node labels that storage depends on.
func (u storage) labels() map[string]bool {
	asked := map[string]bool{}
	for _, volume := range u.volumes {
		if affinity := volume.Spec.NodeAffinity; affinity != nil && affinity.Required != nil {
			termKeys(affinity.Required.NodeSelectorTerms, asked)
		}
		for _, key := range zoneLabels() {
			// nodes have it under either name, or are taken to be anywhere without any
			if _, zonal := volume.Labels[key]; zonal {
				for _, key := range zoneLabels() {
					asked[key] = true
				}
			}
		}
	}
	for _, capacity := range u.capacities {
		if nodes := capacity.NodeTopology; nodes != nil {
			for key := range nodes.MatchLabels {
				asked[key] = true
			}
			for _, requirement := range nodes.MatchExpressions {
				asked[requirement.Key] = true
			}
		}
	}
	for _, class := range u.classes {
		for _, term := range class.AllowedTopologies {
			for _, requirement := range term.MatchLabelExpressions {
				asked[requirement.Key] = true
			}
		}
	}
	return asked
}

func zoneLabels() []string {
	return []string{v1.LabelTopologyZone, v1.LabelTopologyRegion, v1.LabelFailureDomainBetaZone,
		v1.LabelFailureDomainBetaRegion}
}
