package decisions

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// What a run takes: 1.2 GB for 2.7 million states and the 0.8 million distinct decisions on the way (the built-in
// themes with 3 nodes and 5 pods). A tenth of it is states, which is the part that the checker can hold to a limit.
const (
	bytesPerState = 500
	statesShare   = 8
)

// effort is the number of questions per scenario after which an estimate is believed, lessEffort the number after
// which one is that a scope fits, and moreEffort the number after which one is that it does not. An estimate with
// little effort is too large; one with effort never by more than hopeless.
const (
	lessEffort = 40
	effort     = 1_000
	moreEffort = 10_000
	hopeless   = 1e6
)

// estimates returns about how many states each scenario has.
func estimates(scenarios []*model.Scenario, m *spec.Scheduler, effort int) ([]float64, error) {
	states, errs, panics := make([]float64, len(scenarios)), make([]error, len(scenarios)), make([]any, len(scenarios))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, s := range scenarios {
		group.Go(func() error {
			defer func() { panics[i] = recover() }() // a predicate of a user's may: the caller is told
			estimate, err := model.EstimateStates(context.Background(), s, m, effort)
			states[i], errs[i] = estimate.States, err
			return nil
		})
	}
	_ = group.Wait() // it has no errors of its own
	if i := slices.IndexFunc(panics, func(p any) bool { return p != nil }); i >= 0 {
		panic(panics[i])
	}
	return states, cmp.Or(errs...)
}

// TooLargeError is that a scope clearly takes more memory than there is, so that it cannot be explored whole.
type TooLargeError struct {
	// Chunk is the name of what is expected to have so many States.
	Chunk  string
	States float64
	// Memory may be taken, in bytes.
	Memory int64
}

// Error does not say what to do about it: that is for whoever has the settings.
func (e *TooLargeError) Error() string {
	return fmt.Sprintf("the scope is too large: in %s about %.1g states are expected, which take about %s of memory, "+
		"and %s may be taken", e.Chunk, e.States, inBytes(e.States*bytesPerState), inBytes(float64(e.Memory)))
}

// inBytes writes a number of bytes as a quantity of two digits or three: 1.2Ti.
func inBytes(n float64) string {
	units := []string{"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"}
	unit := 0
	for n >= 1024 && unit < len(units)-1 {
		n, unit = n/1024, unit+1
	}
	return fmt.Sprintf("%.3g%s", n, units[unit])
}
