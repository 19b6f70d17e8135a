package spec

import (
	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
)

// NodeVolumeLimits is the filter
//
//	Holds == /\ \A Volume \in Pod.Spec.Volumes that use a claim : ClaimOf(Pod, Volume, S) \in S
//	         /\ \A V \in CSIVolumes(Pod, S) : DriverThere(V.Driver, Node, S)
//	         /\ \A Driver :
//	                LET Wanted == {V \in CSIVolumes(Pod, S)   : V.Driver = Driver}
//	                    Used   == {V \in VolumesUsed(Node, S) : V.Driver = Driver}
//	                IN \/ Wanted \subseteq Used
//	                   \/ Cardinality(Used \cup Wanted) <= Limit(Driver, Node)
//
// It answers for the plugin NodeVolumeLimits, and reads the pods on the node, the claims, volumes and classes of
// theirs and of the pod's, the node's CSINode, and the attachments to the node.
//
// Source: field doc of VolumeNodeResources.count ("A volume that is both attached and mounted on a node is
// considered to be used once, not twice. The same rule applies for a unique volume that is shared among multiple
// pods on the same node"), and https://kubernetes.io/docs/concepts/storage/storage-limits/.
//
// A pod that brings no new volume of a driver fits even where that driver is over its limit, as with resources; the
// documents do not say. A pod's volume whose claim does not exist has no driver to be counted with: the pod must
// wait for it.
func NodeVolumeLimits() Filter { return nodeVolumeLimits(DocumentedVolumes()) }

func nodeVolumeLimits(r VolumeRules) Filter {
	fails := r.countingFails()
	idle := func(_ *Profile, pod *v1.Pod, _ []*v1.Pod, s *Snapshot) bool {
		return claimsThere(pod, s) && len(CSIVolumes(pod, s)) == 0
	}
	if fails != nil { // also for other pods' volumes
		idle = nil
	}
	return Filter{
		Plugin:    "NodeVolumeLimits",
		Footprint: ReadsNodeAndVolumes,
		Holds: func(p *Profile, pod *v1.Pod, node *v1.Node, s *Snapshot) bool {
			managed := func(volumes []CSIVolume) []CSIVolume { return managedOn(p, node, s, volumes) }
			wanted := managed(r.csiVolumes(pod, s))
			if fails != nil && fails(p, pod, node, s) || !claimsThere(pod, s) || !r.driversThere(p, wanted, node, s) {
				return false
			}
			if len(wanted) == 0 {
				return true
			}
			mounted, attached := managed(r.mounted(node, s)), managed(r.attachedTo(node, s))
			fresh, used := r.fresh(wanted, mounted, attached), unique(append(mounted, attached...))
			return all(volumeLimits(node, s), func(limit storagev1.CSINodeDriver) bool {
				ofDriver := func(v CSIVolume) bool { return v.Driver == limit.Name }
				more, now := filter(fresh, ofDriver), filter(used, ofDriver)
				return len(more) == 0 || len(now)+len(more) <= int(*limit.Allocatable.Count)
			})
		},
		Idle:  idle,
		Fails: fails,
	}
}

// driversThere reports whether the drivers of all volumes that the pod wants are on the node, where a release heeds it.
func (r VolumeRules) driversThere(p *Profile, wanted []CSIVolume, node *v1.Node, s *Snapshot) bool {
	return !p.has(MissingDriversHeeded()) || all(wanted, func(v CSIVolume) bool { return r.there(v, node, s) })
}

// managedOn returns those of the volumes that their CSI driver manages on the node: in-tree volumes of Portworx do not
// count, before PortworxMigrated, where the CSINode does not say that its driver does.
func managedOn(p *Profile, node *v1.Node, s *Snapshot, volumes []CSIVolume) []CSIVolume {
	if p.has(PortworxMigrated()) || migratedOn("kubernetes.io/portworx-volume", node, s) {
		return volumes
	}
	return filter(volumes, func(v CSIVolume) bool { return !v.portworxInTree() })
}

// fresh returns the volumes that the pod brings: those it wants that are neither mounted nor attached.
func fresh(wanted, mounted, attached []CSIVolume) []CSIVolume {
	return minus(wanted, append(mounted, attached...))
}

// claimsThere reports whether all claims that the pod uses exist.
func claimsThere(pod *v1.Pod, s *Snapshot) bool {
	return all(pod.Spec.Volumes, func(volume v1.Volume) bool {
		return ClaimName(pod, volume) == "" || ClaimOf(pod, volume, s) != nil
	})
}

// DriverThere reports whether the CSI driver is on the node, if that is required:
//
//	DriverThere(Name, Node, S) ==
//	    (\E D \in S.CSIDrivers : D.Name = Name /\ D.Spec.PreventPodSchedulingIfMissing) =>
//	        \E D \in Drivers(Node, S) : D.Name = Name
//
// Source: field docs of CSIDriverSpec.preventPodSchedulingIfMissing and of CSINodeSpec.drivers.
func DriverThere(name string, node *v1.Node, s *Snapshot) bool {
	required := exists(s.CSIDrivers,
		func(d *storagev1.CSIDriver) bool { return d.Name == name && PreventsIfMissing(d) })
	return !required ||
		exists(driversOn(node, s), func(d storagev1.CSINodeDriver) bool { return d.Name == name })
}

// driversOn returns the CSI drivers on the node.
//
// Source: doc of CSINode ("CSINode has the same name as a node").
func driversOn(node *v1.Node, s *Snapshot) []storagev1.CSINodeDriver {
	own := filter(s.CSINodes, func(c *storagev1.CSINode) bool { return c.Name == node.Name })
	return union(own, func(c *storagev1.CSINode) []storagev1.CSINodeDriver { return c.Spec.Drivers })
}

// volumeLimits returns the drivers that have a limit on the node.
//
// Source: field doc of VolumeNodeResources.count (without it the number "is unbounded"). A node without a CSINode, or
// with one that does not list the driver, has no limit for it.
func volumeLimits(node *v1.Node, s *Snapshot) []storagev1.CSINodeDriver {
	return filter(
		driversOn(node, s),
		func(d storagev1.CSINodeDriver) bool { return d.Allocatable != nil && d.Allocatable.Count != nil },
	)
}

// VolumesUsed returns the volumes of CSI drivers that the node uses, each once: those of the pods bound to it, and
// those that are, or are to be, attached to it.
func VolumesUsed(node *v1.Node, s *Snapshot) []CSIVolume {
	r := DocumentedVolumes()
	return unique(append(r.mounted(node, s), r.attachedTo(node, s)...))
}

// mounted returns the volumes of the pods bound to the node.
func (r VolumeRules) mounted(node *v1.Node, s *Snapshot) []CSIVolume {
	return unique(union(PodsOn(node, s), func(pod *v1.Pod) []CSIVolume { return r.csiVolumes(pod, s) }))
}

// attachedTo returns the volumes that are, or are to be, attached to the node.
func (r VolumeRules) attachedTo(node *v1.Node, s *Snapshot) []CSIVolume {
	to := filter(s.VolumeAttachments, func(a *storagev1.VolumeAttachment) bool { return a.Spec.NodeName == node.Name })
	return unique(union(to, func(a *storagev1.VolumeAttachment) []CSIVolume { return r.attached(r, a, s) }))
}

// attachedVolume returns the volume that the attachment is about; none if its persistent volume is gone, since nothing
// then tells which one it was.
//
// Source: field docs of VolumeAttachmentSource.
func attachedVolume(r VolumeRules, a *storagev1.VolumeAttachment, s *Snapshot) []CSIVolume {
	switch source := a.Spec.Source; {
	case source.InlineVolumeSpec != nil:
		return r.persistentCSIVolume(&v1.PersistentVolume{Spec: *source.InlineVolumeSpec})
	case source.PersistentVolumeName != nil:
		volumes := filter(
			s.PersistentVolumes,
			func(v *v1.PersistentVolume) bool { return v.Name == *source.PersistentVolumeName },
		)
		return union(volumes, r.persistentCSIVolume)
	default:
		return nil
	}
}

func unique(volumes []CSIVolume) []CSIVolume {
	return distinct(volumes, func(a, b CSIVolume) bool { return a == b })
}
