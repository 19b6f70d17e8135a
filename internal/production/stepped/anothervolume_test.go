package stepped_test

import (
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
)

// TestAnotherVolumeBound: a claim that a pod waits for is bound to another volume than the one that was chosen for it,
// which is for another node, or for this one too.
func TestAnotherVolumeBound(t *testing.T) {
	for _, row := range []struct {
		reason string
		zone   string // of the node
		want   []string
	}{
		{"it is for another node", "b", []string{"volumes-reached: default/first: another-volume-bound"}},
		{"it is for the node", "a", nil},
	} {
		s := newScheduler(t, withVolume(cluster(node("n1").Label("zone", row.zone))), stepped.Options{})
		other, bound := near(withVolume(cluster())).PersistentVolumes[0], boundClaim()
		other.Name, bound.Spec.VolumeName = "other", "other"
		other.Spec.ClaimRef = &v1.ObjectReference{Namespace: "default", Name: "one", UID: "its"}
		got := breaks(t, s, []loop.Action{create(pod("first").PVC("one").Obj()), schedule, create(other),
			byController(bound)})
		if !slices.Equal(got, row.want) {
			t.Errorf("%s: it breaks %q, want %q", row.reason, got, row.want)
		}
		if on := s.State().Pod("default/first").Spec.NodeName; on != "n1" {
			t.Errorf("%s: it is on %q", row.reason, on)
		}
	}
}
