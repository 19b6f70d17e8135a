package loop_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/spec"
)

func TestAfterEvent(t *testing.T) {
	pod := func(name, node string) *v1.Pod {
		return &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name}, Spec: v1.PodSpec{NodeName: node}}
	}
	node := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}}
	before := &spec.Snapshot{Nodes: []*v1.Node{node}, Pods: []*v1.Pod{pod("pending", ""), pod("bound", "n")}}
	other := pod("pending", "n")
	tests := []struct {
		reason string
		action loop.Action
		want   string
	}{
		{
			"a pending pod that is deleted is gone",
			loop.Action{Verb: loop.Delete, Ref: loop.RefOf(before.Pods[0])},
			"n bound@n",
		},
		{
			"a bound one terminates for now",
			loop.Action{Verb: loop.Delete, Ref: loop.RefOf(before.Pods[1])},
			"n pending@ bound@n",
		},
		{"and is gone in the end", loop.Action{Verb: loop.Gone, Ref: loop.RefOf(before.Pods[1])}, "n pending@"},
		{"a completed one holds nothing", loop.Action{Verb: loop.Complete, Ref: loop.RefOf(before.Pods[1])}, "n pending@"},
		{"an update replaces", loop.Action{Verb: loop.Update, Ref: loop.RefOf(other), Object: other}, "n bound@n pending@n"},
		{"a node is no pod of its name", loop.Action{Verb: loop.Delete, Ref: loop.RefOf(node)}, "pending@ bound@n"},
		{"a new object comes", loop.Action{
			Verb: loop.Create, Ref: loop.Ref{Kind: "Node", Name: "m"},
			Object: &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: "m"}},
		}, "n m pending@ bound@n"},
	}
	for _, tt := range tests {
		var got []string
		after := loop.AfterEvent(before, tt.action)
		for _, node := range after.Nodes {
			got = append(got, node.Name)
		}
		for _, pod := range after.Pods {
			got = append(got, pod.Name+"@"+pod.Spec.NodeName)
		}
		if text := fmt.Sprint(got); text != "["+tt.want+"]" {
			t.Errorf("%s: %s, want %s", tt.reason, text, tt.want)
		}
	}
}

// TestDisturb: of a cluster in which the pod has a node an event is found by which it has none; of one in which it has
// none there is nothing to disturb.
func TestDisturb(t *testing.T) {
	scope, m := toyScope(), toyModel()
	pod := *scope.Templates.Pods[0]
	cluster := *scope.Initial[0]
	cluster.Pods = []*v1.Pod{&pod}
	for seed := range uint64(20) {
		draw := rand.New(rand.NewPCG(seed, 0))
		disturbed := loop.Disturb(m, scope, &cluster, "default/p", draw)
		if disturbed == nil {
			t.Fatalf("seed %d: no event takes the node away from the pod", seed)
		}
		if m.SchedulingEnabled(&pod, disturbed) || !m.SchedulingEnabled(&pod, &cluster) {
			t.Errorf("seed %d: the pod has a node still, or had none", seed)
		}
		if again := loop.Disturb(m, scope, disturbed, "default/p", draw); again != nil {
			t.Errorf("seed %d: a pod without a node is disturbed", seed)
		}
	}
}

// TestHelping: where a pod sleeps, an event that helps it is preferred to those among which it is drowned.
func TestHelping(t *testing.T) {
	scope := toyScope()
	for _, label := range "abcdefghijkl" { // of which no event helps
		scope.Templates.Nodes[0].Labels[string(label)] = "x"
	}
	without := scope.Templates.Nodes[0].DeepCopy()
	delete(without.Labels, "disk")
	cluster := *scope.Templates
	cluster.Nodes, cluster.Pods = []*v1.Node{without}, nil
	scope.Initial, scope.Arrivals, scope.Events = []*spec.Snapshot{&cluster}, 1, 1
	missed := func(simulate func() (*loop.Result, error)) int {
		result, err := simulate()
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(result.Findings, func(f loop.Finding) bool { return f.Property.Name == "wake-up" })
		if i < 0 {
			return 0
		}
		return int(result.Findings[i].Count)
	}
	deaf := subject(func(*toy) {}) // to labels: a run in which one helps shows it
	options := loop.SimulateOptions{Seed: 1, Walks: 60, Steps: 4, Workers: 1}
	plain := missed(func() (*loop.Result, error) { return loop.Simulate(t.Context(), scope, deaf, options) })
	led := missed(func() (*loop.Result, error) {
		return loop.Random(t.Context(), scope, deaf, loop.RandomOptions{
			SimulateOptions: options, Draw: func(int64) (*loop.Scope, error) { return scope, nil },
		})
	})
	if led < 2*plain || led == 0 {
		t.Errorf("of 60 runs an event helps in %d, and in %d of those that are drawn plainly", led, plain)
	}
}

// TestHelpingEnds: nothing is drawn of which nothing is asked, also where a pod waits to be taken.
func TestHelpingEnds(t *testing.T) {
	scope, m := toyScope(), toyModel()
	waits := loop.Queued{Pod: "default/p", Queues: []loop.QueueName{loop.Active}}
	state := &loop.State{API: scope.Initial[0], Queue: []loop.Queued{waits}}
	for _, over := range []bool{false, true} {
		if over {
			state.Kept = []string{"default/gone"}
		}
		took := false
		for seed := range uint64(20) {
			a, ok := loop.Helping(m, scope, rand.New(rand.NewPCG(seed, 0)))(state, loop.Used{})
			took = took || ok && a.Verb == loop.Schedule
		}
		if took == over {
			t.Errorf("over: %t; the pod is taken: %t", over, took)
		}
	}
}
