package loop_test

import (
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestExplainsNoMore: what a known defect says is not heard is explained, and not what is told all the same.
func TestExplainsNoMore(t *testing.T) {
	pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "p"}}
	node := func(taints ...v1.Taint) *v1.Node {
		return &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}, Spec: v1.NodeSpec{Taints: taints}}
	}
	ref := loop.RefOf(node())
	for _, row := range []struct {
		defect, by string
		queue      loop.QueueName
		after      *v1.Node
		action     loop.Action
		want       bool
	}{
		{"hint-spread-eligibility", "PodTopologySpread", loop.Unschedulable, node(),
			loop.Action{Verb: loop.Update, Ref: ref}, true},
		{"hint-spread-eligibility", "PodTopologySpread", loop.Unschedulable, node(v1.Taint{Key: "k"}),
			loop.Action{Verb: loop.Update, Ref: ref}, false},
		{"evictions-end-unheard", "DefaultPreemption", loop.Gated, node(), loop.Action{Verb: loop.Update, Ref: ref}, true},
		{"evictions-end-unheard", "DefaultPreemption", loop.Gated, node(), loop.Action{Verb: loop.Gone}, false},
	} {
		state := func(n *v1.Node) *loop.State {
			q := loop.Queued{Pod: "default/p", Queues: []loop.QueueName{row.queue},
				Rejectors: []string{row.by, "NodeResourcesFit"}}
			if row.queue == loop.Gated {
				q.GatedBy = row.by
			}
			return &loop.State{API: &spec.Snapshot{Nodes: []*v1.Node{n}, Pods: []*v1.Pod{pod}}, Queue: []loop.Queued{q}}
		}
		step := &loop.Transition{Model: spec.New(spec.DefaultProfile()), Before: state(node()), After: state(row.after),
			Action: row.action}
		defects := loop.Defects()
		i := slices.IndexFunc(defects, func(k loop.Known) bool { return k.Name == row.defect })
		if got := defects[i].Explains(step, pod); got != row.want {
			t.Errorf("%s explains %v: %v, want %v", row.defect, row.action.Verb, got, row.want)
		}
	}
}
