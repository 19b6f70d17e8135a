package stepped_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	st "k8s.io/kubernetes/pkg/scheduler/testing"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
	"github.com/seed-a3f26817/modelcheck/spec"
)

const limitedDriver = "csi.example.com"

// allowing is the CSINode of n1 on which the driver allows so many volumes; nil is no limit.
func allowing(volumes *int32) *storagev1.CSINode {
	return st.MakeCSINode().Name("n1").Driver(storagev1.CSINodeDriver{
		Name: limitedDriver, NodeID: "n1", Allocatable: &storagev1.VolumeNodeResources{Count: volumes}}).Obj()
}

// allows is the event that the driver allows so many volumes on n1.
func allows(volumes *int32) loop.Action { return update("limits", allowing(volumes)) }

// demanded is a cluster whose CSIDriver keeps pods off nodes without it, if it insists: its node has none.
func demanded(insists bool) *spec.Snapshot {
	s := limited()
	s.CSINodes = nil
	s.CSIDrivers = append(s.CSIDrivers, &storagev1.CSIDriver{
		ObjectMeta: metav1.ObjectMeta{Name: limitedDriver},
		Spec:       storagev1.CSIDriverSpec{PreventPodSchedulingIfMissing: &insists},
	})
	return s
}

// limited is a cluster with a node on which a driver allows one volume, and claims "one" and "two" of that driver.
func limited() *spec.Snapshot {
	s := cluster(node("n1"))
	s.CSINodes = append(s.CSINodes, allowing(new(int32(1))))
	modes := []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce}
	for _, name := range []string{"one", "two"} {
		volume := st.MakePersistentVolume().Name(name).AccessModes(modes).PersistentVolumeSource(v1.PersistentVolumeSource{
			CSI: &v1.CSIPersistentVolumeSource{Driver: limitedDriver, VolumeHandle: name}}).Obj()
		volume.Spec.ClaimRef = &v1.ObjectReference{Namespace: "default", Name: name}
		claim := st.MakePersistentVolumeClaim().Namespace("default").Name(name).AccessModes(modes).VolumeName(name).
			Annotation("pv.kubernetes.io/bind-completed", "yes").Obj()
		volume.Status.Phase, claim.Status.Phase = v1.VolumeBound, v1.ClaimBound
		s.PersistentVolumes, s.PersistentVolumeClaims = append(s.PersistentVolumes, volume),
			append(s.PersistentVolumeClaims, claim)
	}
	return s
}

// TestMissedBefore: that a pod sleeps, as an event before was not heard of, is not told once more when the class of its
// claim goes and comes back: NodeVolumeLimits, which rejected it, does not look at classes.
func TestMissedBefore(t *testing.T) {
	initial := withVolume(cluster(node("n1")))
	initial.CSINodes = append(initial.CSINodes, allowing(new(int32)))
	class := initial.StorageClasses[0]
	class.Provisioner, initial.PersistentVolumes = limitedDriver, nil
	got := breaks(t, newScheduler(t, initial, stepped.Options{}), []loop.Action{
		create(pod("p").PVC("one").Obj()), schedule, update("drivers", st.MakeCSINode().Name("n1").Obj()),
		remove(class), create(class)})
	if diff := cmp.Diff([]string{"wake-up: default/p: hint-unlimited-driver"}, got); diff != "" {
		t.Errorf("it breaks (-want +got):\n%s", diff)
	}
}

// TestMissedWithoutVolume: that a pod sleeps, as it was not told that its node has no limit any more, is no new defect
// when the volume comes back that was not there then.
func TestMissedWithoutVolume(t *testing.T) {
	initial := limited()
	initial.CSINodes[0] = allowing(new(int32))
	volume := initial.PersistentVolumes[0]
	got := breaks(t, newScheduler(t, initial, stepped.Options{}), []loop.Action{
		create(pod("p").PVC("one").Obj()), schedule, remove(volume), update("drivers", st.MakeCSINode().Name("n1").Obj()),
		create(volume)})
	if diff := cmp.Diff([]string{"wake-up: default/p: limits-driver-unheard"}, got); diff != "" {
		t.Errorf("it breaks (-want +got):\n%s", diff)
	}
}
