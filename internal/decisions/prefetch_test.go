package decisions

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// told is an explorer whose workers are told in another way what they expand next.
type told struct {
	*explorer
	tell func(w *worker, ctx context.Context, states [][]byte)
}

func (m told) Worker() checker.Worker { return toldWorker{m.explorer.Worker().(*worker), m.tell} }

type toldWorker struct {
	*worker
	tell func(w *worker, ctx context.Context, states [][]byte)
}

func (w toldWorker) Prepare(ctx context.Context, states [][]byte) { w.tell(w.worker, ctx, states) }

// once counts the questions that it is asked.
type once struct {
	Decider
	asked *atomic.Int64
}

func (d once) Decide(q spec.Question) *spec.Decision {
	d.asked.Add(1)
	return d.Decider.Decide(q)
}

// TestPrefetch: what a worker is told of the states it expands next changes nothing, true or false, and each
// question is asked once.
func TestPrefetch(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	explore := func(workers int, tell func(w *worker, ctx context.Context, states [][]byte)) (*checker.Result,
		*ChunkResult) {
		s, o := guided(t, model.Actions{Arrivals: 3, Completions: 1, Preempt: true, VictimGone: true})
		var asked atomic.Int64
		honest := o.NewDecider
		o.Workers, o.NewDecider = workers, func() (Decider, error) {
			decider, err := honest()
			return once{decider, &asked}, err
		}
		x := explorerOf(t, s, o)
		explored, err := checker.Check(t.Context(), told{x, tell}, checker.Options{Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		result := &ChunkResult{Explored: explored}
		x.cache.fill(result)
		if asked.Load() != int64(result.Distinct()) || result.Distinct() == 0 {
			t.Errorf("%d questions were asked, %d are distinct", asked.Load(), result.Distinct())
		}
		return explored, result
	}
	_, want := explore(1, func(*worker, context.Context, [][]byte) {})
	for reason, tell := range map[string]func(w *worker, ctx context.Context, states [][]byte){
		"it is told": (*worker).Prepare,
		"it is told when the run has ended": func(w *worker, _ context.Context,
			states [][]byte) {
			w.Prepare(ended, states)
		},
		"it is told of one state in two": func(w *worker, ctx context.Context,
			states [][]byte) {
			w.Prepare(ctx, states[len(states)/2:])
		},
		"it is told of them in another order": func(w *worker, ctx context.Context, states [][]byte) {
			states = slices.Clone(states)
			slices.Reverse(states)
			w.Prepare(ctx, states)
		},
	} {
		for _, workers := range []int{1, 3} {
			_, got := explore(workers, tell)
			if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(ChunkResult{}, "Facts", "Tried"),
				cmpopts.IgnoreFields(checker.Result{}, "Bytes")); diff != "" {
				t.Errorf("%s, with %d workers (-not told +told):\n%s", reason, workers, diff)
			}
		}
	}
}

// TestPrefetchEnds: once the run has ended, no more questions are asked.
func TestPrefetchEnds(t *testing.T) {
	s, o := guided(t, model.Actions{Arrivals: 4, Preempt: true, VictimGone: true})
	ctx, cancel := context.WithCancel(t.Context())
	var asked atomic.Int64
	honest := o.NewDecider
	o.NewDecider = func() (Decider, error) {
		decider, err := honest()
		return ending{once{decider, &asked}, &asked, cancel}, err
	}
	result, err := Run(ctx, []*model.Scenario{s}, o)
	if err != nil {
		t.Fatal(err)
	}
	if result.Complete || asked.Load() != 100 {
		t.Errorf("complete: %t; %d questions were asked, and the run ended with the hundredth", result.Complete,
			asked.Load())
	}
}

// ending ends the run with the hundredth question.
type ending struct {
	Decider
	asked *atomic.Int64
	end   func()
}

func (d ending) Decide(q spec.Question) *spec.Decision {
	if d.asked.Load() == 99 {
		d.end()
	}
	return d.Decider.Decide(q)
}

// TestPrefetchPanics: a property that panics leaves no entry locked, for which others would wait for ever, and
// the panic is passed on.
func TestPrefetchPanics(t *testing.T) {
	s, o := guided(t, model.Actions{Arrivals: 4, Preempt: true, VictimGone: true})
	asked := 0
	o.Properties = []invariants.Property{{Name: "panics", Decision: func(*invariants.Case) (bool, []invariants.Breach) {
		if asked++; asked == 100 {
			panic("the hundredth")
		}
		return true, nil
	}}}
	x := explorerOf(t, s, o)
	left := 0
	tell := func(w *worker, ctx context.Context, states [][]byte) {
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			for i := range w.prefetch.questions {
				entry := w.prefetch.questions[i].entry
				if entry.settled.Load() {
					continue
				}
				left++
				if !entry.mu.TryLock() {
					t.Errorf("question %d is locked", i)
					continue
				}
				entry.mu.Unlock()
			}
			panic(p)
		}()
		w.Prepare(ctx, states)
	}
	defer func() {
		if p, is := recover().(*checker.Panic); !is || p.Value != "the hundredth" || left < 2 {
			t.Errorf("the panic is %v, and %d questions are left", p, left)
		}
	}()
	result, err := checker.Check(t.Context(), told{x, tell}, checker.Options{Workers: 1})
	t.Errorf("no panic, but %v, error %v", result, err)
}
