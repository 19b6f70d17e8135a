package reference

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// reports takes what is reported in a state.
type reports struct{ keys []string }

func (*reports) Add(uint32, []byte) int      { return 0 }
func (r *reports) Find(key string, step int) { r.keys = append(r.keys, key) }

// TestProperties: what is wrong in the initial state is reported there.
func TestProperties(t *testing.T) {
	for _, row := range []struct {
		reason string
		bound  []model.ClusterPod // to the first node, which is not tainted, or
		gpu    []model.ClusterPod // to the second, which is
		want   []string
	}{
		{"all is well", []model.ClusterPod{{Template: 0}}, []model.ClusterPod{{Template: 1}}, nil},
		{"a node with 2 cpus, of which pods request 3", []model.ClusterPod{{Template: 0, ID: 1}, {Template: 1}}, nil,
			[]string{Capacity + " (cpu)"}},
		{"a pod that does not tolerate the taint", nil, []model.ClusterPod{{Template: 0}}, []string{Placement}},
		{"both", nil, []model.ClusterPod{{Template: 0}, {Template: 1}}, []string{Capacity + " (cpu)", Placement}},
	} {
		s := rowOfNodes([2]int{1, 1}, [2]int{0, 0})
		s.Initial[0].Nodes[0].Bound, s.Initial[0].Nodes[1].Bound = row.bound, row.gpu
		for _, symmetry := range []bool{false, true} {
			f, err := New(s, spec.NewReference(), Actions{}, symmetry)
			if err != nil {
				t.Fatal(err)
			}
			var got reports
			f.Initial(func(state []byte) { f.NewWorker().Expand(state, &got) })
			if diff := cmp.Diff(row.want, got.keys); diff != "" {
				t.Errorf("%s, symmetry %t (-want +got):\n%s", row.reason, symmetry, diff)
			}
		}
	}
}

// TestPlantedBug: with a filter that lets too much pass, the scheduler breaks a property by itself.
func TestPlantedBug(t *testing.T) {
	blind := spec.Filter{
		Plugin: "NodeResourcesFit",
		Holds:  func(*spec.Profile, *v1.Pod, *v1.Node, *spec.Snapshot) bool { return true },
	}
	m := spec.NewReference().With(spec.Quirk{Name: "planted", Plugin: blind.Plugin, Filter: &blind})
	f, err := New(rowOfNodes([2]int{1, 0}, [2]int{3, 0}), m, Actions{}, true)
	if err != nil {
		t.Fatal(err)
	}
	w := f.NewWorker()
	var keys []string
	f.Initial(func(state []byte) {
		for range 4 {
			var here reports
			w.Expand(state, &here)
			keys = append(keys, here.keys...)
			var next lastStep
			w.Expand(state, &next)
			if state = next.state; state == nil {
				break
			}
		}
	})
	if want := []string{Capacity + " (cpu)"}; !slices.Equal(keys, want) {
		t.Errorf("reported: %v, want %v", keys, want)
	}
}

// lastStep keeps the state that the last step leads to.
type lastStep struct{ state []byte }

func (l *lastStep) Add(_ uint32, next []byte) int { l.state = slices.Clone(next); return 0 }
func (*lastStep) Find(string, int)                {}

// TestGoals: a goal is a set of states by where pods are.
func TestGoals(t *testing.T) {
	for _, row := range []struct {
		reason, goal string
		want         bool
	}{
		{"all pods begin unbound", "pod0-1@unbound,pod1-1@unbound", true},
		{"blanks do not count", "pod0-1@unbound, pod1-1@unbound", true},
		{"one is not there yet", "pod0-1@unbound,pod1-1@node1-1", false},
		{"nobody has left", "pod0-1@left", false},
	} {
		f, err := New(rowOfNodes([2]int{1, 1}, [2]int{1, 1}), spec.NewReference(), Actions{}, false)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.AddGoal(row.goal); err != nil {
			t.Fatalf("%s: %v", row.reason, err)
		}
		var got reports
		f.Initial(func(state []byte) { f.NewWorker().Expand(state, &got) })
		if reached := slices.Contains(got.keys, GoalKey(row.goal)); reached != row.want {
			t.Errorf("%s: reached in the initial state: %t, want %t", row.reason, reached, row.want)
		}
	}
}
