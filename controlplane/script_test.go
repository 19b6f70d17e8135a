package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/seed-a3f26817/modelcheck/controlplane/objects"
	"github.com/seed-a3f26817/modelcheck/internal/deviations"
)

// TestScripts: every deviation between decisions has a run, or says why it has none, and no run is without one.
func TestScripts(t *testing.T) {
	var names []string
	for _, entry := range deviations.LoopEntries() {
		name := entry.Defect.Name
		names = append(names, name+".yaml")
		s, err := readScript(root, name)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		if s.Unreachable+s.Untried != "" {
			continue
		}
		if s.Control == nil || s.Control.Says == "" {
			t.Errorf("%s has no control that says what differs", scriptFile(name))
			continue
		}
		if s.Control.signs != s.signs {
			t.Errorf("%s: its control is not looked at for its signs", scriptFile(name))
		}
		for _, s := range []*script{s, s.Control} {
			if s.Then == "" || s.Again != "" && s.Asked == "" {
				t.Errorf("%s does not say what is to be seen in the end", scriptFile(name))
			}
		}
		// Anew a pod would not be the one that a claim belongs to.
		owned := slices.ContainsFunc(s.Run, func(step scriptStep) bool {
			return len((&unstructured.Unstructured{Object: step.Create}).GetOwnerReferences()) > 0
		})
		logged := s.Logs != "" // then that shows it
		if strings.HasSuffix(s.Then, "stays pending") && !logged && (s.Asked == "" || s.Again == "" && !owned) {
			t.Errorf("%s: nothing shows that a pod which stays pending need not", scriptFile(name))
		}
	}
	files, err := filepath.Glob(filepath.Join(root, scriptFile("*")))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if !slices.Contains(names, filepath.Base(file)) {
			t.Errorf("%s is of no deviation", file)
		}
	}
}

// TestStepsSay: a step says what it does, a resize also to what.
func TestStepsSay(t *testing.T) {
	status := &slow{Operation: "UPDATE", Resource: "pods/status", Name: "p", Seconds: 5}
	const waits = "a webhook, for which kube-scheduler's update of pods/status p takes 5 s"
	if got := status.String(); got != waits {
		t.Errorf("it says %q, want %q", got, waits)
	}
	pod := objects.Object{"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": "p"}, "spec": "x"}
	for want, step := range map[string]scriptStep{
		"Pod default/p is created":                          {Create: pod},
		`Pod default/p is changed: {"spec":"x"}`:            {Change: pod},
		`Pod default/p is resized: {"spec":"x"}`:            {Resize: pod},
		"Pod default/p is deleted, and goes on terminating": {Delete: "Pod default/p"},
		"Node n is deleted":                                 {Delete: "Node n"},
		"another scheduler binds default/p to n":            {Bind: "default/p to n"},
		"default/p is bound to n":                           {Sees: "default/p is bound to n"},
		"it is logged: retrying":                            {Logged: "retrying"},
	} {
		if got := step.String(); got != want || step.fields() != 1 {
			t.Errorf("it says %q of %d fields, want %q", got, step.fields(), want)
		}
	}
}

// TestMissed: what the scheduler misses is something that happens, one thing a step.
func TestMissed(t *testing.T) {
	for _, row := range []struct {
		reason, step string
		good         bool
	}{
		{"a pod ends", "{end: Pod default/p}", true},
		{"it is asked what came of a pod, while nobody decides", "{sees: default/p is bound to n1}", false},
		{"two at once", "{end: Pod default/p, delete: Node n1}", false},
		{"its watches are broken as they are", "{missed: [{end: Pod default/p}]}", false},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, scriptFile("d"))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("run: [{missed: ["+row.step+"]}]\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := readScript(dir, "d")
		if (err == nil) != row.good {
			t.Errorf("%s: %v", row.reason, err)
		}
		if err == nil && s.Run[0].String() != "Pod default/p ends, while the scheduler's watches are broken" {
			t.Errorf("%s: it says %q", row.reason, s.Run[0])
		}
	}
}

// TestReplayJudged: a deviation between decisions is confirmed only if all that speaks for it is there.
func TestReplayJudged(t *testing.T) {
	for _, row := range []struct {
		reason string
		change func(*replayed)
		want   deviations.PlaneVerdict
	}{
		{"all is as it should be", func(*replayed) {}, deviations.Confirmed},
		{"the pod is woken", func(r *replayed) { r.shown.then = "bound" }, deviations.NotConfirmed},
		{"a step did not come about", func(r *replayed) { r.shown.lost = "bound" }, deviations.NotConfirmed},
		{"it would not fit", func(r *replayed) { r.shown.asked = "pending" }, deviations.NotConfirmed},
		{"it is not bound anew either", func(r *replayed) { r.shown.again = "pending" }, deviations.NotConfirmed},
		{"it is not logged", func(r *replayed) { r.script.Logs = "error" }, deviations.NotConfirmed},
		{"it is logged in the control, too", func(r *replayed) {
			r.script.Logs, r.shown.logged, r.control.logged = "error", "error", "error"
		}, deviations.NotConfirmed},
		{"it names what is there", func(r *replayed) { r.script.Dangles = "Pod spec.x" }, deviations.NotConfirmed},
		{"in the control it names what is not there, too", func(r *replayed) {
			r.script.Dangles, r.shown.dangles, r.control.dangles = "Pod spec.x", true, true
		}, deviations.NotConfirmed},
		{"both are bound, and one names what is not there", func(r *replayed) {
			r.script.Dangles, r.shown.dangles = "Pod spec.x", true
			r.control.then, r.control.script.Then = "pending", "pending"
		}, deviations.Confirmed},
		{"it has no such condition", func(r *replayed) { r.script.Condition = "PodScheduled=False x" },
			deviations.NotConfirmed},
		{"in the control it has the condition, too", func(r *replayed) {
			r.script.Condition, r.shown.conditioned, r.control.conditioned = "PodScheduled=False x", true, true
		}, deviations.NotConfirmed},
		{"it has the condition, in the control not", func(r *replayed) {
			r.script.Condition, r.shown.conditioned = "PodScheduled=False x", true
		}, deviations.Confirmed},
		{"in the control the pod is not woken either", func(r *replayed) { r.control.then = "pending" },
			deviations.NotConfirmed},
		{"the control wants the same", func(r *replayed) {
			r.control.then, r.control.script.Then = "pending", "pending"
		}, deviations.NotConclusive},
		{"there is no control", func(r *replayed) { r.control = nil }, deviations.NotConclusive},
		{"it cannot be forced", func(r *replayed) {
			r.script.Unreachable, r.shown, r.control = "too fast", nil, nil
		}, deviations.NotReproducible},
	} {
		s := &script{Then: "pending", Asked: "bound", Again: "bound", Control: &script{Says: "another", Then: "bound"}}
		r := &replayed{script: s, shown: &played{script: s, then: "pending", asked: "bound", again: "bound"},
			control: &played{script: s.Control, then: "bound"}}
		row.change(r)
		s.Control.signs = s.signs
		got, why := r.judged()
		if got != row.want || (why == "") != (got == deviations.Confirmed) {
			t.Errorf("%s: %s (%s), want %s", row.reason, got, why, row.want)
		}
		if text := r.transcript(); !strings.Contains(text, string(row.want)) {
			t.Errorf("%s: the transcript does not say that it is %s:\n%s", row.reason, row.want, text)
		}
	}
}
