package main

import (
	"fmt"
	"math"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// What a run takes: 1.2 GB for 2.7 million states and the 0.8 million distinct decisions on the way (the built-in
// themes with 3 nodes and 5 pods). A tenth of it is states, which is the part that the checker can hold to a limit.
const (
	bytesPerState = 500
	statesShare   = 8
)

// effort is the number of questions per scenario after which an estimate is believed, and moreEffort the number
// after which one is that a scope does not fit. An estimate with little effort is too large, never by more than
// hopeless.
const (
	effort     = 1_000
	moreEffort = 10_000
	hopeless   = 1e6
)

// partStates is the number of states that parts of a theme are meant to have, if it can be cut so finely: about a
// second's work, so that little is lost when a run is ended, and large enough that to begin a part costs little.
const partStates = 20_000

// estimates returns about how many states each scenario has.
func (in *input) estimates(m *spec.Scheduler, effort int) ([]float64, error) {
	var states []float64
	for _, s := range in.scenarios {
		estimate, err := model.EstimateStates(s, m, effort)
		if err != nil {
			return nil, usageError{err}
		}
		states = append(states, estimate.States)
	}
	return states, nil
}

// cut cuts the scenarios into parts: always the same ones if results are kept, else one each. A limit on states is
// one for a scenario as a whole, and so it is left whole.
func (in *input) cut(m *spec.Scheduler, kept bool) error {
	if in.given != nil {
		if err := weighable(m, spec.Unbound(in.given), in.given, false); err != nil {
			return err
		}
	}
	effort, most := effort, math.Inf(1)
	if in.limited() && !kept {
		effort = 0 // only whether it can be explored at all
	}
	if kept && in.scope.MaxStates == 0 {
		most = partStates
	}
	var err error
	if in.states, err = in.estimates(m, effort); err != nil {
		return err
	}
	in.chunks = decisions.Cut(in.scenarios, in.states, most)
	return nil
}

// limited reports whether there is a limit on states or levels, which makes any scope fit.
func (in *input) limited() bool { return in.scope.MaxStates > 0 || in.scope.MaxDepth > 0 }

// fits refuses a scope with a part that clearly takes more memory than there is: more than twice as much by the
// estimate. What a part takes is free again when it is explored.
func (in *input) fits(m *spec.Scheduler, memory int64, chunks []int) error {
	if in.limited() {
		return nil
	}
	states := in.states
	for {
		var most float64
		var largest string
		for _, i := range chunks {
			chunk := &in.chunks[i]
			if n := chunk.States / in.states[chunk.Scenario] * states[chunk.Scenario]; n > most {
				most, largest = n, chunk.Name(in.scenarios)
			}
		}
		excess := most * bytesPerState / (2 * float64(memory))
		if excess <= 1 {
			return nil
		}
		if first := &states[0] == &in.states[0]; first && excess <= hopeless {
			var err error
			if states, err = in.estimates(m, moreEffort); err != nil {
				return err
			}
			continue
		}
		return usage("the scope is too large: in %s about %.1g states are expected, which take about %s of memory, "+
			"and %s may "+"be taken; "+"take fewer nodes, pods or themes, or start anyway with a larger --memory, or "+
			"with --max-states N to "+"see the first N states of each theme", largest, most, bytes(most*bytesPerState),
			bytes(float64(memory)))
	}
}

// bytes writes a number of bytes as a quantity of two digits or three: 1.2Ti.
func bytes(n float64) string {
	units := []string{"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"}
	unit := 0
	for n >= 1024 && unit < len(units)-1 {
		n, unit = n/1024, unit+1
	}
	return fmt.Sprintf("%.3g%s", n, units[unit])
}
