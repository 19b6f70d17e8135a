package audit_test

import (
	"context"
	"testing"

	"github.com/seed-a3f26817/modelcheck/internal/audit"
)

// TestInterrupted: wherever the context ends, the result says in which phase, and has what was known before.
func TestInterrupted(t *testing.T) {
	s := cluster50()
	for phase, known := range map[string]func(*audit.Result) bool{
		"asking about pending pods":              func(r *audit.Result) bool { return len(r.Pending) < r.PendingPods },
		"checking the rules of bound pods":       func(r *audit.Result) bool { return len(r.Pending) == r.PendingPods },
		"asking where bound pods would go today": func(r *audit.Result) bool { return r.Bound.Checked > 0 },
		"following kube-scheduler":               func(r *audit.Result) bool { return len(r.WhatIf.Pending) > 0 },
	} {
		ctx, cancel := context.WithCancel(t.Context())
		o := optionsOf(t, s)
		if phase == "following kube-scheduler" {
			o.Changes = &audit.Changes{Drain: []string{s.Nodes[5].Name, s.Nodes[6].Name}, Recreate: true}
		}
		o.Progress = func(at string, _, _ int) {
			if at == phase {
				cancel()
			}
		}
		r, err := audit.Run(ctx, o)
		if err != nil {
			t.Fatal(err)
		}
		if r.Stopped != phase || !known(r) {
			t.Errorf("stopped in %q, want in %q: %d of %d pending, %d checked", r.Stopped, phase, len(r.Pending),
				r.PendingPods, r.Bound.Checked)
		}
		if phase != "following kube-scheduler" && len(r.Nodes) != len(s.Nodes) {
			t.Errorf("%s: %d nodes", phase, len(r.Nodes))
		}
		cancel()
	}
}
