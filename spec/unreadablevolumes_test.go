package spec

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestUnreadableVolume: the defect is that a bound volume which cannot be made one of a CSI driver ends the cycle in an
// error where its plugin is migrated; as documented it is like any other, but that it counts against no limit.
func TestUnreadableVolume(t *testing.T) {
	const (
		ebs, azure, gce = "kubernetes.io/aws-ebs", "kubernetes.io/azure-disk", "kubernetes.io/gce-pd"
		newer, older    = v1.LabelTopologyZone, v1.LabelFailureDomainBetaZone
	)
	with := func(source v1.PersistentVolumeSource, labels ...string) *v1.PersistentVolume {
		v := volume("v", "")
		v.Spec.PersistentVolumeSource = source
		for i := 0; i < len(labels); i += 2 {
			v.Labels[labels[i]] = labels[i+1]
		}
		return v
	}
	block := func(id string) v1.PersistentVolumeSource {
		return v1.PersistentVolumeSource{AWSElasticBlockStore: &v1.AWSElasticBlockStoreVolumeSource{VolumeID: id}}
	}
	disk := func(kind v1.AzureDataDiskKind) v1.PersistentVolumeSource {
		return v1.PersistentVolumeSource{AzureDisk: &v1.AzureDiskVolumeSource{Kind: &kind}}
	}
	google := v1.PersistentVolumeSource{GCEPersistentDisk: &v1.GCEPersistentDiskVolumeSource{PDName: "v"}}
	for _, row := range []struct {
		reason, migrated string
		volume           *v1.PersistentVolume
		want             bool
	}{
		{"an ID that is not understood", ebs, with(block("aws://a/disk")), true},
		{"an ID that is", ebs, with(block("aws://a/vol-1")), false},
		{"another plugin is migrated", gce, with(block("aws://a/disk")), false},
		{"none is migrated", "", with(block("aws://a/disk")), false},
		{"a disk of its own account", azure, with(disk(v1.AzureDedicatedBlobDisk)), true},
		{"a disk of a shared account", azure, with(disk(v1.AzureSharedBlobDisk)), true},
		{"a managed disk", azure, with(disk(v1.AzureManagedDisk)), false},
		{"two regions", gce, with(google, newer, "r-a-1__r-b-1"), true},
		{"two zones of one region", gce, with(google, newer, "r-a-1__r-a-2"), false},
		{"what is no zone of GCE beside one that is", gce, with(google, newer, "r-a-1__b"), true},
		{"one zone, which may be named otherwise", gce, with(google, newer, "b"), false},
		{"no zone", gce, with(google), false},
		{"the older name comes first", gce, with(google, newer, "r-a-1", older, "r-a-1__r-b-1"), true},
		{"likewise, of one zone", gce, with(google, older, "r-a-1", newer, "r-a-1__r-b-1"), false},
	} {
		n, s := limits()
		s.CSINodes[0].Annotations = map[string]string{v1.MigratedPluginsAnnotationKey: row.migrated}
		s.PersistentVolumes = append(s.PersistentVolumes, row.volume)
		s.PersistentVolumeClaims = append(s.PersistentVolumeClaims, boundClaim("unread", row.volume))
		pending := mounting(pod("pending"), of("unread"))
		documented := New(DefaultProfile())
		odd := documented.With(UnreadableVolumeStopsPod())
		for m, want := range map[*Scheduler]bool{documented: false, odd: row.want} {
			if got := m.FailsOn(pending, n, s); got != want {
				t.Errorf("%s: it fails: %t, want %t", row.reason, got, want)
			}
		}
	}
}

// TestUnreadableVolumeAfter: the search is over with the first volume that is out of reach; and volumes that cannot be
// read are not counted.
func TestUnreadableVolumeAfter(t *testing.T) {
	n := node("n")
	away, unread := onlyFrom(volume("away", ""), terms(require("rack", v1.NodeSelectorOpIn, "1"))[0]), volume("unread", "")
	unread.Spec.PersistentVolumeSource = v1.PersistentVolumeSource{
		AWSElasticBlockStore: &v1.AWSElasticBlockStoreVolumeSource{VolumeID: "aws://a/disk"},
	}
	csiNode := limited("n", 0, "ebs.csi.aws.com")
	csiNode.ObjectMeta = metav1.ObjectMeta{
		Name: "n", Annotations: map[string]string{v1.MigratedPluginsAnnotationKey: "kubernetes.io/aws-ebs"},
	}
	s := &Snapshot{
		Nodes: []*v1.Node{n}, CSINodes: []*storagev1.CSINode{csiNode},
		PersistentVolumes:      []*v1.PersistentVolume{away, unread},
		PersistentVolumeClaims: []*v1.PersistentVolumeClaim{boundClaim("away", away), boundClaim("unread", unread)},
	}
	odd := New(DefaultProfile()).With(UnreadableVolumeStopsPod())
	for _, row := range []struct {
		reason string
		claims []string
		want   bool
	}{
		{"after one that is out of reach", []string{"away", "unread"}, false},
		{"before it", []string{"unread", "away"}, true},
		{"a claim is missing", []string{"unread", "missing"}, false},
	} {
		p := pod("p")
		for _, name := range row.claims {
			mounting(p, of(name))
		}
		if got := odd.FailsOn(p, n, s); got != row.want {
			t.Errorf("%s: it fails: %t", row.reason, got)
		}
	}
	if p := mounting(pod("p"), of("unread")); !NodeVolumeLimits().Holds(DefaultProfile(), p, n, s) {
		t.Error("it counts against the limit of a driver that does not manage it")
	}
	unread.Spec.AWSElasticBlockStore.VolumeID = "vol-1"
	if p := mounting(pod("p"), of("unread")); NodeVolumeLimits().Holds(DefaultProfile(), p, n, s) {
		t.Error("control: one that it manages does not count")
	}
}
