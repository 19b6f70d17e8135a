package spec

import (
	"strings"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
)

// migratedOn reports whether the volumes of an in-tree plugin are those of a CSI driver on the node.
//
// Source: doc of MigratedPluginsAnnotationKey ("a comma-separated list of in-tree plugins that will be serviced by the
// CSI backend on the Node represented by CSINode").
func migratedOn(plugin string, node *v1.Node, s *Snapshot) bool {
	return exists(s.CSINodes, func(c *storagev1.CSINode) bool {
		return c.Name == node.Name && contains(strings.Split(c.Annotations[v1.MigratedPluginsAnnotationKey], ","), plugin)
	})
}

// ZonalPlugin returns the in-tree plugin of the volume, and the label in which its CSI driver has the zone of a node;
// "" if it is none of those that have one.
//
// Source: doc comments of AWSEBSTopologyKey, CinderTopologyKey and GCEPDTopologyKey ("the zonal topology key") in
// k8s.io/csi-translation-lib/plugins.
func ZonalPlugin(volume *v1.PersistentVolume) (plugin, zone string) {
	switch source := volume.Spec.PersistentVolumeSource; {
	case source.AWSElasticBlockStore != nil:
		return "kubernetes.io/aws-ebs", "topology.ebs.csi.aws.com/zone"
	case source.Cinder != nil:
		return "kubernetes.io/cinder", "topology.cinder.csi.openstack.org/zone"
	case source.GCEPersistentDisk != nil:
		return "kubernetes.io/gce-pd", "topology.gke.io/zone"
	default:
		return "", ""
	}
}

// OnNode returns the volume as it is managed on the node. Where that is by the CSI driver that its in-tree plugin is
// migrated to, its zone is the one that the driver says the node is in:
//
//	OnNode(PV, Node, S) == CASE its plugin is not zonal, or not migrated on Node -> PV
//	                         [] its node affinity has values for the zone -> PV, with the driver's label for the zone's
//	                         [] it has a zone label -> PV, with one of its zones required of the driver's label
//	                         [] OTHER -> PV
//
// Source: release note of kubernetes/kubernetes#83394 ("Existing PVs are converted to use volume topology if migration
// is enabled"); see migratedOn and ZonalPlugin. Which of its requirements and labels are converted, and that the
// region's older name becomes the newer one, is stated in code alone (TranslateInTreePVToCSI in
// k8s.io/csi-translation-lib).
func OnNode(volume *v1.PersistentVolume, node *v1.Node, s *Snapshot) *v1.PersistentVolume {
	plugin, driverZone := ZonalPlugin(volume)
	if plugin == "" || !migratedOn(plugin, node, s) {
		return volume
	}
	volume = volume.DeepCopy()
	zone := zoneLabelOf(volume)
	if zones := nonEmpty(strings.Split(volume.Labels[zone], "__")); hasValues(volume, zone) {
		rename(volume, zone, driverZone)
	} else if len(zones) > 0 {
		requireLabel(volume, v1.NodeSelectorRequirement{Key: driverZone, Operator: v1.NodeSelectorOpIn, Values: zones})
	}
	if zone == v1.LabelFailureDomainBetaZone && hasValues(volume, v1.LabelFailureDomainBetaRegion) {
		rename(volume, v1.LabelFailureDomainBetaRegion, v1.LabelTopologyRegion)
	}
	return volume
}

// zoneLabelOf returns the name of the zone label that the volume uses: of its node affinity, or else of its labels, the
// newer one if it has both.
func zoneLabelOf(volume *v1.PersistentVolume) string {
	names := []string{v1.LabelTopologyZone, v1.LabelFailureDomainBetaZone}
	required := filter(names, func(name string) bool {
		return exists(requirements(volume), func(r *v1.NodeSelectorRequirement) bool { return r.Key == name })
	})
	labelled := filter(names, func(name string) bool { _, ok := volume.Labels[name]; return ok })
	return append(append(required, labelled...), v1.LabelTopologyZone)[0]
}

// requirements returns the expressions of the volume's node affinity.
func requirements(volume *v1.PersistentVolume) []*v1.NodeSelectorRequirement {
	var all []*v1.NodeSelectorRequirement
	if affinity := volume.Spec.NodeAffinity; affinity != nil && affinity.Required != nil {
		for i := range affinity.Required.NodeSelectorTerms {
			expressions := affinity.Required.NodeSelectorTerms[i].MatchExpressions
			for j := range expressions {
				all = append(all, &expressions[j])
			}
		}
	}
	return all
}

// hasValues reports whether the node affinity of the volume names values of the label.
func hasValues(volume *v1.PersistentVolume, label string) bool {
	return exists(requirements(volume), func(r *v1.NodeSelectorRequirement) bool {
		return r.Key == label && len(r.Values) > 0
	})
}

// rename has the node affinity of the volume require another label.
func rename(volume *v1.PersistentVolume, from, to string) {
	for _, r := range requirements(volume) {
		if r.Key == from {
			r.Key = to
		}
	}
}

// requireLabel adds the requirement to every term of the volume's node affinity.
func requireLabel(volume *v1.PersistentVolume, r v1.NodeSelectorRequirement) {
	if volume.Spec.NodeAffinity == nil || volume.Spec.NodeAffinity.Required == nil ||
		len(volume.Spec.NodeAffinity.Required.NodeSelectorTerms) == 0 {
		volume.Spec.NodeAffinity = &v1.VolumeNodeAffinity{
			Required: &v1.NodeSelector{NodeSelectorTerms: make([]v1.NodeSelectorTerm, 1)},
		}
	}
	terms := volume.Spec.NodeAffinity.Required.NodeSelectorTerms
	for i := range terms {
		terms[i].MatchExpressions = append(terms[i].MatchExpressions, r)
	}
}

// nonEmpty returns the zones of a list, without spaces and those that are empty.
func nonEmpty(zones []string) []string {
	return filter(each(zones, strings.TrimSpace), func(zone string) bool { return zone != "" })
}
