package spec

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// claim returns a claim of 1Gi, ReadWriteOnce, for a volume of the class.
func claim(name, class string) *v1.PersistentVolumeClaim {
	return &v1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name)},
		Spec: v1.PersistentVolumeClaimSpec{
			AccessModes: []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce}, StorageClassName: &class,
			Resources: v1.VolumeResourceRequirements{Requests: list("storage", "1Gi")},
		},
	}
}

// volume returns a free volume of 1Gi, ReadWriteOnce, of the class, that driver csi.a manages under its name.
func volume(name, class string) *v1.PersistentVolume {
	return &v1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{}},
		Spec: v1.PersistentVolumeSpec{
			AccessModes: []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce}, StorageClassName: class,
			Capacity:               v1.ResourceList{v1.ResourceStorage: resource.MustParse("1Gi")},
			PersistentVolumeSource: csi("csi.a", name),
		},
		Status: v1.PersistentVolumeStatus{Phase: v1.VolumeAvailable},
	}
}

func csi(driver, handle string) v1.PersistentVolumeSource {
	return v1.PersistentVolumeSource{CSI: &v1.CSIPersistentVolumeSource{Driver: driver, VolumeHandle: handle}}
}

// boundClaim returns a claim that is bound to the volume.
func boundClaim(name string, to *v1.PersistentVolume) *v1.PersistentVolumeClaim {
	c := claim(name, to.Spec.StorageClassName)
	c.Spec.VolumeName = to.Name
	c.Annotations = map[string]string{bindCompleted: "yes"}
	c.Status.Phase = v1.ClaimBound
	to.Spec.ClaimRef = &v1.ObjectReference{Name: name, UID: c.UID}
	to.Status.Phase = v1.VolumeBound
	return c
}

// class returns a storage class that waits for the first consumer.
func class(name, provisioner string) *storagev1.StorageClass {
	wait := storagev1.VolumeBindingWaitForFirstConsumer
	return &storagev1.StorageClass{
		ObjectMeta:        metav1.ObjectMeta{Name: name},
		Provisioner:       provisioner,
		VolumeBindingMode: &wait,
	}
}

// mounting returns the pod with volumes, which are named a, b, ...
func mounting(pod *v1.Pod, sources ...v1.VolumeSource) *v1.Pod {
	for i, source := range sources {
		pod.Spec.Volumes = append(pod.Spec.Volumes, v1.Volume{Name: string(rune('a' + i)), VolumeSource: source})
	}
	return pod
}

// of is a volume source that names the claim.
func of(claim string) v1.VolumeSource {
	return v1.VolumeSource{PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: claim}}
}

func ephemeral() v1.VolumeSource { return v1.VolumeSource{Ephemeral: &v1.EphemeralVolumeSource{}} }

// owned returns the claim, controlled by the pod.
func owned(claim *v1.PersistentVolumeClaim, pod *v1.Pod) *v1.PersistentVolumeClaim {
	controls := true
	claim.OwnerReferences = []metav1.OwnerReference{{Kind: "Pod", Name: pod.Name, UID: pod.UID, Controller: &controls}}
	return claim
}

func TestClaims(t *testing.T) {
	p := mounting(pod("p"), of("x"), ephemeral(), of("x"), of("missing"), ephemeral(),
		v1.VolumeSource{EmptyDir: &v1.EmptyDirVolumeSource{}})
	p.UID = "p"
	elsewhere := claim("missing", "")
	elsewhere.Namespace = "elsewhere"
	s := &Snapshot{PersistentVolumeClaims: []*v1.PersistentVolumeClaim{elsewhere, owned(claim("p-b", ""), p),
		claim("p-e", ""), claim("x", ""), claim("unused", "")}}
	names := each(Claims(p, s), func(c *v1.PersistentVolumeClaim) string { return c.Name })
	if diff := cmp.Diff([]string{"x", "p-b"}, names); diff != "" {
		t.Errorf("each claim once, in the order of the volumes, ephemeral ones if the pod owns them (-want +got):\n%s",
			diff)
	}
}

func TestClaimState(t *testing.T) {
	immediate := class("immediate", "csi.a")
	*immediate.VolumeBindingMode = storagev1.VolumeBindingImmediate
	unset := class("unset", "csi.a")
	unset.VolumeBindingMode = nil
	s := &Snapshot{StorageClasses: []*storagev1.StorageClass{class("wait", "csi.a"), immediate, unset}}
	annotated := claim("c", "immediate")
	annotated.Annotations = map[string]string{v1.BetaStorageClassAnnotation: "wait"}
	wanting, classless := claim("c", "wait"), claim("c", "")
	wanting.Spec.VolumeName = "v"
	classless.Spec.StorageClassName = nil
	for _, row := range []struct {
		reason       string
		claim        *v1.PersistentVolumeClaim
		bound, waits bool
	}{
		{"bound", boundClaim("c", volume("v", "wait")), true, false},
		{"waits for its first consumer", claim("c", "wait"), false, true},
		{"to be bound at once", claim("c", "immediate"), false, false},
		{"at once is the default", claim("c", "unset"), false, false},
		{"the older way to name a class counts first", annotated, false, true},
		{"the user asks for a volume, the control plane has not agreed", wanting, false, false},
		{"its class is not there", claim("c", "missing"), false, false},
		{"it has no class", classless, false, false},
		{"it wants no class", claim("c", ""), false, false},
	} {
		if got := ClaimBound(row.claim); got != row.bound {
			t.Errorf("%s: bound %v", row.reason, got)
		}
		if got := ClaimWaits(row.claim, s); got != row.waits {
			t.Errorf("%s: waits %v", row.reason, got)
		}
	}
}
