package stepped_test

import (
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// inUse is a cluster with a claim that is one pod's at a time.
func inUse() *spec.Snapshot {
	s := withVolume(cluster(node("n1"), node("n2")))
	claim := boundClaim()
	claim.Spec.AccessModes = []v1.PersistentVolumeAccessMode{v1.ReadWriteOncePod}
	s.PersistentVolumeClaims = []*v1.PersistentVolumeClaim{claim}
	s.PersistentVolumes[0].Spec.AccessModes = claim.Spec.AccessModes
	s.PersistentVolumes[0].Spec.ClaimRef = &v1.ObjectReference{Namespace: claim.Namespace, Name: claim.Name}
	return s
}

// TestLostNodes has the runs of returned-claims-free and lost-node-unheard: a node goes with its pods, which stay, and
// comes back.
func TestLostNodes(t *testing.T) {
	begins := []loop.Action{create(pod("first").PVC("one").Obj()), schedule}
	second := []loop.Action{create(pod("second").PVC("one").Obj()), schedule}
	lost, back := remove(node("n1").Obj()), create(node("n1").Obj())
	counts := "cache-agrees: : returned-claims-free"
	third := []loop.Action{create(pod("third").PVC("one").Obj()), schedule}
	goes := []loop.Action{remove(begins[0].Object), gone(begins[0].Object)}
	free := []string{counts, "refinement: default/second: returned-claims-free",
		"levels-agree: default/second: returned-claims-free", "exclusive: default/second: returned-claims-free"}
	for _, row := range []struct {
		reason  string
		actions []loop.Action
		want    []string
	}{
		{"the node comes back before the next pod is tried", slices.Concat([]loop.Action{lost, back}, second), free},
		{"control: another pod is tried meanwhile",
			slices.Concat([]loop.Action{lost, create(pod("p").Obj()), schedule, back}, second), nil},
		{"the node stays away, another pod takes the claim, and then the first goes",
			slices.Concat([]loop.Action{lost}, second, goes, third),
			[]string{counts, "refinement: default/third: returned-claims-free",
				"levels-agree: default/third: returned-claims-free", "exclusive: default/third: returned-claims-free"}},
		{"... and the node comes back and goes again before another pod is tried",
			slices.Concat([]loop.Action{lost}, second, goes, []loop.Action{back, lost}), []string{counts, counts}},
		{"no node is left, and kube-scheduler begins anew",
			[]loop.Action{lost, remove(node("n2").Obj()), restart}, []string{counts}},
		{"control: nothing is lost", []loop.Action{restart}, nil},
		{"control: the first goes before the other is tried",
			slices.Concat([]loop.Action{lost}, goes, second, third), nil},
		{"control: it stays", second, nil},
		{"it goes while another pod waits for its claim", slices.Concat(second, []loop.Action{lost}),
			[]string{"wake-up: default/second: lost-node-unheard"}},
		{"control: the pod goes",
			slices.Concat(second, []loop.Action{remove(begins[0].Object), gone(begins[0].Object)}), nil},
		{"control: its pods count as gone with it", slices.Concat([]loop.Action{lost}, second), nil},
	} {
		s := newScheduler(t, inUse(), stepped.Options{})
		if broken := breaks(t, s, slices.Concat(begins, row.actions)); !slices.Equal(broken, row.want) {
			t.Errorf("%s: it breaks %q, want %q", row.reason, broken, row.want)
		}
	}
}
