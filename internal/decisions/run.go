// Package decisions is the first of the three checks: every decision over every reachable state. It joins the machine
// of each scenario, the spec, production and the properties, and lets the checker go through every state.
//
// In every state it is asked where each pending pod should go. Each distinct question of a scenario goes to production
// once; the decision is compared then with the spec and checked against the properties of decisions. From there the
// exploration follows every outcome that the spec allows and every one that production may take.
//
// Start with Run in this file. explorer.go and worker.go go through the states, decisioncache.go takes each decision
// once, compare.go says what is wrong with it and explain.go which known defects explain that; conclude.go makes the
// findings, example.go and minimise.go their counterexamples, liveness.go finds what goes on for ever.
package decisions

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	k8sruntime "k8s.io/apimachinery/pkg/runtime"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/internal/patience"
	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// Decider takes decisions: production, or a stand-in for tests. It is used by one worker at a time, and its decision
// must depend on nothing but the question.
type Decider interface {
	Decide(q spec.Question) *spec.Decision
	Close() error
}

// Options say how to run. Spec and NewDecider are needed; the rest may be zero.
type Options struct {
	// Spec is the formal model that decisions are compared with.
	Spec *spec.Scheduler
	// NewDecider returns the deciders, one per worker.
	NewDecider func() (Decider, error)
	// Properties are checked; nil means invariants.All.
	Properties []invariants.Property
	// Workers is the number of workers; 0 means one per core.
	Workers int
	// MaxStates, MaxDepth and Memory bound each scenario; 0 means no bound. Memory is in bytes.
	MaxStates int64
	MaxDepth  int
	Memory    int64
	// Minimise makes examples smaller once the shortest ones are found. Valid reports whether an object that says
	// less can be in a cluster; nil means every one can.
	Minimise bool
	Valid    func(object k8sruntime.Object) bool
	// Chunks are what the scenarios are cut into, in their order: see Cut. Each is explored by itself, which makes
	// no difference to the result. If it is nil, every scenario is one.
	Chunks []Chunk
	// Kept, if set, keeps the results of chunks, and returns what is kept.
	Kept ChunkResults
	// KeptOnly leaves out the chunks that are not kept, instead of exploring them.
	KeptOnly bool
	// Enough, if set, is told of every sort of finding when it first comes up, by ID and whether it is new, and ends the
	// run by saying true, as cancelling the context does: the finding that ends the run need not be in the result. It is
	// called by one worker at a time.
	Enough func(id string, isNew bool) bool
	// Progress, if set, is called every ProgressEvery.
	Progress      func(Progress)
	ProgressEvery time.Duration
}

// ChunkResults keeps the results of a run's chunks, by the index of the chunk.
type ChunkResults interface {
	// Get returns the result that is kept; nil if there is none. One that valid finds fault with is an error.
	Get(chunk int, valid func(*ChunkResult) error) (*ChunkResult, error)
	// Put keeps the result of a chunk that was explored to the end or to a limit on states or levels.
	Put(chunk int, c *ChunkResult) error
}

// Progress is how far a run has come.
type Progress struct {
	// Chunk is the name of what is explored, a scenario or a chunk of one.
	Chunk string
	// Number and Of: all chunks but Number-1 of Of are still to be explored, or are being explored.
	Number, Of int
	// Asked is the number of distinct questions that went to production, over all chunks.
	Asked int64
	checker.Progress
}

// Run explores the scenarios. An error means that it could not check; broken properties, limits
// and a cancelled context are in the result.
func Run(ctx context.Context, scenarios []*model.Scenario, o Options) (*Result, error) {
	r, err := newRun(scenarios, o)
	if err != nil {
		return nil, err
	}
	defer r.close()
	until, end := patience.Extend(ctx, afterwards)
	defer end()
	r.until = until
	ctx, r.stopper.end = context.WithCancel(ctx)
	defer r.stopper.end()
	results := make([]*ChunkResult, len(r.chunks)) // nil for those that were not begun, or are left out
	err = r.chunkResults(ctx, indexes(len(results)), func(i int, c *ChunkResult) { results[i] = c })
	if err != nil {
		return nil, err
	}
	result := &Result{Complete: true}
	for i := range scenarios {
		explored, err := r.scenarioResult(ctx, i, results)
		if err != nil {
			return nil, fmt.Errorf("scenario %s: %w", scenarios[i].Name, err)
		}
		result.add(explored)
	}
	result.Hanging = r.status.hanging
	return result, r.conclude(ctx, result, slices.DeleteFunc(results, func(c *ChunkResult) bool { return c == nil }))
}

// run is what the scenarios of a run share.
type run struct {
	options    Options
	scenarios  []*model.Scenario
	chunks     []Chunk
	deciders   []Decider
	properties []invariants.Property
	stopper    stopper
	status     status
	// until lasts somewhat longer than the run's context: then the run has to end.
	until context.Context
	// explored has for each scenario what examples are made with, and loops are what these do for ever, if that is
	// asked.
	explored []*explorer
	loops    []*loops
}

func newRun(scenarios []*model.Scenario, o Options) (*run, error) {
	r := &run{
		options:    o,
		scenarios:  scenarios,
		properties: o.Properties,
		stopper:    stopper{enough: o.Enough, told: map[string]bool{}},
		until:      context.Background(),
	}
	if r.properties == nil {
		r.properties = invariants.All()
	}
	if r.options.Workers == 0 {
		r.options.Workers = runtime.GOMAXPROCS(0)
	}
	if r.chunks = o.Chunks; r.chunks == nil {
		r.chunks = Whole(scenarios)
	}
	for i := range scenarios {
		if _, err := model.NewMachine(scenarios[i], model.NewCatalog()); err != nil {
			return nil, err
		}
	}
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

// explorer returns a new explorer of a scenario, with an empty cache. The templates of the scenario have the same
// order in all.
func (r *run) explorer(i int) (*explorer, error) {
	catalog := model.NewCatalog()
	machine, err := model.NewMachine(r.scenarios[i], catalog)
	if err != nil {
		return nil, err
	}
	cache := newDecisionCache(catalog, r.options.Spec, r.properties, r.stopper.found)
	return &explorer{machine: machine, cache: cache, deciders: r.deciders}, nil
}

// scenarioResult joins the results of a scenario's chunks, and checks the properties of behaviours if every state
// was explored. It begins with an empty cache: decisions are taken again for examples and for loops.
func (r *run) scenarioResult(ctx context.Context, i int, results []*ChunkResult) (ScenarioResult, error) {
	x, err := r.explorer(i)
	if err != nil {
		return ScenarioResult{}, err
	}
	joined, err := r.joined(x, i, results)
	if err != nil {
		return joined, err
	}
	if len(behaviours(r.properties)) > 0 && joined.Complete && ctx.Err() == nil {
		if x, err = r.lookForLoops(ctx, i, x); err != nil {
			return joined, err
		}
	}
	r.explored = append(r.explored, x)
	return joined, nil
}

// lookForLoops looks for what goes on for ever in a scenario. It returns the explorer to go on with: another one if
// the context was cancelled meanwhile, as somebody may still be at work with that one.
func (r *run) lookForLoops(ctx context.Context, i int, x *explorer) (*explorer, error) {
	o := r.options
	options := checker.GraphOptions{Workers: o.Workers, MaxStates: o.MaxStates, Memory: o.Memory}
	var found *loops
	var failed error
	finished := patience.Do(r.until, func() {
		found, failed = newLivenessChecker(x.machine, x.cache, r.deciders, options).check(ctx)
	})
	switch {
	case !finished:
		found = &loops{result: LivenessResult{Scenario: x.machine.Scenario.Name, Stopped: checker.Cancelled}}
	case failed != nil:
		return nil, failed
	}
	r.loops = append(r.loops, found)
	if ctx.Err() == nil {
		return x, nil
	}
	r.leave(r.until)
	return r.explorer(i)
}

// joined joins the results of a scenario's chunks.
func (r *run) joined(x *explorer, scenario int, results []*ChunkResult) (ScenarioResult, error) {
	result := ScenarioResult{Scenario: x.machine.Scenario}
	var explored []*checker.Result
	for i := range r.chunks {
		if r.chunks[i].Scenario != scenario {
			continue
		}
		result.Chunks++
		if results[i] == nil {
			result.Missing++
			explored = append(explored, &checker.Result{Stopped: checker.Cancelled})
			continue
		}
		explored = append(explored, results[i].Explored)
	}
	if len(explored) == 1 {
		result.Result = explored[0]
		return result, nil
	}
	var err error
	result.Result, err = checker.Join(x, explored)
	return result, err
}
