package loop

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestProvisionedDriver: what is made for a class is a volume of its CSI driver, or of that to which its in-tree plugin
// is redirected.
func TestProvisionedDriver(t *testing.T) {
	for provisioner, want := range map[string]string{
		"csi.example.com":       "csi.example.com",
		"kubernetes.io/aws-ebs": "ebs.csi.aws.com",
	} {
		class := &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "c"}, Provisioner: provisioner}
		claim := &v1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "c"}}
		claim.Spec.StorageClassName = &class.Name
		state := &State{API: &spec.Snapshot{StorageClasses: []*storagev1.StorageClass{class}}}
		if got := provisioned(state, claim, &v1.Node{}).Spec.CSI.Driver; got != want {
			t.Errorf("a class of %s: a volume of %s, want %s", provisioner, got, want)
		}
	}
}
