package report

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

func TestPodVolumes(t *testing.T) {
	fast := "fast"
	tests := []struct {
		reason string
		source v1.VolumeSource
		want   []string
	}{
		{
			"a claim by its name",
			v1.VolumeSource{PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: "data"}},
			[]string{"volume claim data"},
		},
		{"an ephemeral volume by its name, from which its claim has its own, and by what it asks for",
			v1.VolumeSource{
				Ephemeral: &v1.EphemeralVolumeSource{
					VolumeClaimTemplate: &v1.PersistentVolumeClaimTemplate{Spec: v1.PersistentVolumeClaimSpec{
						StorageClassName: &fast, AccessModes: []v1.PersistentVolumeAccessMode{v1.ReadWriteOncePod},
						Resources: v1.VolumeResourceRequirements{
							Requests: v1.ResourceList{v1.ResourceStorage: resource.MustParse("1Gi")},
						},
					}},
				},
			}, []string{"ephemeral volume v (class fast, ReadWriteOncePod, 1Gi)"}},
		{
			"one that does not say",
			v1.VolumeSource{Ephemeral: &v1.EphemeralVolumeSource{}},
			[]string{"ephemeral volume v"},
		},
		{
			"a disk with its fields as the API names them",
			v1.VolumeSource{GCEPersistentDisk: &v1.GCEPersistentDiskVolumeSource{PDName: "d1", ReadOnly: true}},
			[]string{"volume gcePersistentDisk {pdName: d1, readOnly: true}"},
		},
		{
			"a number and an ID that is none",
			v1.VolumeSource{
				AWSElasticBlockStore: &v1.AWSElasticBlockStoreVolumeSource{
					VolumeID:  "aws://a/disk",
					Partition: 1_000_000,
				},
			},
			[]string{"volume awsElasticBlockStore {partition: 1000000, volumeID: aws://a/disk}"},
		},
		{"a list", v1.VolumeSource{RBD: &v1.RBDVolumeSource{CephMonitors: []string{"m1", "m2"}, RBDImage: "i"}},
			[]string{"volume rbd {image: i, monitors: [m1, m2]}"}},
		{
			"a field within a field",
			v1.VolumeSource{
				CSI: &v1.CSIVolumeSource{Driver: "csi.a", VolumeAttributes: map[string]string{"size": "1"}},
			},
			[]string{"volume csi {driver: csi.a, volumeAttributes: {size: 1}}"},
		},
		{
			"an image",
			v1.VolumeSource{Image: &v1.ImageVolumeSource{Reference: "model:v1", PullPolicy: v1.PullAlways}},
			[]string{"volume image model:v1"},
		},
		{
			"what is made wherever the pod runs does not matter",
			v1.VolumeSource{EmptyDir: &v1.EmptyDirVolumeSource{}},
			nil,
		},
		{"nor does what is there for every pod", v1.VolumeSource{ConfigMap: &v1.ConfigMapVolumeSource{}}, nil},
		{"a volume of no kind", v1.VolumeSource{}, nil},
	}
	for _, tt := range tests {
		p := pod("web", "1", 0)
		p.Spec.Volumes = []v1.Volume{{Name: "v", VolumeSource: tt.source}}
		if diff := cmp.Diff(tt.want, podVolumes(p)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
		}
	}
}
