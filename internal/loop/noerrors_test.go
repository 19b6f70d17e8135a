package loop_test

import (
	"testing"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestNominatedNodeGone: that a node is not there explains the error only of a pod that was to be tried on it.
func TestNominatedNodeGone(t *testing.T) {
	node := &v1.Node{}
	node.Name = "n"
	for _, row := range []struct {
		reason, nominated string
		left              *loop.Batch
		want              string
	}{
		{"it is nominated to a node that is gone", "gone", nil, "nominated-node-gone"},
		{"an equal pod left such a node", "", &loop.Batch{Nodes: []string{"gone"}}, "nominated-node-gone"},
		{"the node is there", "n", nil, ""},
		{"no node is to be tried first", "", nil, ""},
	} {
		p := podWithUID("p")
		p.Status.NominatedNodeName = row.nominated
		s := &spec.Snapshot{Nodes: []*v1.Node{node}, Pods: []*v1.Pod{p}}
		step := &loop.Transition{Model: toyModel(), Before: &loop.State{API: s, Batch: row.left},
			Action: loop.Action{Verb: loop.Schedule}, After: &loop.State{API: s},
			Step: loop.Step{Popped: "default/p", Errors: []string{"Evaluation failed on nominated node, pod=default/p"}}}
		got := "no error"
		for _, b := range step.Broken() {
			if b.Property.Name == "no-errors" {
				got = b.Known
			}
		}
		if got != row.want {
			t.Errorf("%s: it is explained by %q, want %q", row.reason, got, row.want)
		}
	}
}
