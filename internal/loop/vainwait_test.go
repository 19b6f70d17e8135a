package loop

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestVain: a pod waits for its volumes in vain if nothing that is asked for can end the wait.
func TestVain(t *testing.T) {
	claim := func(name, volume, node string) *v1.PersistentVolumeClaim {
		c := &v1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name},
			Spec: v1.PersistentVolumeClaimSpec{VolumeName: volume}}
		if node != "" {
			c.Annotations = map[string]string{selectedNode: node}
		}
		return c
	}
	for _, row := range []struct {
		reason string
		claims []*v1.PersistentVolumeClaim
		want   string
	}{
		{"nobody is asked for a volume",
			[]*v1.PersistentVolumeClaim{claim("a", "", ""), claim("b", "pv", "")}, "not asked for"},
		{"the other claim is asked for: what becomes of it ends the wait",
			[]*v1.PersistentVolumeClaim{claim("a", "", ""), claim("b", "", "n")}, ""},
		{"in the other order", []*v1.PersistentVolumeClaim{claim("a", "", "n"), claim("b", "", "")}, ""},
		{"both are bound", []*v1.PersistentVolumeClaim{claim("a", "pv", ""), claim("b", "pv", "")}, "bound"},
		{"a volume is gone", []*v1.PersistentVolumeClaim{claim("a", "gone", ""), claim("b", "", "")}, ""},
		{"a claim is gone", []*v1.PersistentVolumeClaim{claim("a", "", "")}, ""},
	} {
		pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "p"}}
		for _, name := range []string{"a", "b"} {
			pod.Spec.Volumes = append(pod.Spec.Volumes, v1.Volume{Name: name, VolumeSource: v1.VolumeSource{
				PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: name}}})
		}
		state := &State{API: &spec.Snapshot{Pods: []*v1.Pod{pod}, PersistentVolumeClaims: row.claims,
			PersistentVolumes: []*v1.PersistentVolume{{ObjectMeta: metav1.ObjectMeta{Name: "pv"}}}}}
		if got, _ := vain(state, "default/p"); got != row.want {
			t.Errorf("%s: %q, want %q", row.reason, got, row.want)
		}
	}
}
