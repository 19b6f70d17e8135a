package loop_test

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestClaimsCounted: which miscounts of the users of a claim are told, and which of them returned-claims-free explains.
func TestClaimsCounted(t *testing.T) {
	const none, anew, known = "not told", "new", "returned-claims-free"
	off, hidden := loop.ClaimCount{Claim: "default/one", Users: 1}, loop.ClaimCount{Claim: "default/one", Users: 1}
	hidden.Latent = true
	user := &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "user"},
		Spec: v1.PodSpec{NodeName: "n1", Volumes: []v1.Volume{{VolumeSource: v1.VolumeSource{
			PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: "one"}}}}},
	}
	with := func(nodes []string, counts ...loop.ClaimCount) *loop.State {
		api := &spec.Snapshot{Pods: []*v1.Pod{user}}
		for _, name := range nodes {
			api.Nodes = append(api.Nodes, &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}})
		}
		return &loop.State{API: api, Miscounted: counts}
	}
	both, other := []string{"n1", "n2"}, []string{"n2"}
	on := func(verb loop.Verb, name string) loop.Action {
		return loop.Action{Verb: verb, Ref: loop.Ref{Kind: "Node", Name: name}}
	}
	for _, row := range []struct {
		reason        string
		before, after *loop.State
		action        loop.Action
		want          string
	}{
		{"it was so before", with(both, off), with(both, off), on(loop.Update, "n1"), none},
		{"the next cycle counts anew", with(both), with(both, hidden), on(loop.Create, "n2"), none},
		{"its node comes back", with(other), with(both, off), on(loop.Create, "n1"), known},
		{"another node comes", with(both[:1]), with(both, off), on(loop.Create, "n2"), anew},
		{"another node changes", with(both), with(both, off), on(loop.Update, "n2"), anew},
		{"its node goes, which counts it down", with(both), with(other, off), on(loop.Delete, "n1"), anew},
		{"it was so, but hidden", with(both[:1], hidden), with(both, off), on(loop.Create, "n2"), known},
	} {
		got := none
		for _, v := range loop.ClaimsCounted(
			&loop.Transition{Model: spec.New(spec.DefaultProfile()), Before: row.before, Action: row.action, After: row.after}) {
			if got = v.Known; got == "" {
				got = anew
			}
		}
		if got != row.want {
			t.Errorf("%s: %s, want %s", row.reason, got, row.want)
		}
	}
}
