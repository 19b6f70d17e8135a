package model

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// explorer goes through all states of a machine, the plain way: decisions are those the spec allows.
type explorer struct {
	machine *Machine
	tables  *Tables
	builder *QuestionBuilder
	// from has for each state found the state before it and the action between; the empty string for initial states.
	from   map[string]string
	action map[string]uint32
	order  []string
	// after has for each state where its steps lead, those of decisions that change nothing left out.
	after map[string]map[string]bool
}

func explore(t *testing.T, s *Scenario) *explorer {
	t.Helper()
	m, scheduler := newMachine(t, s)
	e := &explorer{
		m,
		NewTables(m.Catalog, scheduler),
		m.NewQuestionBuilder(),
		map[string]string{},
		map[string]uint32{},
		nil,
		map[string]map[string]bool{},
	}
	m.Initial(func(state []byte) { e.add("", Action{}, string(state)) })
	for i := 0; i < len(e.order); i++ {
		e.expand(e.order[i])
	}
	return e
}

func (e *explorer) add(from string, action Action, state string) {
	if from != "" && (action.Class != Wait || from != state) {
		if e.after[from] == nil {
			e.after[from] = map[string]bool{}
		}
		e.after[from][state] = true
	}
	if _, known := e.from[state]; !known {
		e.from[state], e.action[state] = from, action.Pack()
		e.order = append(e.order, state)
	}
}

func (e *explorer) expand(state string) {
	now, next := &Arrangement{}, &Arrangement{}
	e.machine.Unpack([]byte(state), now)
	now.Environment(e.machine.Scenario, func(action Action) {
		next.CopyFrom(now)
		next.Act(e.machine.Scenario, action, 0)
		e.add(state, action, packed(e.machine, next))
	})
	for _, pending := range now.Next(e.machine.Scenario, nil) {
		for _, move := range e.machine.Scenario.Steps(pending, e.moves(now, pending)) {
			next.CopyFrom(now)
			next.Apply(e.machine.Scenario, pending, move)
			e.add(state, Action{Class: move.Class(), Pod: uint32(pending.Template), Node: pending.Node},
				packed(e.machine, next))
		}
	}
}

// moves returns what the spec allows the pending pod.
func (e *explorer) moves(a *Arrangement, pending PendingPod) []Move {
	e.builder.Enter(a)
	_, order := e.builder.Build(pending)
	order = slices.Clone(order)
	q := e.builder.Question(pending)
	evaluation := e.tables.Evaluate(q)
	var moves []Move
	for _, outcome := range evaluation.Expected.Outcomes {
		move, err := q.Move(outcome, evaluation.PodsOf)
		if err != nil {
			panic(err)
		}
		if move.Node >= 0 {
			move.Node = order[move.Node]
		}
		moves = append(moves, move)
	}
	return moves
}

// trace returns the states that lead to a state, and the actions between them.
func (e *explorer) trace(state string) (states [][]byte, actions []uint32) {
	for ; state != ""; state = e.from[state] {
		states, actions = append(states, []byte(state)), append(actions, e.action[state])
	}
	slices.Reverse(states)
	slices.Reverse(actions)
	return states, actions[1:]
}

// smallScenario has two nodes, two pod templates, one of which may preempt the other, and all actions.
func smallScenario(nodes ...int) *Scenario {
	node := func(cpus string) *v1.Node {
		return &v1.Node{Status: v1.NodeStatus{Allocatable: v1.ResourceList{
			v1.ResourceCPU: resource.MustParse(cpus), v1.ResourceMemory: resource.MustParse("4Gi"),
			v1.ResourcePods: resource.MustParse("110"),
		}}}
	}
	pod := func(cpus string, priority int32) *v1.Pod {
		return &v1.Pod{Spec: v1.PodSpec{Priority: &priority, Containers: []v1.Container{{
			Resources: v1.ResourceRequirements{Requests: v1.ResourceList{v1.ResourceCPU: resource.MustParse(cpus)}},
		}}}}
	}
	cluster := Cluster{}
	for _, template := range nodes {
		cluster.Nodes = append(cluster.Nodes, ClusterNode{Template: template})
	}
	return &Scenario{
		Name:    "small",
		Nodes:   []NodeTemplate{{Name: "small", Node: node("1")}, {Name: "large", Node: node("2")}},
		Pods:    []PodTemplate{{Name: "low", Pod: pod("1", 0)}, {Name: "high", Pod: pod("1", 10)}},
		Initial: []Cluster{cluster},
		Actions: Actions{Arrivals: 3, Completions: 1, Preempt: true, VictimGone: true},
	}
}

// TestWalk: a trace with names passes through the states it was made of, and in it nodes and pods keep their names.
func TestWalk(t *testing.T) {
	seen := map[Class]int{}
	for _, s := range environments() {
		testWalk(t, s, seen)
	}
	for class := range Classes() {
		if seen[Class(class)] == 0 && Class(class) != Wait {
			t.Errorf("no trace has a step %s", Class(class))
		}
	}
}

func testWalk(t *testing.T, s *Scenario, seen map[Class]int) {
	e := explore(t, s)
	for _, state := range e.order {
		states, actions := e.trace(state)
		stages, err := e.machine.Walk(states, actions, e.moves)
		if err != nil {
			t.Fatal(err)
		}
		if len(stages) != len(states) {
			t.Fatalf("%d stages for %d states", len(stages), len(states))
		}
		for i, stage := range stages {
			if got := packed(e.machine, stage.Arrangement()); got != string(states[i]) {
				t.Fatalf("stage %d is the state %x, want %x", i, got, states[i])
			}
			if (stage.Step == nil) != (i+1 == len(stages)) {
				t.Fatalf("stage %d of %d: step %v", i, len(stages), stage.Step)
			}
			if stage.Step != nil {
				seen[stage.Step.Class]++
				checkNames(t, stage, stages[i+1])
			}
		}
	}
}

// TestWalkNotRepeated: where nobody decides as before, the walk ends there, and says what was done with whom.
func TestWalkNotRepeated(t *testing.T) {
	ended := 0
	for _, s := range environments() {
		e := explore(t, s)
		for _, state := range e.order {
			states, actions := e.trace(state)
			ended += walkNotRepeated(t, e.machine, states, actions)
		}
	}
	if ended == 0 {
		t.Error("no trace has a decision")
	}
}

// walkNotRepeated returns 1 if the trace has a decision.
func walkNotRepeated(t *testing.T, m *Machine, states [][]byte, actions []uint32) int {
	t.Helper()
	nobody := func(*Arrangement, PendingPod) []Move { return nil }
	first := slices.IndexFunc(actions, func(a uint32) bool { return UnpackAction(a).Class.Decided() })
	stages, err := m.Walk(states, actions, nobody)
	differs, ok := errors.AsType[*NotRepeated](err)
	if ok != (first >= 0) {
		t.Fatalf("the first decision is step %d; the walk ends with %v", first+1, err)
	}
	if !ok {
		return 0
	}
	if len(stages) != first+1 || differs.Did != UnpackAction(actions[first]).Class.String() {
		t.Fatalf("the first decision is step %d; the walk ends after %d with %v", first+1, len(stages), err)
	}
	if q := stages[first].Question(m, differs.Pending); q.Pod == nil {
		t.Fatal("the question of the decision is not known")
	}
	return 1
}

// checkNames: what a step says happens to the pods it names, and to no other.
func checkNames(t *testing.T, before, after Stage) {
	t.Helper()
	step, want := before.Step, where(before.Cluster)
	name := ""
	if step.Pod != nil {
		name = step.Pod.Name
	}
	switch step.Class {
	case Arrive:
		want[name] = "pending"
	case Recreate:
		want[name] = "pending"
	case ByHand, Bind:
		want[name] = "running on " + step.Node.Name
	case Preempt:
		for other, at := range want {
			if other != name && at == "nominated to "+step.Node.Name &&
				priorityOf(before.Cluster, other) < spec.Priority(step.Pod) {
				want[other] = "pending"
			}
		}
		want[name] = "nominated to " + step.Node.Name
		for _, victim := range step.Victims {
			if want[victim.Name] == "running on "+step.Node.Name {
				want[victim.Name] = "preempted, terminating on " + step.Node.Name
			}
		}
	case Wait:
		if !step.Idle {
			want[name] = "pending"
		}
	case Delete:
		want[name] = "terminating on " + step.Node.Name
	case Gone, Complete:
		delete(want, name)
	}
	if diff := cmp.Diff(want, where(after.Cluster)); diff != "" {
		t.Fatalf("%s of %s (-want +got):\n%s", step.Class, name, diff)
	}
}

// where says of every pod where it is.
func where(s *spec.Snapshot) map[string]string {
	at := map[string]string{}
	for _, pod := range s.Pods {
		switch {
		case pod.Spec.NodeName == "" && pod.Status.NominatedNodeName == "":
			at[pod.Name] = "pending"
		case pod.Spec.NodeName == "":
			at[pod.Name] = "nominated to " + pod.Status.NominatedNodeName
		case pod.DeletionTimestamp == nil:
			at[pod.Name] = Running.String() + " on " + pod.Spec.NodeName
		case spec.TerminatingByPreemption(pod):
			at[pod.Name] = Preempted.String() + " on " + pod.Spec.NodeName
		default:
			at[pod.Name] = Terminating.String() + " on " + pod.Spec.NodeName
		}
	}
	return at
}

func priorityOf(s *spec.Snapshot, name string) int32 {
	i := slices.IndexFunc(s.Pods, func(pod *v1.Pod) bool { return pod.Name == name })
	return spec.Priority(s.Pods[i])
}
