package checker

import (
	"bytes"
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func simulate(t *testing.T, m Model, o SimulateOptions) *Simulation {
	t.Helper()
	s, err := Simulate(t.Context(), m, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSimulate: what behaviours find is there, with a trace that the model has, and is the same for any number of
// workers.
func TestSimulate(t *testing.T) {
	m := jugs()
	options := SimulateOptions{Seed: 7, Walks: 600, Depth: 60, Workers: 1}
	s := simulate(t, m, options)
	if !s.Complete || s.Walks != 600 || s.Steps != 600*60 || s.Longest != 60 || len(s.Findings) != 2 {
		t.Fatalf("complete %t, %d walks, %d steps, the longest %d, %d findings", s.Complete, s.Walks, s.Steps,
			s.Longest, len(s.Findings))
	}
	shortest := map[string]int{}
	for _, f := range check(t, m, Options{}).Findings {
		shortest[f.Key] = f.Depth
	}
	for _, f := range s.Findings {
		if f.Depth != shortest[f.Key] || f.Depth != len(f.Trace.Steps) || f.Count < 2 {
			t.Errorf("%s: depth %d, %d steps, in %d behaviours; the shortest trace of all has %d", f.Key, f.Depth,
				len(f.Trace.Steps), f.Count, shortest[f.Key])
		}
		state := f.Trace.Initial
		for _, step := range f.Trace.Steps {
			out := newSteps(2, 0, nil, nil, nil)
			out.enter(0, state)
			m.Expand(state, out)
			if i := out.leadingTo(step.State); i < 0 {
				t.Fatalf("%s: no step leads from %x to %x", f.Key, state, step.State)
			}
			state = step.State
		}
		if state[1] != 4 {
			t.Errorf("%s: the trace leads to %x", f.Key, state)
		}
	}
	for _, workers := range []int{2, 8} {
		options.Workers = workers
		if diff := cmp.Diff(s, simulate(t, m, options)); diff != "" {
			t.Errorf("%d workers (-one +several):\n%s", workers, diff)
		}
	}
	options.Seed = 8
	if other := simulate(t, m, options); cmp.Equal(s, other) {
		t.Error("another seed gives the same behaviours")
	}
}

// TestSimulateEnds: a behaviour ends where the model does, and says how.
func TestSimulateEnds(t *testing.T) {
	m := counter(9).labelled(func([]byte) string { return "counted" })
	s := simulate(t, m, SimulateOptions{Walks: 3, Depth: 100})
	if diff := cmp.Diff([]EndCount{{"counted", 3}}, s.Ends); diff != "" || s.Longest != 9 {
		t.Errorf("longest %d, ends (-want +got):\n%s", s.Longest, diff)
	}
	if s := simulate(t, m, SimulateOptions{Walks: 3, Depth: 5}); len(s.Ends) > 0 || s.Longest != 5 {
		t.Errorf("cut off at 5 steps: longest %d, ends %v", s.Longest, s.Ends)
	}
}

func TestSimulateStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s, err := Simulate(ctx, jugs(), SimulateOptions{Walks: 10, Depth: 10})
	if err != nil || s.Complete || s.Walks != 0 {
		t.Errorf("cancelled: error %v, %+v", err, s)
	}
	for reason, row := range map[string]struct {
		model   Model
		options SimulateOptions
	}{
		"no walks":         {jugs(), SimulateOptions{Depth: 1}},
		"no depth":         {jugs(), SimulateOptions{Walks: 1}},
		"no initial state": {toy{width: 1}, SimulateOptions{Walks: 1, Depth: 1}},
		"a state too short": {toy{width: 2, initial: [][]byte{bytes.Repeat([]byte{0}, 1)}},
			SimulateOptions{Walks: 1, Depth: 1}},
	} {
		if _, err := Simulate(t.Context(), row.model, row.options); err == nil {
			t.Errorf("%s: no error", reason)
		}
	}
}
