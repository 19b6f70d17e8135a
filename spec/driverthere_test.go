package spec

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestDriverThere(t *testing.T) {
	n := node("n")
	wants, inline := mounting(pod("p"), of("c")), mounting(pod("p"), ebs("vol-1"))
	requires := func(name string, must *bool) []*storagev1.CSIDriver {
		return []*storagev1.CSIDriver{{ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec: storagev1.CSIDriverSpec{PreventPodSchedulingIfMissing: must}}}
	}
	has := func(drivers ...string) []*storagev1.CSINode { return []*storagev1.CSINode{limited("n", 5, drivers...)} }
	for _, row := range []struct {
		reason  string
		pod     *v1.Pod
		drivers []*storagev1.CSIDriver
		nodes   []*storagev1.CSINode
		want    bool
		odd     bool // by MigratedDriverNotMissed
	}{
		{"nothing is said of the driver", wants, nil, nil, true, true},
		{"it need not be there", wants, requires("csi.a", new(false)), nil, true, true},
		{"it does not say", wants, requires("csi.a", nil), nil, true, true},
		{"another must be there", wants, requires("csi.b", new(true)), nil, true, true},
		{"it must, and there is no CSINode", wants, requires("csi.a", new(true)), nil, false, false},
		{"it must, and the node has another", wants, requires("csi.a", new(true)), has("csi.b"), false, false},
		{"it must, and another node has it", wants, requires("csi.a", new(true)),
			[]*storagev1.CSINode{limited("m", 5, "csi.a")}, false, false},
		{"it must, and is", wants, requires("csi.a", new(true)), has("csi.b", "csi.a"), true, true},
		{"that of a migrated volume must, and there is no CSINode", inline, requires("ebs.csi.aws.com", new(true)), nil,
			false, true},
		{"that of a migrated volume must, and the node has another", inline, requires("ebs.csi.aws.com", new(true)),
			has("csi.a"), false, false},
		{"a pod without volumes", pod("p"), requires("csi.a", new(true)), nil, true, true},
	} {
		s := &Snapshot{
			Nodes: []*v1.Node{n}, PersistentVolumeClaims: []*v1.PersistentVolumeClaim{claim("c", "wait")},
			StorageClasses: []*storagev1.StorageClass{class("wait", "csi.a")}, CSIDrivers: row.drivers, CSINodes: row.nodes,
		}
		m := New(DefaultProfile())
		for _, check := range []struct {
			of   string
			m    *Scheduler
			want bool
		}{
			{"documented", m, row.want},
			{"before v1.37", m.Without(MissingDriversHeeded()), true},
			{"with the defect", m.With(MigratedDriverNotMissed()), row.odd},
		} {
			if got := check.m.Feasibility(row.pod, n, s); got != check.want {
				t.Errorf("%s, %s: got %t", row.reason, check.of, got)
			}
		}
		if !row.want && !MissingDriversHeeded().Concerns(Question{Pod: row.pod, Snapshot: s}) {
			t.Errorf("%s: the change does not concern it", row.reason)
		}
	}
}
