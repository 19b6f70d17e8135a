package loop

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestProvisioned: what is made for a class is a volume of its CSI driver that its node can reach; for one of an
// in-tree plugin it is a volume of that, and is taken on the node for one in the zone that the driver says.
func TestProvisioned(t *testing.T) {
	gce, aws := "topology.gke.io/zone", "topology.ebs.csi.aws.com/zone"
	for _, row := range []struct {
		provisioner string
		inTree      func(v1.PersistentVolumeSource) bool
		reached     map[string]string // labels of another node
		not         map[string]string
	}{
		{"csi.example.com", func(s v1.PersistentVolumeSource) bool { return s.CSI.Driver == "csi.example.com" },
			map[string]string{"kubernetes.io/hostname": "n"}, map[string]string{gce: "a", aws: "b"}},
		{"kubernetes.io/aws-ebs", func(s v1.PersistentVolumeSource) bool { return s.AWSElasticBlockStore != nil },
			map[string]string{aws: "b"}, map[string]string{"kubernetes.io/hostname": "n", gce: "a"}},
		{"kubernetes.io/gce-pd", func(s v1.PersistentVolumeSource) bool { return s.GCEPersistentDisk != nil },
			map[string]string{gce: "a"}, map[string]string{"kubernetes.io/hostname": "n", aws: "b"}},
		{"kubernetes.io/azure-file", func(s v1.PersistentVolumeSource) bool { return s.CSI.Driver == "file.csi.azure.com" },
			map[string]string{"kubernetes.io/hostname": "n"}, map[string]string{gce: "a"}},
	} {
		class := &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "c"}, Provisioner: row.provisioner}
		claim := &v1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "c"}}
		claim.Spec.StorageClassName = &class.Name
		view := &spec.Snapshot{StorageClasses: []*storagev1.StorageClass{class}}
		node := func(labels map[string]string) *v1.Node {
			return &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n", Labels: labels}}
		}
		volume := provisioned(&State{API: view}, claim,
			node(map[string]string{"kubernetes.io/hostname": "n", gce: "a", aws: "b"}))
		if !row.inTree(volume.Spec.PersistentVolumeSource) {
			t.Errorf("a class of %s: a volume %+v", row.provisioner, volume.Spec.PersistentVolumeSource)
		}
		view.CSINodes = []*storagev1.CSINode{{ObjectMeta: metav1.ObjectMeta{Name: "n", Annotations: map[string]string{
			v1.MigratedPluginsAnnotationKey: "kubernetes.io/aws-ebs,kubernetes.io/gce-pd"}}}}
		if !reaches(volume, node(row.reached), view) || reaches(volume, node(row.not), view) {
			t.Errorf("a class of %s: a volume for %v", row.provisioner, volume.Spec.NodeAffinity)
		}
	}
}

// TestTakesAny: of one volume that is reserved for a pod's claim there is nothing to choose; of two there is, unless
// the claim is another pod's.
func TestTakesAny(t *testing.T) {
	volume := func(name, claim string) *v1.PersistentVolume {
		v := &v1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: name}}
		v.Spec.ClaimRef = &v1.ObjectReference{Namespace: "default", Name: claim}
		return v
	}
	pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "p"}}
	pod.Spec.Volumes = []v1.Volume{{VolumeSource: v1.VolumeSource{
		PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: "c"}}}}
	for claim, volumes := range map[string][]*v1.PersistentVolume{
		"c":     {volume("a", "c"), volume("b", "c")},
		"apart": {volume("a", "c"), volume("b", "apart")},
		"other": {volume("a", "other"), volume("b", "other"), volume("d", "c")},
	} {
		if got := takesAny(pod, &spec.Snapshot{PersistentVolumes: volumes}); got != (claim == "c") {
			t.Errorf("with volumes that are reserved for %s: %t", claim, got)
		}
	}
}
