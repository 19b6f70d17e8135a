package loop_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
)

// TestAllHints: results are summed up hint by hint, also where a profile lacks a plugin, or has one that the others
// lack.
func TestAllHints(t *testing.T) {
	hint := func(plugin, event string, sent, queued, skipped int64) loop.HintCount {
		return loop.HintCount{Hint: loop.Hint{Plugin: plugin, Event: event}, Sent: sent, Queued: queued, Skipped: skipped}
	}
	got := loop.AllHints([]*loop.Result{
		{Hints: []loop.HintCount{
			hint("A", "e", 1, 0, 1), hint("B", "e", 2, 1, 0), hint("B", "e", 3, 0, 2), hint("D", "f", 4, 4, 0),
		}},
		{Hints: []loop.HintCount{hint("B", "e", 10, 10, 0), hint("B", "e", 20, 0, 20), hint("C", "e", 1, 0, 0)}},
		{},
		{Hints: []loop.HintCount{hint("A", "e", 5, 5, 0), hint("D", "f", 6, 0, 6)}},
	})
	want := []loop.HintCount{
		hint("A", "e", 6, 5, 1), hint("B", "e", 12, 11, 0), hint("B", "e", 23, 0, 22), hint("C", "e", 1, 0, 0),
		hint("D", "f", 10, 4, 6),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !got[0].BothWays() || got[1].BothWays() {
		t.Error("the first answers both ways, the second does not skip")
	}
}
