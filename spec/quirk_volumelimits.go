package spec

import (
	"strings"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
)

// VolumeAttachedTwice is a defect of kube-scheduler v1.36.
func VolumeAttachedTwice() Quirk {
	return Quirk{
		Name: "volume-attached-twice", Class: Unconfirmed, Upstream: "not reported",
		Title:  "an attached volume counts again for the pod that uses it",
		Plugin: "NodeVolumeLimits",
		Doc: "A volume that is attached to the node already counts as attached and again as new for the pod " +
			"that uses it.",
		Needs: attachedThere,
		Volumes: func(r *VolumeRules) {
			r.fresh = func(wanted, mounted, _ []CSIVolume) []CSIVolume { return minus(wanted, mounted) }
		},
	}
}

// MigratedNotCounted is a defect of kube-scheduler v1.36.
func MigratedNotCounted() Quirk {
	return Quirk{
		Name: "migrated-not-counted", Class: Unconfirmed, Upstream: "not reported",
		Title:  "migrated in-tree volumes do not count against CSI limits",
		Plugin: "NodeVolumeLimits",
		Doc: "In-tree volumes of vSphere and Azure File have been migrated, and do not count against the " +
			"limit of their CSI driver.",
		Volumes: func(r *VolumeRules) {
			r.driver = func(plugin string) string {
				if plugin == "kubernetes.io/vsphere-volume" || plugin == "kubernetes.io/azure-file" {
					return ""
				}
				return MigratedTo(plugin)
			}
		},
	}
}

// AttachmentMigratedNotCounted is a defect of kube-scheduler v1.36.
func AttachmentMigratedNotCounted() Quirk {
	return Quirk{
		Name: "attachment-migrated-not-counted", Class: Unconfirmed, Upstream: "not reported",
		Title:  "attachments of migrated in-tree volumes do not count",
		Plugin: "NodeVolumeLimits",
		Doc: "An attachment counts only if its persistent volume is a CSI volume, not if it is an in-tree " +
			"volume that has been migrated.",
		Needs: attachedThere,
		Volumes: func(r *VolumeRules) {
			r.attached = func(r VolumeRules, a *storagev1.VolumeAttachment, s *Snapshot) []CSIVolume {
				volume := VolumeNamed(valueOr(a.Spec.Source.PersistentVolumeName, ""), s)
				if volume == nil || volume.Spec.CSI == nil {
					return nil
				}
				return attachedVolume(r, a, s)
			}
		},
	}
}

// UnownedClaimStopsAll is a defect of kube-scheduler v1.36.
func UnownedClaimStopsAll() Quirk {
	return Quirk{
		Name: "unowned-claim-stops-all", Class: Unconfirmed, Upstream: "not reported",
		Title:  "one pod with another's claim fails the cycles of all others",
		Plugin: "NodeVolumeLimits",
		Doc: "A pod on a node with an ephemeral volume whose claim is another's ends the cycle of everybody " +
			"who wants a volume there in an error.",
		Needs: func(_ *Profile, _ *v1.Pod, s *Snapshot) bool { return volumeThere(s, isEphemeral) },
		Volumes: func(r *VolumeRules) {
			r.trips = append(
				r.trips[:len(r.trips):len(r.trips)],
				func(pod *v1.Pod, volume v1.Volume, _ bool, s *Snapshot) bool {
					return volume.Ephemeral != nil && ClaimOf(pod, volume, s) == nil &&
						exists(s.PersistentVolumeClaims, func(c *v1.PersistentVolumeClaim) bool {
							return c.Namespace == pod.Namespace && c.Name == ClaimName(pod, volume)
						})
				},
			)
		},
	}
}

// UnreadableDiskStopsAll is a defect of kube-scheduler v1.36.
func UnreadableDiskStopsAll() Quirk {
	return Quirk{
		Name: "unreadable-disk-stops-all", Class: Unconfirmed, Upstream: "not reported",
		Title:  "one disk that cannot be migrated fails the cycles of all others",
		Plugin: "NodeVolumeLimits",
		Doc: "An inline EBS volume with an ID that is not understood, or Azure disk of another kind than Managed, " +
			"ends every cycle in which it is counted in an error, also that of other pods.",
		Needs: func(_ *Profile, _ *v1.Pod, s *Snapshot) bool { return volumeThere(s, unreadable) },
		Volumes: func(r *VolumeRules) {
			r.trips = append(
				r.trips[:len(r.trips):len(r.trips)],
				func(_ *v1.Pod, volume v1.Volume, hasCSINode bool, _ *Snapshot) bool {
					return hasCSINode && unreadable(volume)
				},
			)
		},
	}
}

// MigratedDriverNotMissed is a defect of kube-scheduler v1.37. A volume of a migrated plugin is mounted by the driver,
// and by nothing else.
func MigratedDriverNotMissed() Quirk {
	return Quirk{
		Name: "migrated-driver-not-missed", Class: Unconfirmed, Upstream: "not reported", Since: "v1.37",
		Title:  "an in-tree volume goes where its CSI driver is missing",
		Plugin: "NodeVolumeLimits",
		Doc: "A pod with a migrated in-tree volume is let onto a node without a CSINode although the volume's driver, " +
			"which is not there, has preventPodSchedulingIfMissing.",
		Needs: func(_ *Profile, _ *v1.Pod, s *Snapshot) bool { return exists(s.CSIDrivers, PreventsIfMissing) },
		Volumes: func(r *VolumeRules) {
			there := r.there
			r.there = func(volume CSIVolume, node *v1.Node, s *Snapshot) bool {
				return strings.HasPrefix(volume.Handle, inTree) && !hasCSINode(node, s) ||
					there(volume, node, s)
			}
		},
	}
}

// hasCSINode reports whether there is a CSINode for the node.
func hasCSINode(node *v1.Node, s *Snapshot) bool {
	return exists(s.CSINodes, func(c *storagev1.CSINode) bool { return c.Name == node.Name })
}

// attachedThere reports whether some volume is, or is to be, attached to a node.
func attachedThere(_ *Profile, _ *v1.Pod, s *Snapshot) bool { return len(s.VolumeAttachments) > 0 }

// countingFails returns the predicate whether counting volumes on the node stops with an error; nil if nothing
// trips it. The pod's own volumes are counted on every node, those of pods on the node if the pod wants a volume, the
// drivers of all that it wants are there, and the node has a limit, which its CSINode says.
func (r VolumeRules) countingFails() func(*Profile, *v1.Pod, *v1.Node, *Snapshot) bool {
	if len(r.trips) == 0 {
		return nil
	}
	return func(p *Profile, pod *v1.Pod, node *v1.Node, s *Snapshot) bool {
		counted := r.tripped(pod, hasCSINode(node, s), s)
		wanted := managedOn(p, node, s, r.csiVolumes(pod, s))
		others := len(wanted) > 0 && len(volumeLimits(node, s)) > 0 && r.driversThere(p, wanted, node, s)
		return counted || others && exists(PodsOn(node, s), func(other *v1.Pod) bool { return r.tripped(other, true, s) })
	}
}

func (r VolumeRules) tripped(pod *v1.Pod, hasCSINode bool, s *Snapshot) bool {
	return exists(pod.Spec.Volumes, func(volume v1.Volume) bool {
		return exists(r.trips, func(trips func(*v1.Pod, v1.Volume, bool, *Snapshot) bool) bool {
			return trips(pod, volume, hasCSINode, s)
		})
	})
}
