package spec

import (
	"strings"

	v1 "k8s.io/api/core/v1"
)

// VolumeZone is the filter
//
//	Holds == /\ \A Volume \in Pod.Spec.Volumes that name their claim : Settled(ClaimOf(Pod, Volume, S))
//	         /\ \A PV \in S : (\E Claim \in Claims(Pod, S) : Claim.Spec.VolumeName = PV.Name) => InZone(PV, Node)
//
// where a claim is settled if it is there and either names a volume that is there or waits for its first consumer.
// It answers for the plugin VolumeZone, and reads the node and the pod's claims with their volumes and classes.
//
// Source: https://kubernetes.io/docs/setup/best-practices/multiple-zones/#storage-access-for-zones, and doc comment of
// VolumeZone.Filter in k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumezone.
//
// A volume without zone labels may be anywhere. Volumes that a claim could be bound to later have no say: the
// comment names "only the bound PersistentVolume". That a named claim must be settled is VolumeBinding's rule too;
// which of the plugins says so is not documented. The claim of an ephemeral volume counts as any claim does; that it
// is there is left to VolumeBinding.
func VolumeZone() Filter { return volumeZone(DocumentedVolumes()).monotone(always) }

func volumeZone(r VolumeRules) Filter {
	return Filter{
		Plugin:    "VolumeZone",
		Footprint: ReadsNodeAndVolumes,
		Holds: func(_ *Profile, pod *v1.Pod, node *v1.Node, s *Snapshot) bool {
			return namedClaimsSettled(pod, s) &&
				all(
					volumesOf(claimsOf(pod, r.zoned(pod), s), s),
					func(volume *v1.PersistentVolume) bool { return r.inZone(volume, node) },
				)
		},
		Idle: func(_ *Profile, pod *v1.Pod, _ []*v1.Pod, s *Snapshot) bool {
			return namedClaimsSettled(pod, s) &&
				all(
					volumesOf(Claims(pod, s), s),
					func(volume *v1.PersistentVolume) bool { return len(placements(volume)) == 0 },
				)
		},
	}
}

func namedClaimsSettled(pod *v1.Pod, s *Snapshot) bool {
	return all(naming(pod), func(volume v1.Volume) bool {
		claim := ClaimOf(pod, volume, s)
		return claim != nil && (VolumeNamed(claim.Spec.VolumeName, s) != nil || ClaimWaits(claim, s))
	})
}

// InZone reports whether the node is where the volume's zone and region labels say it can be attached:
//
//	InZone(PV, Node) == \/ Node has neither a zone nor a region label
//	                    \/ \A Label \in zone and region labels of PV : \E Value \in Zones(Label) : Node has an equivalent label with Value
//
// The labels failure-domain.beta.kubernetes.io/zone and region are the older names of topology.kubernetes.io/zone
// and region.
//
// Source: doc comment of VolumeZone.Filter ("any volume zone-labels must match the equivalent zone-labels on the
// node", which may have more),
// https://kubernetes.io/docs/reference/labels-annotations-taints/#topologykubernetesiozone. That the older and the
// newer name are equivalent both ways is our reading of "deprecated in favor of". A node without any such label is
// taken to be in a cluster of one zone; the documents do not say.
func InZone(volume *v1.PersistentVolume, node *v1.Node) bool {
	return DocumentedVolumes().inZone(volume, node)
}

func (r VolumeRules) inZone(volume *v1.PersistentVolume, node *v1.Node) bool {
	nowhere := !exists(topologyLabels(), func(label topologyLabel) bool { return len(label.valuesOn(node)) > 0 })
	return nowhere || all(placements(volume), func(p placement) bool {
		return exists(r.zones(p, node), func(value string) bool { return contains(p.values, value) })
	})
}

// topologyLabel is a kind of place, by the names of its label.
type topologyLabel struct{ name, betaName string }

func topologyLabels() []topologyLabel {
	return []topologyLabel{
		{v1.LabelTopologyZone, v1.LabelFailureDomainBetaZone},
		{v1.LabelTopologyRegion, v1.LabelFailureDomainBetaRegion},
	}
}

// valuesOn returns the values that the node has for the label, under either name.
func (l topologyLabel) valuesOn(node *v1.Node) []string {
	names := filter([]string{l.name, l.betaName}, func(name string) bool { _, ok := node.Labels[name]; return ok })
	return each(names, func(name string) string { return node.Labels[name] })
}

// placement is a requirement of a volume: the node's label has one of the values.
type placement struct {
	label topologyLabel
	// name is the one of the label's names that the volume uses.
	name   string
	values []string
}

// equivalentZones returns the values that the node has for the label of the placement, under either name.
func equivalentZones(p placement, node *v1.Node) []string { return p.label.valuesOn(node) }

// placements returns what the volume's zone and region labels require, under each of their names. A label lists its
// zones with "__" between them. One that has an empty zone among them requires nothing; the documents do not say
// what it means.
//
// Source: doc comment of LabelMultiZoneDelimiter in k8s.io/cloud-provider/volume.
func placements(volume *v1.PersistentVolume) []placement {
	return union(topologyLabels(), func(label topologyLabel) []placement {
		names := filter([]string{label.name, label.betaName}, func(name string) bool {
			value, ok := volume.Labels[name]
			return ok && !contains(strings.Split(value, "__"), "")
		})
		return each(names, func(name string) placement {
			return placement{label: label, name: name, values: strings.Split(volume.Labels[name], "__")}
		})
	})
}
