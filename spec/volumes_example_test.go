package spec_test

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// exampleClaim returns a claim of 1Gi of the class.
func exampleClaim(name, class string) *v1.PersistentVolumeClaim {
	return &v1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: v1.PersistentVolumeClaimSpec{
			StorageClassName: &class,
			Resources: v1.VolumeResourceRequirements{
				Requests: v1.ResourceList{v1.ResourceStorage: resource.MustParse("1Gi")},
			},
		},
	}
}

// A disk of one node, in a class that waits for the first consumer, decides where the pod can go.
func ExampleVolumeBinding() {
	wait := storagev1.VolumeBindingWaitForFirstConsumer
	local := &storagev1.StorageClass{
		ObjectMeta: metav1.ObjectMeta{
			Name: "local",
		}, Provisioner: "kubernetes.io/no-provisioner", VolumeBindingMode: &wait,
	}
	disk := &v1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: "disk"},
		Spec: v1.PersistentVolumeSpec{
			StorageClassName: "local", Capacity: v1.ResourceList{v1.ResourceStorage: resource.MustParse("2Gi")},
			NodeAffinity: &v1.VolumeNodeAffinity{Required: &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{{
				MatchExpressions: []v1.NodeSelectorRequirement{
					{Key: v1.LabelHostname, Operator: v1.NodeSelectorOpIn, Values: []string{"with disk"}},
				},
			}}}},
		},
		Status: v1.PersistentVolumeStatus{Phase: v1.VolumeAvailable},
	}
	pod := examplePod("db", "1", 0)
	pod.Spec.Volumes = []v1.Volume{{Name: "data", VolumeSource: v1.VolumeSource{
		PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: "data"},
	}}}
	snapshot := &spec.Snapshot{
		Nodes: []*v1.Node{exampleNode("with disk", "4"), exampleNode("without", "4")}, Pods: []*v1.Pod{pod},
		StorageClasses: []*storagev1.StorageClass{local}, PersistentVolumes: []*v1.PersistentVolume{disk},
		PersistentVolumeClaims: []*v1.PersistentVolumeClaim{exampleClaim("data", "local")},
	}
	for _, node := range snapshot.Nodes {
		node.Labels = map[string]string{v1.LabelHostname: node.Name}
		fmt.Println(node.Name, spec.VolumeBinding().Holds(spec.DefaultProfile(), pod, node, snapshot))
	}
	// Output:
	// with disk true
	// without false
}

func ExampleCSIVolumes() {
	pod := examplePod("db", "1", 0)
	pod.Spec.Volumes = []v1.Volume{
		{
			Name: "data",
			VolumeSource: v1.VolumeSource{
				PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: "data"},
			},
		},
		{
			Name: "disk",
			VolumeSource: v1.VolumeSource{
				AWSElasticBlockStore: &v1.AWSElasticBlockStoreVolumeSource{VolumeID: "vol-1"},
			},
		},
		{Name: "scratch", VolumeSource: v1.VolumeSource{EmptyDir: &v1.EmptyDirVolumeSource{}}},
	}
	claim := exampleClaim("data", "")
	claim.Spec.VolumeName = "pv-data"
	volume := &v1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "pv-data"}}
	volume.Spec.CSI = &v1.CSIPersistentVolumeSource{Driver: "csi.example.com", VolumeHandle: "7"}
	snapshot := &spec.Snapshot{
		PersistentVolumes:      []*v1.PersistentVolume{volume},
		PersistentVolumeClaims: []*v1.PersistentVolumeClaim{claim},
	}

	for _, used := range spec.CSIVolumes(pod, snapshot) {
		fmt.Println(used.Driver, used.Handle)
	}
	// Output:
	// csi.example.com 7
	// ebs.csi.aws.com in-tree vol-1
}

func ExampleGated() {
	pod := examplePod("later", "1", 0)
	pod.Spec.SchedulingGates = []v1.PodSchedulingGate{{Name: "example.com/quota"}}
	fmt.Println(spec.Gated(pod))
	// Output: true
}
