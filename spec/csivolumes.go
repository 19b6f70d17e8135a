package spec

import (
	"strings"

	v1 "k8s.io/api/core/v1"
)

// CSIVolume is a volume that a CSI driver manages. Two that are equal are the same volume.
type CSIVolume struct {
	// Driver is the name of the driver.
	Driver string
	// Handle tells the driver's volumes apart: its volume handle, what identifies the disk in the terms of a
	// migrated in-tree plugin, or the claim for which it will be made.
	Handle string
}

// portworxInTree reports whether it is an in-tree volume of Portworx.
func (v CSIVolume) portworxInTree() bool {
	return v.Driver == "pxd.portworx.com" && strings.HasPrefix(v.Handle, inTree)
}

// CSIVolumes returns the volumes of CSI drivers that the pod uses, each once, in the order of its volumes:
//
//	a claim with a persistent volume     that volume, if a CSI driver manages it
//	a claim without                      one volume of its class's provisioner, for the claim
//	an inline volume of an in-tree kind  that volume, managed by the driver that the kind has been migrated to
//
// Source: field doc of VolumeNodeResources.count ("unique volumes managed by the CSI driver"),
// https://kubernetes.io/docs/concepts/storage/storage-limits/ ("For volumes managed by in-tree plugins that have
// been migrated to a CSI driver, the maximum number of volumes will be the one reported by the CSI driver"). That a
// claim which is still to be provisioned counts is not documented; a pod that waits for it would otherwise exceed
// the limit.
//
// One that cannot be made a volume of the driver, such as an Azure disk that is not managed, does not count: the driver
// does not manage it. Two ways to name one disk, by an in-tree volume and by a CSI volume, count as two volumes here:
// which handle a migrated volume gets is not documented. Inline CSI volumes (csi in a pod's volumes) are not counted;
// they are never attached, and the documents are silent.
func CSIVolumes(pod *v1.Pod, s *Snapshot) []CSIVolume { return DocumentedVolumes().csiVolumes(pod, s) }

func (r VolumeRules) csiVolumes(pod *v1.Pod, s *Snapshot) []CSIVolume {
	return unique(union(pod.Spec.Volumes, func(volume v1.Volume) []CSIVolume {
		switch {
		case unreadable(volume):
			return nil
		case ClaimName(pod, volume) == "":
			return r.inlineCSIVolume(volume.VolumeSource)
		}
		claim := ClaimOf(pod, volume, s)
		if claim == nil {
			return nil
		}
		return r.claimedCSIVolume(claim, s)
	}))
}

// claimedCSIVolume returns the volume of the claim, or the one to be made for it. A claim that names a volume which is
// not there is counted by its class, as one that names none.
func (r VolumeRules) claimedCSIVolume(claim *v1.PersistentVolumeClaim, s *Snapshot) []CSIVolume {
	if volume := VolumeNamed(claim.Spec.VolumeName, s); volume != nil {
		return r.persistentCSIVolume(volume)
	}
	class := ClassOf(claim, s)
	if class == nil {
		return nil
	}
	handle := "claim " + claim.Namespace + "/" + claim.Name
	if MigratedTo(class.Provisioner) != "" {
		return r.migrated(class.Provisioner, handle)
	}
	return counted(CSIVolume{Driver: class.Provisioner, Handle: handle})
}

// persistentCSIVolume returns the volume behind a persistent volume; none if no CSI driver manages it.
func (r VolumeRules) persistentCSIVolume(volume *v1.PersistentVolume) []CSIVolume {
	switch source := volume.Spec.PersistentVolumeSource; {
	case untranslatable(volume) != "":
		return nil
	case source.CSI != nil:
		return []CSIVolume{{source.CSI.Driver, source.CSI.VolumeHandle}}
	case source.Cinder != nil:
		return r.migrated("kubernetes.io/cinder", source.Cinder.VolumeID)
	case source.AzureFile != nil:
		return r.migrated("kubernetes.io/azure-file", source.AzureFile.ShareName)
	default:
		return r.inlineCSIVolume(v1.VolumeSource{
			GCEPersistentDisk:    source.GCEPersistentDisk,
			AWSElasticBlockStore: source.AWSElasticBlockStore,
			AzureDisk:            source.AzureDisk,
			VsphereVolume:        source.VsphereVolume,
			PortworxVolume:       source.PortworxVolume,
		})
	}
}

// inlineCSIVolume returns the volume behind an inline volume of a kind that has been migrated; none if it is of
// another kind.
func (r VolumeRules) inlineCSIVolume(source v1.VolumeSource) []CSIVolume {
	switch {
	case source.GCEPersistentDisk != nil:
		return r.migrated("kubernetes.io/gce-pd", source.GCEPersistentDisk.PDName)
	case source.AWSElasticBlockStore != nil:
		return r.migrated("kubernetes.io/aws-ebs", source.AWSElasticBlockStore.VolumeID)
	case source.AzureDisk != nil:
		return r.migrated("kubernetes.io/azure-disk", source.AzureDisk.DataDiskURI)
	case source.AzureFile != nil:
		return r.migrated("kubernetes.io/azure-file", source.AzureFile.ShareName)
	case source.Cinder != nil:
		return r.migrated("kubernetes.io/cinder", source.Cinder.VolumeID)
	case source.VsphereVolume != nil:
		return r.migrated("kubernetes.io/vsphere-volume", source.VsphereVolume.VolumePath)
	case source.PortworxVolume != nil:
		return r.migrated("kubernetes.io/portworx-volume", source.PortworxVolume.VolumeID)
	default:
		return nil
	}
}

func (r VolumeRules) migrated(plugin, disk string) []CSIVolume {
	return counted(CSIVolume{Driver: r.driver(plugin), Handle: inTree + disk})
}

// inTree begins the handle of a volume of a migrated plugin.
const inTree = "in-tree "

// counted returns the volume, if it has a driver.
func counted(volume CSIVolume) []CSIVolume {
	return filter([]CSIVolume{volume}, func(v CSIVolume) bool { return v.Driver != "" })
}

// MigratedTo returns the CSI driver that an in-tree plugin's volumes are redirected to; "" if the name is not one of a
// migrated plugin.
//
// Source: https://kubernetes.io/docs/concepts/storage/volumes/ (awsElasticBlockStore, azureDisk, azureFile, cinder,
// gcePersistentDisk, portworxVolume, vsphereVolume: "all operations for the in-tree type are redirected to").
func MigratedTo(plugin string) string {
	switch plugin {
	case "kubernetes.io/aws-ebs":
		return "ebs.csi.aws.com"
	case "kubernetes.io/azure-disk":
		return "disk.csi.azure.com"
	case "kubernetes.io/azure-file":
		return "file.csi.azure.com"
	case "kubernetes.io/cinder":
		return "cinder.csi.openstack.org"
	case "kubernetes.io/gce-pd":
		return "pd.csi.storage.gke.io"
	case "kubernetes.io/portworx-volume":
		return "pxd.portworx.com"
	case "kubernetes.io/vsphere-volume":
		return "csi.vsphere.vmware.com"
	default:
		return ""
	}
}
