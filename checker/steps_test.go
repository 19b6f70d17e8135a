package checker

import "testing"

// TestNothingIsAllocatedPerStep counts allocations of a whole run: pages, tables, buffers and goroutines, but none
// for each step or state.
func TestNothingIsAllocatedPerStep(t *testing.T) {
	m := slidingPuzzle()
	moves := m.expand
	m.expand = func(s []byte, out *Steps) {
		moves(s, out)
		out.Find("always", OnState)
		out.Count(3, 1)
	}
	var result *Result
	allocations := testing.AllocsPerRun(1, func() { result = check(t, m, Options{Workers: 1}) })
	if perState := allocations / float64(result.Distinct); perState > 0.05 {
		t.Errorf("%.0f allocations for %d states and %d steps: %.3f a state", allocations, result.Distinct,
			result.Generated, perState)
	}
}

// TestStepsAreAddedWithoutAllocation fills a buffer that has been filled before.
func TestStepsAreAddedWithoutAllocation(t *testing.T) {
	out := newSteps(8, 0, nil, func([]byte) string { return "" }, nil)
	states := make([][]byte, 100)
	for i := range states {
		states[i] = []byte{byte(i), 1, 2, 3, 4, 5, 6, 7}
	}
	fill := func() {
		out.reset()
		for _, from := range states {
			out.enter(0, from)
			for _, next := range states {
				out.Find("p", out.Add(1, next))
				out.Count(2, 1)
			}
			out.leave()
		}
		out.finish()
	}
	if n := testing.AllocsPerRun(10, fill); n != 0 {
		t.Errorf("%.0f allocations, want none", n)
	}
	if len(out.steps) != 10000 || out.found[0].count != 10000 || out.counters[2] != 10000 {
		t.Errorf("%d steps, %d findings, counters %v: want 10000 of each", len(out.steps), out.found[0].count,
			out.counters)
	}
}
