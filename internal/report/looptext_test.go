package report_test

import (
	"strings"
	"testing"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/report"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestMostActions: a report that is not finished says where a state had too much that may happen, and what to do.
func TestMostActions(t *testing.T) {
	for _, row := range []struct {
		actions int
		says    bool
	}{{5012, true}, {500, true}, {499, false}, {0, false}} {
		run := &report.LoopRun{Spec: spec.New(spec.DefaultProfile()), Results: []*loop.Result{{
			Scope: &loop.Scope{Name: "cluster"}, Result: &checker.Result{Stopped: checker.Cancelled},
			MostActions: row.actions, Liveness: &loop.LivenessResult{Stopped: checker.Cancelled},
		}}}
		var text strings.Builder
		if err := report.LoopText(&text, run); err != nil {
			t.Fatal(err)
		}
		says := strings.Contains(text.String(), "actions may be taken: follow some runs at random")
		if says != row.says {
			t.Errorf("%d actions: it says so: %t, want %t\n%s", row.actions, says, row.says, text.String())
		}
	}
}
