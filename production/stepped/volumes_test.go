package stepped_test

import (
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/loop"
	"github.com/seed-a3f26817/modelcheck/production/stepped"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// withVolume gives the snapshot with one volume, and two claims that want one and wait for their first consumer.
func withVolume(s *spec.Snapshot) *spec.Snapshot {
	mode, class, size := storagev1.VolumeBindingWaitForFirstConsumer, "local", v1.ResourceList{"storage": resource.MustParse("1Gi")}
	modes := []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce}
	s.StorageClasses = []*storagev1.StorageClass{{ObjectMeta: metav1.ObjectMeta{Name: class}, Provisioner: "kubernetes.io/no-provisioner", VolumeBindingMode: &mode}}
	s.PersistentVolumes = []*v1.PersistentVolume{{
		ObjectMeta: metav1.ObjectMeta{Name: "pv"},
		Spec: v1.PersistentVolumeSpec{
			AccessModes: modes, Capacity: size, StorageClassName: class,
			PersistentVolumeSource: v1.PersistentVolumeSource{CSI: &v1.CSIPersistentVolumeSource{Driver: "csi.example.com", VolumeHandle: "v"}},
		},
		Status: v1.PersistentVolumeStatus{Phase: v1.VolumeAvailable},
	}}
	for _, name := range []string{"one", "two"} {
		s.PersistentVolumeClaims = append(s.PersistentVolumeClaims, &v1.PersistentVolumeClaim{
			ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name},
			Spec:       v1.PersistentVolumeClaimSpec{AccessModes: modes, StorageClassName: &class, Resources: v1.VolumeResourceRequirements{Requests: size}},
			Status:     v1.PersistentVolumeClaimStatus{Phase: v1.ClaimPending},
		})
	}
	return s
}

func withoutVolume() *spec.Snapshot {
	s := withVolume(cluster(node("n1")))
	s.PersistentVolumes = nil
	return s
}

// TestVolumes: a pod waits in its binding cycle for its volumes, and is bound when they are, or comes back.
func TestVolumes(t *testing.T) {
	first := pod("first").PVC("one").Obj()
	bound := withVolume(cluster()).PersistentVolumeClaims[0]
	bound.Spec.VolumeName, bound.Status.Phase = "pv", v1.ClaimBound
	bound.Annotations = map[string]string{"pv.kubernetes.io/bind-completed": "yes"}
	binds := update("binding", bound)
	for _, row := range []struct {
		reason  string
		actions []loop.Action
		place   string // of the pod in the queue afterwards; empty if it is bound
	}{
		{"it waits", []loop.Action{schedule}, "[binding]"},
		{"its volume is bound", []loop.Action{schedule, binds}, ""},
		{"it waits on permit first, then for its volume", []loop.Action{failing(loop.WaitPermit), on(loop.Allow, first), binds}, ""},
		{"its volume is not bound in time", []loop.Action{schedule, on(loop.Expire, first)}, "[backoff]"},
		{"bind fails after the wait", []loop.Action{failing(loop.FailBind), binds}, "[backoff]"},
		{"pre-bind fails after the wait", []loop.Action{failing(loop.FailPreBind), binds}, "[backoff]"},
	} {
		s := newScheduler(t, withVolume(cluster(node("n1"))), stepped.Options{Faults: true})
		actions := append([]loop.Action{create(first)}, row.actions...)
		if broken := breaks(t, s, actions); broken != nil {
			t.Errorf("%s: it breaks %q", row.reason, broken)
		}
		q, queued := s.State().Queued("default/first")
		place := ""
		if queued {
			place = strings.ReplaceAll("["+q.Places[0].String()+"]", " ", "")
		}
		if node := s.State().Pod("default/first").Spec.NodeName; place != row.place || (place == "") != (node == "n1") {
			t.Errorf("%s: the pod is %s, on node %q; want %s", row.reason, place, node, row.place)
		}
	}
}
