package decisions_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/model"
)

// several are scenarios of which none is a large part of the whole, so that workers explore them side by side.
func several(t *testing.T) ([]*model.Scenario, []decisions.Chunk) {
	t.Helper()
	var scenarios []*model.Scenario
	var states []float64
	for _, name := range []string{"budgets", "taints", "images", "zones", "two-victims", "least", "lists"} {
		scenarios, states = append(scenarios, theme(t, name, 2, everything(2))), append(states, 1000)
	}
	return scenarios, decisions.Cut(scenarios, states, 1e9)
}

// TestSideBySide: what workers find in chunks that they have for themselves is what one worker finds in all of them.
// They tell how far the run has come, and at no time more than one of them does.
func TestSideBySide(t *testing.T) {
	scenarios, chunks := several(t)
	o := kubeScheduler(t, production.Options{})
	o.Chunks = chunks
	want := run(t, o, scenarios...)
	for _, workers := range []int{2, 3} {
		o.Workers = workers
		var telling sync.Mutex
		most := 0
		o.Progress = func(p decisions.Progress) {
			if !telling.TryLock() {
				t.Error("two tell how far the run has come at once")
				return
			}
			defer telling.Unlock()
			if p.Number < most || p.Number > len(scenarios) || p.Of != len(scenarios) {
				t.Errorf("%d of %d after %d of %d", p.Number, p.Of, most, len(scenarios))
			}
			most = p.Number
		}
		o.ProgressEvery = 1
		if diff := cmp.Diff(want, run(t, o, scenarios...), sameResult...); diff != "" {
			t.Errorf("%d workers (-one +many):\n%s", workers, diff)
		}
		if most == 0 {
			t.Errorf("%d workers told nothing", workers)
		}
	}
}

// TestSideBySideMemory: a chunk for which a worker's part of the memory is too little gets all of it.
func TestSideBySideMemory(t *testing.T) {
	scenarios, chunks := several(t)
	o := kubeScheduler(t, production.Options{})
	o.Chunks = chunks
	o.Memory = 1 << 16
	want := run(t, o, scenarios...)
	if want.Complete {
		t.Fatalf("%d bytes are enough for all of them", o.Memory)
	}
	for !want.Complete {
		o.Memory *= 2
		want = run(t, o, scenarios...)
	}
	o.Workers = 2 // and half of what is just enough is too little
	if diff := cmp.Diff(want, run(t, o, scenarios...), sameResult...); diff != "" {
		t.Errorf("(-one worker and all memory +two and half of it each):\n%s", diff)
	}
}

// TestSideBySideFails: an error of one chunk ends the run, and so does a panic, which is passed on.
func TestSideBySideFails(t *testing.T) {
	scenarios, chunks := several(t)
	o := kubeScheduler(t, production.Options{})
	o.Chunks, o.Workers = chunks, 2
	full := errors.New("the disk is full")
	o.Kept = fullShelf{full}
	if _, err := decisions.Run(t.Context(), scenarios, o); !errors.Is(err, full) {
		t.Errorf("error %v, want %v", err, full)
	}
	o.Kept = nil
	o.Properties = []invariants.Property{{Name: "panics", Decision: func(*invariants.Case) (bool, []invariants.Breach) {
		panic("planted")
	}}}
	defer func() {
		if p, is := recover().(*checker.Panic); !is || p.Value != "planted" {
			t.Errorf("panic %v, want the one planted", p)
		}
	}()
	run(t, o, scenarios...)
}

// fullShelf can keep nothing.
type fullShelf struct{ err error }

func (fullShelf) Get(int, func(*decisions.ChunkResult) error) (*decisions.ChunkResult, error) {
	return nil, nil
}

func (s fullShelf) Put(int, *decisions.ChunkResult) error { return s.err }

// TestSideBySideEnds: once the context is cancelled, those that are at work end, and no other chunk is begun.
func TestSideBySideEnds(t *testing.T) {
	scenarios, chunks := several(t)
	o := kubeScheduler(t, production.Options{})
	o.Chunks, o.Workers = chunks, 2
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o.Progress, o.ProgressEvery = func(decisions.Progress) { cancel() }, 1
	result, err := decisions.Run(ctx, scenarios, o)
	if err != nil {
		t.Fatal(err)
	}
	missing := 0
	for _, s := range result.Scenarios {
		missing += s.Missing
	}
	if result.Complete || missing == 0 {
		t.Errorf("complete %v, %d of %d were not begun", result.Complete, missing, len(scenarios))
	}
}
