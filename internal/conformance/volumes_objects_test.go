package conformance

import (
	"time"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// storage is a small cluster in the making: nodes without limits, volumes and claims that fit each other until a
// test changes them.
type storage struct{ spec.Snapshot }

// newStorage returns a cluster with nodes of these names and two classes that wait for the first consumer: "local",
// which provisions nothing, and "wait", whose provisioner is csi.a.
func newStorage(nodes ...string) *storage {
	s := &storage{}
	for _, name := range nodes {
		s.Nodes = append(s.Nodes, &v1.Node{
			ObjectMeta: metav1.ObjectMeta{
				Name:   name,
				UID:    types.UID(name),
				Labels: map[string]string{v1.LabelHostname: name},
			},
			Status: v1.NodeStatus{Allocatable: v1.ResourceList{v1.ResourcePods: resource.MustParse("10")}},
		})
	}
	wait := storagev1.VolumeBindingWaitForFirstConsumer
	s.StorageClasses = []*storagev1.StorageClass{
		{
			ObjectMeta:        metav1.ObjectMeta{Name: "local", UID: "local"},
			Provisioner:       "kubernetes.io/no-provisioner",
			VolumeBindingMode: &wait,
		},
		{ObjectMeta: metav1.ObjectMeta{Name: "wait", UID: "wait"}, Provisioner: "csi.a", VolumeBindingMode: &wait},
	}
	for _, name := range []string{"default", "other"} {
		s.Namespaces = append(s.Namespaces,
			&v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name)}})
	}
	return s
}

// asks returns the question where the first of the pods should go.
func (s *storage) asks() spec.Question { return spec.Question{Pod: s.Pods[0], Snapshot: &s.Snapshot} }

// volume adds a volume of driver csi.a, of 1Gi, class local, that is free.
func (s *storage) volume(name string) *v1.PersistentVolume {
	volume := &v1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name), Labels: map[string]string{}},
		Spec: v1.PersistentVolumeSpec{
			Capacity: gibibytes("1Gi"), AccessModes: []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce},
			StorageClassName: "local",
			PersistentVolumeSource: v1.PersistentVolumeSource{
				CSI: &v1.CSIPersistentVolumeSource{Driver: "csi.a", VolumeHandle: name},
			},
		},
		Status: v1.PersistentVolumeStatus{Phase: v1.VolumeAvailable},
	}
	s.PersistentVolumes = append(s.PersistentVolumes, volume)
	return volume
}

func gibibytes(size string) v1.ResourceList {
	return v1.ResourceList{v1.ResourceStorage: resource.MustParse(size)}
}

// claim adds a claim in namespace default for a volume of the class, which waits for its first consumer.
func (s *storage) claim(name, class string) *v1.PersistentVolumeClaim {
	claim := &v1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID("claim/" + name)},
		Spec: v1.PersistentVolumeClaimSpec{
			AccessModes: []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce}, StorageClassName: &class,
			Resources: v1.VolumeResourceRequirements{Requests: gibibytes("1Gi")},
		},
		Status: v1.PersistentVolumeClaimStatus{Phase: v1.ClaimPending},
	}
	s.PersistentVolumeClaims = append(s.PersistentVolumeClaims, claim)
	return claim
}

// bound adds a claim that is bound to a volume, which it adds too.
func (s *storage) bound(name string,
	modes ...v1.PersistentVolumeAccessMode) (*v1.PersistentVolumeClaim, *v1.PersistentVolume) {
	claim, volume := s.claim(name, "local"), s.volume("pv-"+name)
	if len(modes) > 0 {
		claim.Spec.AccessModes, volume.Spec.AccessModes = modes, modes
	}
	join(claim, volume)
	return claim, volume
}

// join binds the claim to the volume.
func join(claim *v1.PersistentVolumeClaim, volume *v1.PersistentVolume) {
	volume.Spec.ClaimRef = &v1.ObjectReference{Namespace: claim.Namespace, Name: claim.Name, UID: claim.UID}
	volume.Status.Phase = v1.VolumeBound
	claim.Spec.VolumeName = volume.Name
	claim.Status.Phase = v1.ClaimBound
	metav1.SetMetaDataAnnotation(&claim.ObjectMeta, "pv.kubernetes.io/bind-completed", "yes")
}

// own makes the claim one that was made for the pod's ephemeral volume.
func own(pod *v1.Pod, claim *v1.PersistentVolumeClaim) {
	controls := true
	claim.OwnerReferences = []metav1.OwnerReference{
		{APIVersion: "v1", Kind: "Pod", Name: pod.Name, UID: pod.UID, Controller: &controls},
	}
}

// pod adds a pod of namespace default that uses the volumes; it is bound to the node, if one is named.
func (s *storage) pod(name string, priority int32, node string, sources ...v1.VolumeSource) *v1.Pod {
	pod := &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID("pod/" + name)},
		Spec: v1.PodSpec{
			SchedulerName: v1.DefaultSchedulerName, Priority: &priority, NodeName: node,
			Containers: []v1.Container{{Name: "main", Image: "main"}},
		},
	}
	if node != "" {
		pod.Status.StartTime = &metav1.Time{Time: time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)}
	}
	for i, source := range sources {
		pod.Spec.Volumes = append(pod.Spec.Volumes, v1.Volume{Name: string(rune('a' + i)), VolumeSource: source})
	}
	s.Pods = append(s.Pods, pod)
	return pod
}

func claimed(name string) v1.VolumeSource {
	return v1.VolumeSource{PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: name}}
}

// ephemeral is a volume whose claim is named after the pod and the volume.
func ephemeral() v1.VolumeSource {
	return v1.VolumeSource{Ephemeral: &v1.EphemeralVolumeSource{VolumeClaimTemplate: &v1.PersistentVolumeClaimTemplate{
		Spec: v1.PersistentVolumeClaimSpec{
			AccessModes: []v1.PersistentVolumeAccessMode{
				v1.ReadWriteOnce,
			}, Resources: v1.VolumeResourceRequirements{Requests: gibibytes("1Gi")},
		},
	}}}
}

func elasticBlockStore(id string) v1.VolumeSource {
	return v1.VolumeSource{AWSElasticBlockStore: &v1.AWSElasticBlockStoreVolumeSource{VolumeID: id}}
}

func vsphere(path string) v1.VolumeSource {
	return v1.VolumeSource{VsphereVolume: &v1.VsphereVirtualDiskVolumeSource{VolumePath: path}}
}

// limit says how many volumes of the driver the node can use.
func (s *storage) limit(node, driver string, count int32) {
	s.CSINodes = append(s.CSINodes, &storagev1.CSINode{
		ObjectMeta: metav1.ObjectMeta{Name: node, UID: types.UID("csi-" + node)},
		Spec: storagev1.CSINodeSpec{Drivers: []storagev1.CSINodeDriver{
			{Name: driver, NodeID: node, Allocatable: &storagev1.VolumeNodeResources{Count: &count}},
		}},
	})
}

// attach attaches the volume to the node.
func (s *storage) attach(volume, node, driver string) {
	s.VolumeAttachments = append(s.VolumeAttachments, &storagev1.VolumeAttachment{
		ObjectMeta: metav1.ObjectMeta{Name: volume + "-" + node, UID: types.UID(volume + "-" + node)},
		Spec: storagev1.VolumeAttachmentSpec{
			Attacher: driver, NodeName: node, Source: storagev1.VolumeAttachmentSource{PersistentVolumeName: &volume},
		},
	})
}
