package main

import (
	"fmt"

	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// What a run takes: 1.2 GB for 2.7 million states and the 0.8 million distinct decisions on the way (the built-in themes with 3
// nodes and 5 pods). A tenth of it is states, which is the part that the checker can hold to a limit.
const (
	bytesPerState = 500
	statesShare   = 8
)

// efforts are the numbers of questions per scenario after which an estimate is believed that a scope fits, or does not fit after all.
// An estimate with little effort is too large, never by more than hopeless.
func efforts() []int { return []int{1_000, 10_000} }

const hopeless = 1e6

// fits refuses a scope with a scenario that clearly takes more memory than there is: more than twice as much by the estimate. What a
// scenario takes is free again when it is explored. A limit on states or levels makes any scope fit.
func (in *input) fits(m *spec.Scheduler, memory int64) error {
	limited := in.scope.MaxStates > 0 || in.scope.MaxDepth > 0
	var most float64
	var largest string
	for _, effort := range efforts() {
		if limited {
			effort = 0 // only whether it can be explored at all
		}
		most = 0
		for _, s := range in.scenarios {
			estimate, err := model.EstimateStates(s, m, effort)
			if err != nil {
				return usageError{err}
			}
			if estimate.States > most {
				most, largest = estimate.States, s.Name
			}
		}
		excess := most * bytesPerState / (2 * float64(memory))
		if excess <= 1 || limited {
			return nil
		}
		if excess > hopeless {
			break
		}
	}
	return usage("the scope is too large: in %s about %.1g states are expected, which take about %s of memory, and %s may be taken; "+
		"take fewer nodes, pods or themes, or start anyway with a larger --memory, or with --max-states N to see the first N states of each theme",
		largest, most, bytes(most*bytesPerState), bytes(float64(memory)))
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
