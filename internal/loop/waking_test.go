package loop_test

import (
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestWaking: each run begins with a pod that no node is feasible for, and one event later one is: those that can
// happen there, and those that undo one.
func TestWaking(t *testing.T) {
	m, templates := toyModel(), toyScope().Templates
	cordoned := templates.Nodes[0].DeepCopy()
	cordoned.Name, cordoned.Spec.Unschedulable = "cordoned", true
	templates.Nodes = append(templates.Nodes, cordoned)
	var told []string
	for _, scope := range loop.Waking(m, templates, nil) {
		before := scope.Initial[0]
		if pod := before.Pods[len(before.Pods)-1]; len(m.Feasible(pod, before)) > 0 {
			t.Errorf("%s: a node is feasible before", scope.Doc)
		}
		told = append(told, scope.Doc)
	}
	for _, want := range []string{
		"default/p: Node cordoned-1: cordon: it is uncordoned",   // happens
		"default/p: Node n-1: cordon: it is cordoned, no longer", // is undone
		"default/p: Node n-1: labels: it loses disk, no longer",  // is undone
		"default/p: Node n-1 is created",                         // as it was, and another one
	} {
		if !slices.Contains(told, want) {
			t.Errorf("%q is not among\n%s", want, strings.Join(told, "\n"))
		}
	}
}

// TestWakingNames: nodes are named as in single decisions, so what the templates say of one by its name holds of it;
// of one whose own name they have there is no second.
func TestWakingNames(t *testing.T) {
	for _, row := range []struct {
		pinned map[string]bool
		want   []string
	}{{nil, []string{"n-1", "n-2"}}, {map[string]bool{"n": true}, []string{"n"}}} {
		scopes := loop.Waking(toyModel(), toyScope().Templates, row.pinned)
		if len(scopes) == 0 {
			t.Errorf("pinned: %v: no runs", row.pinned)
		}
		for _, scope := range scopes {
			for _, node := range scope.Initial[0].Nodes {
				if !slices.Contains(row.want, node.Name) {
					t.Errorf("%s: there is a node %s, want %v", scope.Doc, node.Name, row.want)
				}
			}
		}
	}
}

// TestProtected: some objects are not removed while others need them.
func TestProtected(t *testing.T) {
	claim := &v1.ObjectReference{Namespace: "default", Name: "data"}
	volume := func(name string, phase v1.PersistentVolumePhase) *v1.PersistentVolume {
		return &v1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec: v1.PersistentVolumeSpec{ClaimRef: claim}, Status: v1.PersistentVolumeStatus{Phase: phase}}
	}
	cluster := &spec.Snapshot{
		Nodes:             []*v1.Node{{ObjectMeta: metav1.ObjectMeta{Name: "n-1"}}},
		PersistentVolumes: []*v1.PersistentVolume{volume("bound", v1.VolumeBound), volume("free", v1.VolumeAvailable)},
	}
	for _, row := range []struct {
		event     loop.Action
		protected bool
	}{
		{loop.Action{Verb: loop.Delete, Ref: loop.Ref{Kind: "PersistentVolume", Name: "bound"}}, true},
		{loop.Action{Verb: loop.Delete, Ref: loop.Ref{Kind: "PersistentVolume", Name: "free"}}, false},
		{loop.Action{Verb: loop.Update, Ref: loop.Ref{Kind: "PersistentVolume", Name: "bound"}}, false},
		{loop.Action{Verb: loop.Delete, Ref: loop.Ref{Kind: "CSINode", Name: "n-1"}}, true},
		{loop.Action{Verb: loop.Delete, Ref: loop.Ref{Kind: "CSINode", Name: "gone"}}, false}, // its node went before
		{loop.Action{Verb: loop.Create, Ref: loop.Ref{Kind: "CSINode", Name: "n-1"}}, false},
	} {
		if got := loop.Protected(cluster, row.event); got != row.protected {
			t.Errorf("%v: protected: %v, want %v", row.event, got, row.protected)
		}
	}
}

// TestWakingFinds: the runs find a scheduler whom only the removal of a cordon wakes, and nothing in one that
// everything wakes.
func TestWakingFinds(t *testing.T) {
	for _, insomniac := range []bool{false, true} {
		runs := loop.NewRuns(subject(func(toy *toy) {
			toy.insomniac = insomniac
			for _, pod := range toy.api.Pods {
				toy.queue = append(toy.queue, loop.Queued{Pod: loop.Key(pod), Queues: []loop.QueueName{loop.Active}})
			}
		}))
		lost := 0
		for _, scope := range loop.Waking(toyModel(), toyScope().Templates, nil) {
			if scope.Event.Verb != loop.Update { // the toy takes no others
				continue
			}
			breaches, err := runs.Waking(scope)
			if err != nil {
				t.Fatalf("%s: %v", scope.Doc, err)
			}
			lost += len(slices.DeleteFunc(breaches, func(b loop.Breach) bool { return b.Property.Name != "wake-up" }))
		}
		if (lost > 0) == insomniac {
			t.Errorf("everything wakes: %v, and %d lost wake-ups", insomniac, lost)
		}
	}
}
