package model

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestWalker: taken by their names, the steps of every trace lead where the machine's own steps lead.
func TestWalker(t *testing.T) {
	for name, s := range environments() {
		t.Run(name, func(t *testing.T) { testWalker(t, explore(t, s)) })
	}
}

func testWalker(t *testing.T, e *explorer) {
	for _, state := range e.order {
		states, actions := e.trace(state)
		stages, err := e.machine.Walk(states, actions, e.moves)
		if err != nil {
			t.Fatal(err)
		}
		w := e.machine.NewWalker()
		for i, stage := range stages {
			if diff := cmp.Diff(stage.Cluster, w.Stage().Cluster,
				cmpopts.IgnoreUnexported(spec.Snapshot{})); diff != "" {
				t.Fatalf("state %d of %d (-trace +walker):\n%s", i, len(stages), diff)
			}
			if stage.Step == nil {
				break
			}
			taken, err := w.Take(stage.Step)
			if err != nil {
				t.Fatalf("step %d, %s: %v", i, stage.Step.Class, err)
			}
			if got := packed(e.machine, taken.After); got != string(states[i+1]) {
				t.Fatalf("step %d leads to %x, want %x", i, got, states[i+1])
			}
		}
	}
}

// TestNotEnabled: a step that cannot happen is refused, with the reason, and changes nothing.
func TestNotEnabled(t *testing.T) {
	s := smallScenario(0)
	s.Actions = Actions{Arrivals: 1}
	m, _ := newMachine(t, s)
	pod := func(name string) *v1.Pod { p := &v1.Pod{}; p.Name = name; return p }
	node := func(name string) *v1.Node { n := &v1.Node{}; n.Name = name; return n }
	for _, row := range []struct {
		reason string
		step   NamedStep
		want   string
	}{
		{"nobody of that name arrives next", NamedStep{Class: Arrive, Pod: pod("low-2")},
			"no pod /low-2 can arrive next"},
		{"placements are not among the actions", NamedStep{Class: ByHand, Pod: pod("low-1"), Node: node("small-1")},
			`no "bind by hand" left`},
		{"nobody is terminating", NamedStep{Class: Gone, Pod: pod("low-1")}, `no "gone" left`},
		{"who has not arrived does not ask", NamedStep{Class: Bind, Pod: pod("high-1"), Node: node("small-1")},
			"pod /high-1 is not pending"},
		{"a node that is not there", NamedStep{Class: Bind, Pod: pod("low-1"), Node: node("large-1")},
			"there is no node large-1"},
		{"no node at all", NamedStep{Class: Bind, Pod: pod("low-1")}, "names no node"},
		{"a victim that is not on the node", NamedStep{Class: Preempt, Pod: pod("low-1"), Node: node("small-1"),
			Victims: []*v1.Pod{pod("high-1")}}, "victim /high-1 is not on small-1"},
		{"preemptions are not carried out", NamedStep{Class: Preempt, Pod: pod("low-1"), Node: node("small-1")},
			"not carried out"},
		{"budgets are not refreshed", NamedStep{Class: Refresh, Budget: &policyv1.PodDisruptionBudget{}},
			`no "refresh budget" left`},
		{"nodes do not change", NamedStep{Class: Cordon, Node: node("small-1")}, `no "cordon" left`},
		{"no controller creates pods", NamedStep{Class: Recreate, Pod: pod("low-1")}, `no "recreate" left`},
		{"there is no nomination to clear", NamedStep{Class: Wait, Pod: pod("low-1")}, "holds no nomination"},
	} {
		w := m.NewWalker()
		if row.step.Class.Decided() {
			if _, err := w.Take(&NamedStep{Class: Arrive, Pod: pod("low-1")}); err != nil {
				t.Fatal(err)
			}
		}
		before := w.Stage().Cluster
		if _, err := w.Take(&row.step); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: the error is %v, want %s", row.reason, err, row.want)
		}
		if diff := cmp.Diff(before.Pods, w.Stage().Cluster.Pods); diff != "" {
			t.Errorf("%s: the refused step changed (-before +after):\n%s", row.reason, diff)
		}
	}
}
