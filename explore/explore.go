// Package explore is a run: it joins the machine of each scenario, the spec, production and the properties, and lets
// the checker go through every state.
//
// In every state, every pending pod asks where it should go. Each distinct question goes to production once per run, over
// all scenarios; its answer is compared with the spec and with the properties of decisions then. From
// there the exploration follows every outcome that the spec allows and every one that production may take.
package explore

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// Decider takes decisions: production, or a stand-in for tests. It is used by one worker at a time, and its answer must
// depend on nothing but the question.
type Decider interface {
	Decide(q spec.Question) *spec.Decision
	Close() error
}

// Options say how to run. Spec and NewDecider are needed; the rest may be zero.
type Options struct {
	// Spec is the formal model that decisions are compared with.
	Spec *spec.Scheduler
	// NewDecider gives the deciders, one per worker.
	NewDecider func() (Decider, error)
	// Properties are checked; nil means invariants.All.
	Properties []invariants.Property
	// Workers is the number of workers; 0 means one per core.
	Workers int
	// MaxStates, MaxDepth and Memory bound each scenario; 0 means no bound. Memory is in bytes.
	MaxStates int64
	MaxDepth  int
	Memory    int64
	// Enough, if set, is told of every sort of finding when it first comes up, by ID and class, and ends the run by saying true,
	// as cancelling the context does: the finding that ends the run need not be in the result. It is called by one worker at a time.
	Enough func(id string, class Class) bool
	// Progress, if set, is called every ProgressEvery.
	Progress      func(Progress)
	ProgressEvery time.Duration
}

// Progress is how far a run has come.
type Progress struct {
	Scenario string
	// Number and Of: this is the Number-th scenario of Of.
	Number, Of int
	// Asked is the number of distinct questions that production answered, over all scenarios.
	Asked int64
	checker.Progress
}

// Run explores the scenarios one after the other. An error means that it could not check; broken properties, limits and a
// cancelled context are in the result.
func Run(ctx context.Context, scenarios []*model.Scenario, o Options) (*Result, error) {
	r, err := newRun(scenarios, o)
	if err != nil {
		return nil, err
	}
	defer r.close()
	ctx, r.notices.end = context.WithCancel(ctx)
	defer r.notices.end()
	result := &Result{Complete: true}
	for i := range r.machines {
		explored, err := r.explore(ctx, i)
		if err != nil {
			return nil, fmt.Errorf("scenario %s: %w", scenarios[i].Name, err)
		}
		result.add(explored)
		if ctx.Err() != nil {
			break
		}
	}
	for _, machine := range r.machines[len(result.Scenarios):] {
		result.Complete = false
		result.Scenarios = append(result.Scenarios, ScenarioResult{
			Scenario: machine.Scenario, Result: &checker.Result{Stopped: checker.Cancelled},
		})
	}
	return result, r.conclude(result)
}

// run is what the scenarios of a run share.
type run struct {
	options    Options
	machines   []*model.Machine
	decisions  *decisions
	deciders   []Decider
	properties []invariants.Property
	notices    notices
}

func newRun(scenarios []*model.Scenario, o Options) (*run, error) {
	r := &run{options: o, properties: o.Properties, notices: notices{enough: o.Enough, told: map[string]bool{}}}
	if r.properties == nil {
		r.properties = invariants.All()
	}
	if r.options.Workers == 0 {
		r.options.Workers = runtime.GOMAXPROCS(0)
	}
	catalog := model.NewCatalog()
	for _, s := range scenarios {
		machine, err := model.NewMachine(s, catalog)
		if err != nil {
			return nil, err
		}
		r.machines = append(r.machines, machine)
	}
	r.decisions = newDecisions(catalog, o.Spec, r.properties)
	r.decisions.notice = r.notices.tell
	for range r.options.Workers {
		decider, err := o.NewDecider()
		if err != nil {
			r.close()
			return nil, err
		}
		r.deciders = append(r.deciders, decider)
	}
	return r, nil
}

func (r *run) close() {
	var errs []error
	for _, decider := range r.deciders {
		errs = append(errs, decider.Close())
	}
	_ = errors.Join(errs...) // closing a plugin changes no result any more
}

// explore lets the checker go through one scenario.
func (r *run) explore(ctx context.Context, i int) (ScenarioResult, error) {
	m := &explored{run: r, machine: r.machines[i]}
	options := checker.Options{
		Workers:       r.options.Workers,
		MaxStates:     r.options.MaxStates,
		MaxDepth:      r.options.MaxDepth,
		Memory:        r.options.Memory,
		ProgressEvery: r.options.ProgressEvery,
	}
	if r.options.Progress != nil {
		options.Progress = func(p checker.Progress) {
			r.options.Progress(Progress{
				Scenario: m.machine.Scenario.Name, Number: i + 1, Of: len(r.machines), Asked: r.decisions.asked(), Progress: p,
			})
		}
	}
	result, err := checker.Check(ctx, m, options)
	return ScenarioResult{Scenario: m.machine.Scenario, Result: result, machine: m.machine}, err
}
