package loop_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/internal/loop"
)

// TestInterruptedWhileItHangs: what was found is told when the scheduler hangs at the last action of all, with which
// the run of a finding is repeated or shrunk.
func TestInterruptedWhileItHangs(t *testing.T) {
	const wanted = "wake-up/new/Toy/Node labels"
	for name, run := range map[string]func(context.Context, loop.Subject) (*loop.Result, error){
		"explored": func(ctx context.Context, s loop.Subject) (*loop.Result, error) {
			return loop.Explore(ctx, toyScope(), s, checker.Options{Workers: 1})
		},
		"simulated": func(ctx context.Context, s loop.Subject) (*loop.Result, error) {
			return loop.Simulate(ctx, toyScope(), s, loop.SimulateOptions{Seed: 1, Walks: 200, Steps: 30, Workers: 1})
		},
	} {
		var all, taken atomic.Int64
		if _, err := run(t.Context(), subject(func(t *toy) { t.before = func() { all.Add(1) } })); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		ctx, interrupt := context.WithCancel(t.Context())
		release := make(chan struct{})
		begun := time.Now()
		result, err := run(ctx, subject(func(t *toy) {
			t.before = func() {
				if taken.Add(1) >= all.Load() {
					interrupt()
					<-release
				}
			}
		}))
		if took := time.Since(begun); err != nil || took > 10*time.Second {
			t.Fatalf("%s: %v after %v", name, err, took)
		}
		switch {
		case !result.Simulated && (len(result.Untold) != 1 || result.Untold[0].Key() != wanted):
			t.Errorf("%s: without a run there are %v, want %s", name, result.Untold, wanted)
		case result.Simulated && (len(result.Findings) != 1 || result.Findings[0].Key() != wanted ||
			!result.Findings[0].Unshrunk || len(result.Findings[0].Trace) == 0):
			t.Errorf("%s: found %v, want %s with its run, not shrunk", name, result.Findings, wanted)
		}
		close(release)
	}
}
