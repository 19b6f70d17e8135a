package decisions

import (
	"testing"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestNotRepeated: findings whose traces no longer lead on are one new finding together, which fails the run.
func TestNotRepeated(t *testing.T) {
	result := &Result{}
	for _, reason := range []string{"first", "second"} {
		result.notRepeated(Finding{Class: Reported, Example: Example{Reasons: []string{reason}}})
	}
	if len(result.Findings) != 1 {
		t.Fatalf("%d findings, want one", len(result.Findings))
	}
	f := result.Findings[0]
	if f.ID != "repeatable/new" || f.Count != 2 || f.Example.Reasons[0] != "first" || !f.Fails(nil) {
		t.Errorf("finding %s of class %s, seen %d times: %v", f.ID, f.Class, f.Count, f.Example.Reasons)
	}
}

// TestRepeatable: both answers are told.
func TestRepeatable(t *testing.T) {
	nominated := &v1.Pod{Status: v1.PodStatus{NominatedNodeName: "n"}}
	wait := &spec.Decision{Outcomes: []spec.Outcome{{Type: spec.Wait, Node: -1}}}
	keeps := &spec.Decision{Outcomes: []spec.Outcome{{Type: spec.Wait, Node: -1, KeepsNomination: true}}}
	for _, row := range []struct {
		reason string
		again  *spec.Decision
		want   string
	}{
		{"the same answer", wait, ""},
		{"another", keeps, "kube-scheduler may leave the pod pending and clear its nomination; asked again, it may " +
			"leave the pod pending with its nomination"},
	} {
		c := &invariants.Case{Question: spec.Question{Pod: nominated, Snapshot: &spec.Snapshot{}}, Decision: wait,
			Again: func(spec.Question) *spec.Decision { return row.again }}
		got := ""
		if _, breaches := invariants.Repeatable().Decision(c); len(breaches) > 0 {
			got = breaches[0].Reason
		}
		if got != row.want {
			t.Errorf("%s: %q, want %q", row.reason, got, row.want)
		}
	}
}
