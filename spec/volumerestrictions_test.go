package spec

import (
	"testing"

	v1 "k8s.io/api/core/v1"
)

func TestSameDisk(t *testing.T) {
	gce := func(name string, readOnly bool) v1.VolumeSource {
		return v1.VolumeSource{GCEPersistentDisk: &v1.GCEPersistentDiskVolumeSource{PDName: name, ReadOnly: readOnly}}
	}
	ebs := func(id string, readOnly bool) v1.VolumeSource {
		return v1.VolumeSource{
			AWSElasticBlockStore: &v1.AWSElasticBlockStoreVolumeSource{VolumeID: id, ReadOnly: readOnly},
		}
	}
	iscsi := func(iqn string, lun int32, readOnly bool) v1.VolumeSource {
		return v1.VolumeSource{ISCSI: &v1.ISCSIVolumeSource{IQN: iqn, Lun: lun, ReadOnly: readOnly}}
	}
	rbd := func(pool, image string, readOnly bool, monitors ...string) v1.VolumeSource {
		return v1.VolumeSource{
			RBD: &v1.RBDVolumeSource{CephMonitors: monitors, RBDPool: pool, RBDImage: image, ReadOnly: readOnly},
		}
	}
	for _, row := range []struct {
		reason string
		a, b   v1.VolumeSource
		want   bool
	}{
		{"a GCE disk twice", gce("d", false), gce("d", false), true},
		{"a GCE disk, one read only", gce("d", true), gce("d", false), true},
		{"a GCE disk, both read only", gce("d", true), gce("d", true), false},
		{"two GCE disks", gce("d", false), gce("e", false), false},
		{"an EBS volume twice", ebs("d", false), ebs("d", false), true},
		{"an EBS volume, both read only", ebs("d", true), ebs("d", true), true},
		{"two EBS volumes", ebs("d", true), ebs("e", true), false},
		{"an iSCSI disk twice", iscsi("d", 0, false), iscsi("d", 0, true), true},
		{"an iSCSI disk, both read only", iscsi("d", 0, true), iscsi("d", 0, true), false},
		{"the LUN does not tell iSCSI disks apart", iscsi("d", 0, false), iscsi("d", 1, false), true},
		{"two iSCSI disks", iscsi("d", 0, false), iscsi("e", 0, false), false},
		{"an RBD image twice", rbd("rbd", "i", false, "m"), rbd("rbd", "i", true, "m"), true},
		{"an RBD image, both read only", rbd("rbd", "i", true, "m"), rbd("rbd", "i", true, "m"), false},
		{"one monitor in common", rbd("rbd", "i", false, "m", "n"), rbd("rbd", "i", false, "n", "o"), true},
		{"no monitor in common", rbd("rbd", "i", false, "m"), rbd("rbd", "i", false, "n"), false},
		{"another pool", rbd("rbd", "i", false, "m"), rbd("fast", "i", false, "m"), false},
		{"another image", rbd("rbd", "i", false, "m"), rbd("rbd", "j", false, "m"), false},
		{"another kind of disk", gce("d", false), ebs("d", false), false},
	} {
		a, b := v1.Volume{VolumeSource: row.a}, v1.Volume{VolumeSource: row.b}
		if SameDisk(a, b) != row.want || SameDisk(b, a) != row.want {
			t.Errorf("%s: %v, the other way round %v", row.reason, SameDisk(a, b), SameDisk(b, a))
		}
		n := node("n")
		p, other := mounting(pod("p"), row.a), bound(mounting(pod("other"), row.b), n)
		s := &Snapshot{Nodes: []*v1.Node{n}, Pods: []*v1.Pod{p, other}}
		if VolumeRestrictions().Holds(&Profile{}, p, n, s) == row.want {
			t.Errorf("%s: the filter says otherwise", row.reason)
		}
		bound(other, node("elsewhere"))
		if !VolumeRestrictions().Holds(&Profile{}, p, n, s) {
			t.Errorf("%s: a pod on another node must not matter", row.reason)
		}
	}
}

func TestReadWriteOncePod(t *testing.T) {
	here, there := node("here"), node("there")
	for _, row := range []struct {
		reason string
		mode   v1.PersistentVolumeAccessMode
		change func(p, other *v1.Pod, s *Snapshot)
		want   bool
	}{
		{"nobody else uses it", v1.ReadWriteOncePod, func(_, other *v1.Pod, _ *Snapshot) { other.Spec.Volumes = nil },
			true},
		{"a pod on the node uses it", v1.ReadWriteOncePod, func(_, other *v1.Pod, _ *Snapshot) { bound(other, here) },
			false},
		{"a pod elsewhere uses it", v1.ReadWriteOncePod, func(_, other *v1.Pod, _ *Snapshot) { bound(other, there) },
			false},
		{"a pod that is going uses it", v1.ReadWriteOncePod,
			func(_, other *v1.Pod, _ *Snapshot) { preempted(bound(other, here)) }, false},
		{"another mode is for many", v1.ReadWriteOnce, func(_, other *v1.Pod, _ *Snapshot) { bound(other, here) },
			true},
		{"a pending pod does not use it yet", v1.ReadWriteOncePod, func(_, other *v1.Pod, _ *Snapshot) {}, true},
		{"a claim of that name in another namespace", v1.ReadWriteOncePod, func(_, other *v1.Pod, s *Snapshot) {
			bound(other, here).Namespace = "elsewhere"
			its := claim("c", "")
			its.Namespace = "elsewhere"
			s.PersistentVolumeClaims = append(s.PersistentVolumeClaims, its)
		}, true},
		{"the claim of the other's ephemeral volume", v1.ReadWriteOncePod, func(_, other *v1.Pod, s *Snapshot) {
			bound(other, here).Name, other.UID, other.Spec.Volumes = "c", "c", nil
			mounting(other, ephemeral())
			s.PersistentVolumeClaims[0].Name = "c-a"
			owned(s.PersistentVolumeClaims[0], other)
			s.Pods[0].Spec.Volumes[0].PersistentVolumeClaim.ClaimName = "c-a"
		}, false},
		{"the claim is missing", v1.ReadWriteOnce, func(_, _ *v1.Pod, s *Snapshot) { s.PersistentVolumeClaims = nil },
			false},
	} {
		p, other := mounting(pod("p"), of("c")), mounting(pod("other"), of("c"))
		c := claim("c", "")
		c.Spec.AccessModes = []v1.PersistentVolumeAccessMode{row.mode}
		s := &Snapshot{
			Nodes:                  []*v1.Node{here, there},
			Pods:                   []*v1.Pod{p, other},
			PersistentVolumeClaims: []*v1.PersistentVolumeClaim{c},
		}
		row.change(p, other, s)
		if got := VolumeRestrictions().Holds(&Profile{}, p, here, s); got != row.want {
			t.Errorf("%s: got %v", row.reason, got)
		}
	}
}
