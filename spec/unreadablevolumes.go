package spec

import (
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
)

// untranslatable returns the in-tree plugin of a volume that cannot be made one of the CSI driver's, and so is not
// managed by it; "" if it can be.
//
// Source: release note of kubernetes/kubernetes#103439 ("only `managed` kind is supported in CSI migration"), for Azure
// disks; that IDs of EBS volumes and the zones of GCE disks have a form is stated in code (k8s.io/csi-translation-lib).
func untranslatable(volume *v1.PersistentVolume) string {
	source := volume.Spec.PersistentVolumeSource
	inline := v1.Volume{VolumeSource: v1.VolumeSource{
		AWSElasticBlockStore: source.AWSElasticBlockStore, AzureDisk: source.AzureDisk,
	}}
	switch {
	case unreadable(inline) && source.AzureDisk != nil:
		return "kubernetes.io/azure-disk"
	case unreadable(inline):
		return "kubernetes.io/aws-ebs"
	case source.GCEPersistentDisk != nil && !inOneRegion(zonesOfDisk(volume)):
		return "kubernetes.io/gce-pd"
	}
	return ""
}

// zonesOfDisk returns the zones in the labels of a GCE disk: by the older name, or else by the newer one.
func zonesOfDisk(volume *v1.PersistentVolume) []string {
	zones := volume.Labels[v1.LabelFailureDomainBetaZone]
	if zones == "" {
		zones = volume.Labels[v1.LabelTopologyZone]
	}
	return strings.Split(zones, "__")
}

// inOneRegion reports whether the zones, if there are several, are those of one region, such as us-central1-a and
// us-central1-b.
func inOneRegion(zones []string) bool {
	parts := each(zones, func(zone string) []string { return strings.Split(zone, "-") })
	return len(zones) == 1 || all(parts, func(zone []string) bool {
		return len(zone) == 3 && slices.Equal(zone[:2], parts[0][:2])
	})
}

// unreadable reports whether the volume is one of EBS with an ID that is not understood, or an Azure disk of a kind
// that its CSI driver does not have.
func unreadable(volume v1.Volume) bool {
	ebs, azure := volume.AWSElasticBlockStore, volume.AzureDisk
	return ebs != nil && !readableDisk(ebs.VolumeID) ||
		azure != nil && azure.Kind != nil && !strings.EqualFold(string(*azure.Kind), string(v1.AzureManagedDisk))
}

// readableDisk reports whether the ID of an EBS volume is understood: it is no URL, or one such as
// aws://us-east-1a/vol-0123.
func readableDisk(id string) bool {
	url, isURL := strings.CutPrefix(id, "aws://")
	_, path, _ := strings.Cut(url, "/")
	disk := strings.Trim(path, "/")
	return !isURL || strings.HasPrefix(disk, "vol-") && !strings.Contains(disk, "/")
}
