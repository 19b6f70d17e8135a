package spec

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestOnNode: where an in-tree volume is managed by a CSI driver, the driver says in which zone the node is.
func TestOnNode(t *testing.T) {
	const ebs = "topology.ebs.csi.aws.com/zone"
	in := func(label, value string) v1.NodeSelectorTerm {
		return terms(require(label, v1.NodeSelectorOpIn, value))[0]
	}
	labelled := func(v *v1.PersistentVolume, label, value string) *v1.PersistentVolume {
		v.Labels = map[string]string{label: value}
		return v
	}
	disk := func() *v1.PersistentVolume {
		v := volume("v", "")
		v.Spec.PersistentVolumeSource = v1.PersistentVolumeSource{
			AWSElasticBlockStore: &v1.AWSElasticBlockStoreVolumeSource{VolumeID: "v"},
		}
		return v
	}
	both := terms(require(v1.LabelFailureDomainBetaZone, v1.NodeSelectorOpIn, "a"),
		require(v1.LabelFailureDomainBetaRegion, v1.NodeSelectorOpIn, "r"))[0]
	for _, row := range []struct {
		reason string
		volume *v1.PersistentVolume
		// labels of the node; migrated are the plugins that its CSINode names.
		labels   map[string]string
		migrated string
		want     bool
	}{
		{"of no zone", disk(), nil, "kubernetes.io/aws-ebs", true},
		{"the driver says so", onlyFrom(disk(), in(v1.LabelTopologyZone, "a")), map[string]string{ebs: "a"},
			"kubernetes.io/aws-ebs", true},
		{"the driver says otherwise", onlyFrom(disk(), in(v1.LabelTopologyZone, "a")),
			map[string]string{v1.LabelTopologyZone: "a", ebs: "b"}, "kubernetes.io/aws-ebs", false},
		{"the driver says nothing", onlyFrom(disk(), in(v1.LabelTopologyZone, "a")),
			map[string]string{v1.LabelTopologyZone: "a"}, "kubernetes.io/aws-ebs", false},
		{"another plugin is migrated", onlyFrom(disk(), in(v1.LabelTopologyZone, "a")),
			map[string]string{v1.LabelTopologyZone: "a"}, "kubernetes.io/gce-pd", true},
		{"one of several that are migrated", onlyFrom(disk(), in(v1.LabelTopologyZone, "a")),
			map[string]string{v1.LabelTopologyZone: "a"}, "kubernetes.io/gce-pd,kubernetes.io/aws-ebs", false},
		{"none is migrated", onlyFrom(disk(), in(v1.LabelTopologyZone, "a")),
			map[string]string{v1.LabelTopologyZone: "a"}, "", true},
		{"a volume of no such plugin", onlyFrom(volume("v", ""), in(v1.LabelTopologyZone, "a")),
			map[string]string{v1.LabelTopologyZone: "a", ebs: "b"}, "kubernetes.io/aws-ebs", true},
		{"the older name of the zone, and of the region the newer one", onlyFrom(disk(), both),
			map[string]string{ebs: "a", v1.LabelTopologyRegion: "r"}, "kubernetes.io/aws-ebs", true},
		{"the older name of the region is none any more", onlyFrom(disk(), both),
			map[string]string{ebs: "a", v1.LabelFailureDomainBetaRegion: "r"}, "kubernetes.io/aws-ebs", false},
		{"a zone of its label", labelled(disk(), v1.LabelTopologyZone, "b__ a"), map[string]string{ebs: "a"},
			"kubernetes.io/aws-ebs", true},
		{"none of its label", labelled(disk(), v1.LabelTopologyZone, "b"), map[string]string{ebs: "a"},
			"kubernetes.io/aws-ebs", false},
		{"the label counts for each term", labelled(onlyFrom(disk(), in("rack", "1")), v1.LabelTopologyZone, "b"),
			map[string]string{"rack": "1", ebs: "a"}, "kubernetes.io/aws-ebs", false},
		{"affinity comes before the label", labelled(onlyFrom(disk(), in(v1.LabelTopologyZone, "a")),
			v1.LabelTopologyZone, "b"), map[string]string{ebs: "a"}, "kubernetes.io/aws-ebs", true},
	} {
		n := node("n")
		n.Labels = row.labels
		s := &Snapshot{CSINodes: []*storagev1.CSINode{{ObjectMeta: metav1.ObjectMeta{
			Name: "n", Annotations: map[string]string{v1.MigratedPluginsAnnotationKey: row.migrated},
		}}}}
		was := row.volume.DeepCopy()
		if got := Reaches(OnNode(row.volume, n, s), n); got != row.want {
			t.Errorf("%s: got %v", row.reason, got)
		}
		// Nor is it for other nodes before a claim is bound to it.
		s.PersistentVolumes = []*v1.PersistentVolume{row.volume}
		if got := len(Matching(claim("c", ""), n, s)) > 0; got != row.want {
			t.Errorf("%s, unbound: got %v", row.reason, got)
		}
		if quirk := UnboundUnconverted(); row.want != Reaches(row.volume, n) {
			r := DocumentedVolumes()
			if quirk.Volumes(&r); len(r.matching(claim("c", ""), n, s)) > 0 == row.want {
				t.Errorf("%s, unbound: %s changes nothing", row.reason, quirk.Name)
			}
		}
		if was.String() != row.volume.String() {
			t.Errorf("%s: the volume itself was changed", row.reason)
		}
	}
}
