package lanes_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/internal/lanes"
)

// TestDo: each job is done once, by some lane, no lane does two at a time, and lanes work at the same time.
func TestDo(t *testing.T) {
	const n, width = 100, 3
	var mu sync.Mutex
	var done []int
	busy := make([]sync.Mutex, width)
	var together sync.WaitGroup
	together.Add(width)
	err := lanes.Do(t.Context(), width, n, func(_ context.Context, lane, i int) error {
		if !busy[lane].TryLock() {
			t.Errorf("lane %d does two jobs at a time", lane)
		}
		defer busy[lane].Unlock()
		if i < width { // the first of each lane wait for each other
			together.Done()
			together.Wait()
		}
		mu.Lock()
		defer mu.Unlock()
		done = append(done, i)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(done)
	if len(slices.Compact(slices.Clone(done))) != n || len(done) != n || done[0] != 0 || done[n-1] != n-1 {
		t.Errorf("done are %v, want 0 to %d once each", done, n-1)
	}
}

// TestDoEnds: after an error, a panic or the end of the context no other job is begun; of several errors it gives that
// of the first job.
func TestDoEnds(t *testing.T) {
	first, second := errors.New("first"), errors.New("second")
	begun := 0
	err := lanes.Do(t.Context(), 1, 10, func(_ context.Context, _, i int) error {
		begun++
		return map[int]error{3: first, 4: second}[i]
	})
	if !errors.Is(err, first) || begun != 4 {
		t.Errorf("error %v after %d jobs, want %v after 4", err, begun, first)
	}

	both := make(chan bool)
	err = lanes.Do(t.Context(), 2, 2, func(_ context.Context, _, i int) error {
		if i == 0 {
			<-both // the second fails before the first
			return first
		}
		defer close(both)
		return second
	})
	if !errors.Is(err, first) {
		t.Errorf("error %v, want that of the first job", err)
	}

	ctx, cancel := context.WithCancel(t.Context())
	begun = 0
	if err := lanes.Do(ctx, 1, 10, func(ctx context.Context, _, _ int) error {
		begun++
		cancel()
		if ctx.Err() == nil {
			t.Error("the job is not told that the context is cancelled")
		}
		return nil
	}); err != nil || begun != 1 {
		t.Errorf("error %v after %d jobs, want none after 1", err, begun)
	}

	defer func() {
		if p, is := recover().(*checker.Panic); !is || p.Value != "planted" {
			t.Errorf("panic %v, want the one planted", p)
		}
	}()
	_ = lanes.Do(t.Context(), 2, 10, func(context.Context, int, int) error { panic("planted") })
}
