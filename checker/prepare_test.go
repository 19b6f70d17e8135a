package checker

import (
	"bytes"
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// foretold is a model whose workers are told what they expand next.
type foretold struct {
	Model
	t     *testing.T
	ended bool
	told  *atomic.Int64
}

func (m foretold) Worker() Worker { return &foretoldWorker{Worker: m.Model.Worker(), foretold: m} }

type foretoldWorker struct {
	Worker
	foretold
	next [][]byte
}

func (w *foretoldWorker) Prepare(ctx context.Context, states [][]byte) {
	if ended := ctx.Err() != nil; ended != w.ended || len(w.next) > 0 || len(states) == 0 ||
		len(states) > preparedStates {
		w.t.Errorf("%d states are told, the run has ended: %t; of those before, %d are left", len(states), ended,
			len(w.next))
	}
	for _, state := range states {
		w.next = append(w.next, bytes.Clone(state))
	}
	w.told.Add(int64(len(states)))
}

func (w *foretoldWorker) Expand(state []byte, out *Steps) {
	if len(w.next) > 0 { // else it is one of a trace
		if !bytes.Equal(w.next[0], state) {
			w.t.Errorf("%x is expanded, %x is what was told", state, w.next[0])
		}
		w.next = w.next[1:]
	}
	w.Worker.Expand(state, out)
}

// TestPrepare: each state is told once before it is expanded, in order, wherever it is held, and what is found is
// the same.
func TestPrepare(t *testing.T) {
	for name, m := range map[string]Model{"narrow": hanoi(8), "wide": slidingPuzzle(), "traces": jugs().toy} {
		want := check(t, m, Options{MaxDepth: 17})
		for _, workers := range []int{1, 3} {
			for _, memory := range []int64{0, 100 << 10} {
				o := Options{MaxDepth: 17, Workers: workers, Memory: memory}
				if memory > 0 {
					o.Checkpoint = &Checkpoint{Dir: t.TempDir(), Every: time.Hour, open: failing(always)}
				}
				var told atomic.Int64
				got := check(t, foretold{Model: m, t: t, told: &told}, o)
				if diff := cmp.Diff(want, got, whereItWas); diff != "" {
					t.Errorf("%s, %d workers, %d bytes (-not told +told):\n%s", name, workers, memory, diff)
				}
				if expanded := got.Distinct - got.Queue; told.Load() != expanded {
					t.Errorf("%s, %d workers, %d bytes: %d states are told, %d expanded", name, workers, memory,
						told.Load(), expanded)
				}
				if onDisk := got.DiskShards > 0; onDisk != (memory > 0 && want.Bytes > memory) {
					t.Errorf("%s takes %d bytes, of %d; on disk: %t", name, want.Bytes, memory, onDisk)
				}
			}
		}
	}
}
