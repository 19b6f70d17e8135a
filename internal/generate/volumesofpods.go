package generate

import (
	"fmt"
	"strings"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// volumesOf returns the i-th pod volumes.
func (d *volumeDraw) volumesOf(i int) {
	pod := d.s.Pods[i]
	if d.rarely("restarts all", 12) {
		restart(&pod.Spec.Containers[0], d.one("restarts", "Restart", "RestartAllContainers"))
	}
	for k := range d.number("volumes of pod", 0, 3) {
		pod.Spec.Volumes = append(pod.Spec.Volumes,
			v1.Volume{Name: fmt.Sprintf("v%d", k), VolumeSource: d.source(pod, fmt.Sprintf("v%d", k))})
	}
}

// source draws what a volume of the pod is; for an ephemeral volume it also draws its claim, there or not.
func (d *volumeDraw) source(pod *v1.Pod, name string) v1.VolumeSource {
	readOnly := d.rarely("read only", 2)
	switch d.number("volume", 0, 12) {
	case 0:
		return v1.VolumeSource{
			GCEPersistentDisk: &v1.GCEPersistentDiskVolumeSource{PDName: d.one("disk", "d1", "d2"), ReadOnly: readOnly},
		}
	case 1:
		return v1.VolumeSource{
			AWSElasticBlockStore: &v1.AWSElasticBlockStoreVolumeSource{
				VolumeID: d.one("disk", "vol-1", "vol-1", "vol-1", "vol-3", "vol-3", "vol-4", "aws://a/disk"),
				ReadOnly: readOnly,
			},
		}
	case 2:
		return v1.VolumeSource{
			ISCSI: &v1.ISCSIVolumeSource{
				TargetPortal: "10.0.0.1",
				IQN:          d.one("IQN", "iqn.2026-01.com.example:a", "iqn.2026-01.com.example:b"),
				Lun:          int32(d.number("LUN", 0, 1)),
				ReadOnly:     readOnly,
			},
		}
	case 3:
		monitors := [][]string{{"m1"}, {"m2"}, {"m1", "m2"}}[d.number("monitors", 0, 2)]
		return v1.VolumeSource{
			RBD: &v1.RBDVolumeSource{
				CephMonitors: monitors,
				RBDImage:     d.one("image", "i1", "i2"),
				RBDPool:      d.one("pool", "rbd", "fast"),
				ReadOnly:     readOnly,
			},
		}
	case 4:
		return v1.VolumeSource{EmptyDir: &v1.EmptyDirVolumeSource{}}
	case 5, 6:
		return d.ephemeral(pod, name)
	default:
		anothers := map[bool]string{true: "pod-0-v0", false: "pending-v0"}[pod == d.s.Pods[0]]
		return v1.VolumeSource{
			PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: d.claimName(anothers)},
		}
	}
}

// claimName draws the name of a claim that is there, rarely of another.
func (d *volumeDraw) claimName(other string) string {
	if len(d.s.PersistentVolumeClaims) == 0 || d.rarely("another claim", 12) {
		return d.one("claim", "missing", other)
	}
	name := one(d, "claim", d.s.PersistentVolumeClaims...).Name
	if !strings.HasPrefix(name, "c") {
		return other // the API keeps a pod from naming the claim of its own ephemeral volume
	}
	return name
}

func (d *volumeDraw) ephemeral(pod *v1.Pod, name string) v1.VolumeSource {
	claim := &v1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: pod.Namespace,
			Name:      pod.Name + "-" + name,
			UID:       types.UID(pod.Name + "-" + name),
		},
		Spec: v1.PersistentVolumeClaimSpec{
			AccessModes: d.accessModes(), Resources: v1.VolumeResourceRequirements{Requests: d.size()},
		},
		Status: v1.PersistentVolumeClaimStatus{Phase: v1.ClaimPending},
	}
	d.drawClass(claim)
	template := &v1.PersistentVolumeClaimTemplate{Spec: *claim.Spec.DeepCopy()}
	if owner := d.one("owner", string(pod.UID), string(pod.UID), string(pod.UID), string(pod.UID), string(pod.UID),
		"stale", ""); owner != "" {
		controls := true
		claim.OwnerReferences = []metav1.OwnerReference{
			{APIVersion: "v1", Kind: "Pod", Name: pod.Name, UID: types.UID(owner), Controller: &controls},
		}
	}
	if !d.rarely("not made yet", 6) {
		d.s.PersistentVolumeClaims = append(d.s.PersistentVolumeClaims, claim)
	}
	return v1.VolumeSource{Ephemeral: &v1.EphemeralVolumeSource{VolumeClaimTemplate: template}}
}

func (d *volumeDraw) attachment(i int) {
	name := fmt.Sprintf("va%d", i)
	attachment := &storagev1.VolumeAttachment{
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name)},
		Spec: storagev1.VolumeAttachmentSpec{
			NodeName: one(d, "attached to", d.s.Nodes...).Name,
			Attacher: "csi.a",
		},
	}
	volume := d.one("attached volume", "pv0", "pv1", "pv2", "gone")
	for _, v := range d.s.PersistentVolumes {
		if v.Name == volume && v.Spec.CSI != nil {
			attachment.Spec.Attacher = v.Spec.CSI.Driver
		}
		if v.Name == volume && v.Spec.AWSElasticBlockStore != nil {
			if !d.rarely("an in-tree volume", 6) {
				return
			}
			attachment.Spec.Attacher = "ebs.csi.aws.com"
		}
	}
	attachment.Spec.Source.PersistentVolumeName = &volume
	d.s.VolumeAttachments = append(d.s.VolumeAttachments, attachment)
}
