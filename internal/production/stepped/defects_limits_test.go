package stepped_test

import (
	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	st "k8s.io/kubernetes/pkg/scheduler/testing"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// limited is a cluster with a node on which a driver allows one volume, and claims "one" and "two" of that driver.
func limited() *spec.Snapshot {
	const driver = "csi.example.com"
	allowed := int32(1)
	s := cluster(node("n1"))
	s.CSINodes = append(s.CSINodes, st.MakeCSINode().Name("n1").Driver(storagev1.CSINodeDriver{
		Name: driver, NodeID: "n1", Allocatable: &storagev1.VolumeNodeResources{Count: &allowed}}).Obj())
	modes := []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce}
	for _, name := range []string{"one", "two"} {
		volume := st.MakePersistentVolume().Name(name).AccessModes(modes).PersistentVolumeSource(v1.PersistentVolumeSource{
			CSI: &v1.CSIPersistentVolumeSource{Driver: driver, VolumeHandle: name}}).Obj()
		volume.Spec.ClaimRef = &v1.ObjectReference{Namespace: "default", Name: name}
		claim := st.MakePersistentVolumeClaim().Namespace("default").Name(name).AccessModes(modes).VolumeName(name).
			Annotation("pv.kubernetes.io/bind-completed", "yes").Obj()
		volume.Status.Phase, claim.Status.Phase = v1.VolumeBound, v1.ClaimBound
		s.PersistentVolumes, s.PersistentVolumeClaims = append(s.PersistentVolumes, volume),
			append(s.PersistentVolumeClaims, claim)
	}
	return s
}
