package reference

import (
	"context"

	"github.com/seed-a3f26817/modelcheck/checker"
)

// Check explores every state of the model. Its properties, Properties, are checked in each.
func Check(ctx context.Context, m *Model, o checker.Options) (*checker.Result, error) {
	return checker.Check(ctx, explored{m}, o)
}

// Simulate follows behaviours of the model at random, where there are too many states to explore.
func Simulate(ctx context.Context, m *Model, o checker.SimulateOptions) (*checker.Simulation, error) {
	return checker.Simulate(ctx, explored{m}, o)
}

// The labels of the states in which nothing can happen any more.
const (
	EndUnboundNone = "nobody is unbound"
	EndDeadlock    = "deadlock"
)

// explored is the model as the checker wants it.
type explored struct{ *Model }

// Worker returns a worker.
func (m explored) Worker() checker.Worker { return expander{m.NewWorker()} }

// ActionClasses names the classes of actions.
func (m explored) ActionClasses() []string { return ActionClasses() }

// ActionClass returns the class of an action.
func (m explored) ActionClass(action uint32) int { return int(m.ClassOf(action)) }

// End tells rest from deadlock.
func (m explored) End(state []byte) string {
	if m.Deadlock(state) {
		return EndDeadlock
	}
	return EndUnboundNone
}

type expander struct{ *Worker }

// Expand adds every step.
func (w expander) Expand(state []byte, out *checker.Steps) { w.Worker.Expand(state, out) }
