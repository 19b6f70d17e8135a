package decisions

import (
	"context"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/model"
)

// Formal explores the formal model on its own, without kube-scheduler. Its properties, model.FormalProperties, are
// checked in every state.
func Formal(ctx context.Context, f *model.Formal, o checker.Options) (*checker.Result, error) {
	return checker.Check(ctx, formal{f}, o)
}

// SimulateFormal follows behaviours of the formal model at random, where there are too many states to explore.
func SimulateFormal(ctx context.Context, f *model.Formal, o checker.SimulateOptions) (*checker.Simulation, error) {
	return checker.Simulate(ctx, formal{f}, o)
}

// The labels of the end states of the formal model.
const (
	EndUnboundNone = "nobody is unbound"
	EndDeadlock    = "deadlock"
)

// formal is the formal model as the checker wants it.
type formal struct{ *model.Formal }

// Worker returns a worker.
func (m formal) Worker() checker.Worker { return formalWorker{m.NewWorker()} }

// ActionClasses names the classes of actions.
func (m formal) ActionClasses() []string { return model.FormalClasses() }

// ActionClass returns the class of an action.
func (m formal) ActionClass(action uint32) int { return int(m.ClassOf(action)) }

// End tells rest from deadlock.
func (m formal) End(state []byte) string {
	if m.Deadlock(state) {
		return EndDeadlock
	}
	return EndUnboundNone
}

type formalWorker struct{ *model.FormalWorker }

// Expand adds every step.
func (w formalWorker) Expand(state []byte, out *checker.Steps) { w.FormalWorker.Expand(state, out) }
