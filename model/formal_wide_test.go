package model

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"pgregory.net/rapid"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// rowOfNodes is a scenario of so many nodes and pods of two kinds each, all pods unbound. Nodes of the second kind are tainted, and pods of
// the second kind tolerate that and have the higher priority.
func rowOfNodes(nodes, pods [2]int) *Scenario {
	cpu := func(n int64) v1.ResourceList {
		return v1.ResourceList{v1.ResourceCPU: *resource.NewQuantity(n, resource.DecimalSI), v1.ResourcePods: resource.MustParse("110")}
	}
	s := &Scenario{Name: fmt.Sprint(nodes, pods)}
	var cluster Cluster
	for kind := range 2 {
		node := &v1.Node{Status: v1.NodeStatus{Allocatable: cpu(2)}}
		pod := &v1.Pod{Spec: v1.PodSpec{Containers: []v1.Container{{Resources: v1.ResourceRequirements{Requests: cpu(int64(1 + kind))}}}}}
		pod.Spec.Containers[0].Resources.Requests[v1.ResourcePods] = resource.Quantity{}
		priority := int32(kind)
		pod.Spec.Priority = &priority
		if kind == 1 {
			node.Spec.Taints = []v1.Taint{{Key: "gpu", Effect: v1.TaintEffectNoSchedule}}
			pod.Spec.Tolerations = []v1.Toleration{{Key: "gpu", Operator: v1.TolerationOpExists, Effect: v1.TaintEffectNoSchedule}}
		}
		s.Nodes = append(s.Nodes, NodeKind{Name: fmt.Sprintf("node%d", kind), Node: node})
		s.Pods = append(s.Pods, PodKind{Name: fmt.Sprintf("pod%d", kind), Pod: pod})
		for i := range nodes[kind] {
			cluster.Places = append(cluster.Places, ClusterNode{Kind: kind, ID: i + 1})
		}
		for i := range pods[kind] {
			cluster.Pending = append(cluster.Pending, ClusterPod{Kind: kind, ID: i + 1})
		}
	}
	s.Initial = []Cluster{cluster}
	return s
}

// steps takes steps as text.
type steps struct{ all []string }

func (s *steps) Add(action uint32, next []byte) int {
	s.all = append(s.all, fmt.Sprintf("%x %x", action, next))
	return len(s.all) - 1
}

func (s *steps) Find(string, int) {}

// TestFormalPaths: states of one word and of several, and facts from arrays and from maps, give the same steps.
func TestFormalPaths(t *testing.T) {
	for _, symmetry := range []bool{false, true} {
		f, err := NewFormal(rowOfNodes([2]int{2, 1}, [2]int{2, 2}), spec.NewReference(), FormalActions{Leave: true, Return: true}, symmetry)
		if err != nil {
			t.Fatal(err)
		}
		quick, plain := f.NewWorker(), f.NewWorker()
		if !quick.narrow || quick.direct == nil {
			t.Fatal("the scenario is too large to test the quick paths")
		}
		plain.narrow, plain.direct, plain.known = false, nil, []map[uint64]*formalFacts{{}, {}}
		var states []string
		known := map[string]bool{}
		add := func(state []byte) {
			if !known[string(state)] {
				known[string(state)] = true
				states = append(states, string(state))
			}
		}
		f.Initial(add)
		for i := 0; i < len(states); i++ {
			var want, got steps
			plain.Expand([]byte(states[i]), &want)
			quick.Expand([]byte(states[i]), &got)
			if diff := cmp.Diff(want.all, got.all); diff != "" {
				t.Fatalf("symmetry %t, steps from %v (-several words +one word):\n%s", symmetry, f.View([]byte(states[i])), diff)
			}
			for _, step := range want.all {
				var action uint32
				var next []byte
				if _, err := fmt.Sscanf(step, "%x %x", &action, &next); err != nil {
					t.Fatal(err)
				}
				add(next)
			}
		}
		if len(states) < 10 {
			t.Errorf("symmetry %t: only %d states", symmetry, len(states))
		}
	}
}

// TestFormalAllocates: once the tables are filled, expanding a state allocates nothing.
func TestFormalAllocatesNothing(t *testing.T) {
	f, err := NewFormal(rowOfNodes([2]int{9, 6}, [2]int{12, 8}), spec.NewReference(), FormalActions{Leave: true, Return: true}, true)
	if err != nil {
		t.Fatal(err)
	}
	w := f.NewWorker()
	f.Initial(func(state []byte) {
		out := discard{}
		if n := testing.AllocsPerRun(100, func() { w.Expand(state, out) }); n > 0 {
			t.Errorf("%v allocations", n)
		}
	})
}

type discard struct{}

func (discard) Add(uint32, []byte) int { return 0 }
func (discard) Find(string, int)       {}

// TestFormalErrors: what is not tabulated is refused.
func TestFormalErrors(t *testing.T) {
	wide := spec.DefaultProfile()
	for _, row := range []struct {
		reason   string
		scenario *Scenario
		model    *spec.Scheduler
		want     string
	}{
		{"a filter that looks across nodes", rowOfNodes([2]int{1, 0}, [2]int{1, 0}), spec.NewLiteral(wide),
			"scenario [1 0] [1 0]: filter InterPodAffinity looks across nodes, and the formal model is tabulated by node"},
		{"another reading", rowOfNodes([2]int{1, 0}, [2]int{1, 0}), spec.New(&spec.Profile{}),
			"scenario [1 0] [1 0]: preemption must be that of the literal reading, in which all sets of pods that help compete"},
		{"the empty set competes", rowOfNodes([2]int{1, 0}, [2]int{1, 0}), spec.NewLiteral(&spec.Profile{}),
			"scenario [1 0] [1 0]: preemption must be that of the literal reading, in which all sets of pods that help compete"},
		{"no cluster", &Scenario{Name: "none"}, spec.NewReference(),
			"scenario none has 0 initial clusters: the formal model begins with one"},
		{"too many pods without symmetry", rowOfNodes([2]int{1, 0}, [2]int{65, 0}), spec.NewReference(),
			"scenario [1 0] [65 0]: the pods on a node take 65 bits to tell apart, one for each pod without symmetry; at most 64 can be explored"},
	} {
		_, err := NewFormal(row.scenario, row.model, FormalActions{}, false)
		if err == nil || err.Error() != row.want {
			t.Errorf("%s: error is %v, want %s", row.reason, err, row.want)
		}
	}
}

// TestFormalCodec: a state holds its cells, whatever their width and number.
func TestFormalCodec(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := &Formal{cellBits: rapid.IntRange(1, 64).Draw(t, "bits")}
		f.initial = make([]uint64, rapid.IntRange(2, 20).Draw(t, "cells"))
		cells, got := make([]uint64, len(f.initial)), make([]uint64, len(f.initial))
		for i := range cells {
			cells[i] = rapid.Uint64Range(0, 1<<(f.cellBits-1)|(1<<(f.cellBits-1)-1)).Draw(t, "cell")
		}
		state := make([]byte, f.Width())
		f.pack(cells, state)
		f.unpack(state, got)
		if diff := cmp.Diff(cells, got); diff != "" {
			t.Fatalf("%d bits (-packed +unpacked):\n%s", f.cellBits, diff)
		}
	})
}
