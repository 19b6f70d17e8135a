package checker

import (
	"bytes"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// replay fails unless the trace is a behaviour of the model that ends as the finding says.
func replay(t rapid.TB, m Model, f Finding) {
	t.Helper()
	if len(f.Trace.Steps) != f.Depth {
		t.Fatalf("%s: depth %d, but %d steps", f.Key, f.Depth, len(f.Trace.Steps))
	}
	var initial bool
	m.Initial(func(state []byte) { initial = initial || bytes.Equal(state, f.Trace.Initial) })
	if !initial {
		t.Fatalf("%s: %x is no initial state", f.Key, f.Trace.Initial)
	}
	worker := m.Worker()
	state, out := f.Trace.Initial, (*Steps)(nil)
	expand := func() {
		out = newSteps(m.Width(), 0, nil, nil, nil)
		out.enter(0, state)
		worker.Expand(state, out)
	}
	for i, want := range f.Trace.Steps {
		expand()
		number := -1
		for i := range out.steps {
			if number < 0 && out.steps[i].action == want.Action && bytes.Equal(out.target(uint32(i)), want.State) {
				number = i
			}
		}
		if number < 0 || !bytes.Equal(out.target(uint32(number)), want.State) {
			t.Fatalf("%s: step %d, action %d to %x, is not possible in %x", f.Key, i+1, want.Action, want.State, state)
		}
		if i+1 < f.Depth || !f.OnStep {
			state = want.State
		}
	}
	expand()
	at := slices.IndexFunc(out.found, func(g found) bool { return g.key == f.Key && (g.step != OnState) == f.OnStep })
	if at < 0 {
		t.Fatalf("%s: not reported in %x", f.Key, state)
	}
	if f.OnStep {
		step := out.found[at].step
		if last := f.Trace.Steps[f.Depth-1]; out.steps[step].action != last.Action ||
			!bytes.Equal(out.target(uint32(step)), last.State) {
			t.Fatalf("%s: reported on another step of %x than %+v", f.Key, state, last)
		}
	}
}

func TestTracesReplay(t *testing.T) {
	for _, f := range check(t, jugs(), Options{}).Findings {
		replay(t, jugs(), f)
	}
	rapid.Check(t, func(t *rapid.T) {
		g := graphs(100).Draw(t, "graph")
		for _, f := range naive(g).Findings {
			replay(t, g, f)
		}
	})
}

// TestLongTrace finds the way to move a tower of Hanoi, which is unique and 2^n-1 steps long.
func TestLongTrace(t *testing.T) {
	const discs = 10
	m := hanoi(discs)
	moves := m.expand
	goal := []byte{0xaa, 0xaa, 0x0a, 0, 0, 0, 0, 0} // each disc on peg 2
	m.expand = func(s []byte, out *Steps) {
		moves(s, out)
		if bytes.Equal(s, goal) {
			out.Find("moved", OnState)
		}
	}
	found := check(t, m, Options{}).Findings
	if len(found) != 1 || found[0].Depth != 1<<discs-1 || found[0].Count != 1 {
		t.Fatalf("%d findings, %+v", len(found), found)
	}
	replay(t, m, found[0])
}
