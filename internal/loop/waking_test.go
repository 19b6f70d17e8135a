package loop_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
)

// TestWaking: each run begins with a pod that no node is feasible for, and one event later one is: those that can
// happen there, and those that undo one.
func TestWaking(t *testing.T) {
	m, templates := toyModel(), toyScope().Templates
	cordoned := templates.Nodes[0].DeepCopy()
	cordoned.Name, cordoned.Spec.Unschedulable = "cordoned", true
	templates.Nodes = append(templates.Nodes, cordoned)
	var told []string
	for _, scope := range loop.Waking(m, templates) {
		before := scope.Initial[0]
		if pod := before.Pods[len(before.Pods)-1]; len(m.Feasible(pod, before)) > 0 {
			t.Errorf("%s: a node is feasible before", scope.Doc)
		}
		told = append(told, scope.Doc)
	}
	for _, want := range []string{
		"default/p: Node cordoned: cordon: it is uncordoned",             // happens
		"default/p: Node n: cordon: it is cordoned, no longer",           // is undone
		"default/p: Node n: labels: it loses disk, no longer",            // is undone
		"default/p: Node n is created", "default/p: Node n-1 is created", // as it was, and another one
	} {
		if !slices.Contains(told, want) {
			t.Errorf("%q is not among\n%s", want, strings.Join(told, "\n"))
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
		for _, scope := range loop.Waking(toyModel(), toyScope().Templates) {
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
