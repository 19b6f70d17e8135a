// Package explore is a run: it joins the machine of each scenario, the spec, production and the properties, and lets
// the checker go through every state.
//
// In every state, every pending pod asks where it should go. Each distinct question of a scenario goes to
// production once; its answer is compared with the spec and with the properties of decisions then. From there the
// exploration follows every outcome that the spec allows and every one that production may take.
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
	// Kept, if set, keeps what parts are found to have, and gives what is kept.
	Kept ChunkResults
	// KeptOnly leaves out the parts that are not kept, instead of exploring them.
	KeptOnly bool
	// Enough, if set, is told of every sort of finding when it first comes up, by ID and class, and ends the run by
	// saying true, as cancelling the context does: the finding that ends the run need not be in the result. It is
	// called by one worker at a time.
	Enough func(id string, class Class) bool
	// Progress, if set, is called every ProgressEvery.
	Progress      func(Progress)
	ProgressEvery time.Duration
}

// ChunkResults keeps the pieces of a run, by the index of the part.
type ChunkResults interface {
	// Get returns the piece that is kept; nil if there is none. One that valid finds fault with is an error.
	Get(chunk int, valid func(*ChunkResult) error) (*ChunkResult, error)
	// Put is given every piece that was explored to the end or to a limit on states or levels.
	Put(chunk int, p *ChunkResult) error
}

// Progress is how far a run has come.
type Progress struct {
	// Chunk is the name of what is explored, a scenario or a part of one.
	Chunk string
	// Number and Of: this is the Number-th part of Of.
	Number, Of int
	// Asked is the number of distinct questions that production answered, over all parts.
	Asked int64
	checker.Progress
}

// Run explores the scenarios one after the other. An error means that it could not check; broken properties, limits
// and a cancelled context are in the result.
func Run(ctx context.Context, scenarios []*model.Scenario, o Options) (*Result, error) {
	r, err := newRun(scenarios, o)
	if err != nil {
		return nil, err
	}
	defer r.close()
	ctx, r.notices.end = context.WithCancel(ctx)
	defer r.notices.end()
	results, err := r.chunkResults(ctx)
	if err != nil {
		return nil, err
	}
	result := &Result{Complete: true}
	for i := range scenarios {
		e, err := r.exploration(i) // a new one: decisions are asked again for examples and for what goes on for ever
		if err != nil {
			return nil, err
		}
		explored, err := r.joined(e, i, results)
		if err != nil {
			return nil, fmt.Errorf("scenario %s: %w", scenarios[i].Name, err)
		}
		result.add(explored)
		if len(r.behaviours()) > 0 && explored.Complete && ctx.Err() == nil {
			found, err := e.live(ctx)
			if err != nil {
				return nil, fmt.Errorf("scenario %s: %w", scenarios[i].Name, err)
			}
			r.loops = append(r.loops, found)
		}
	}
	return result, r.conclude(result, slices.DeleteFunc(results, func(p *ChunkResult) bool { return p == nil }))
}

// chunkResults returns the piece of every part; nil for those that were not begun, or are left out.
func (r *run) chunkResults(ctx context.Context) ([]*ChunkResult, error) {
	results := make([]*ChunkResult, len(r.chunks))
	for i := range r.chunks {
		if ctx.Err() != nil {
			break
		}
		var err error
		if results[i], err = r.chunkResult(ctx, i); err != nil {
			return nil, fmt.Errorf("%s: %w", r.chunks[i].Name(r.scenarios), err)
		}
	}
	return results, nil
}

// joined puts together what the parts of a scenario were found to have.
func (r *run) joined(e *exploration, scenario int, results []*ChunkResult) (ScenarioResult, error) {
	result := ScenarioResult{Scenario: e.machine.Scenario, exploration: e}
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
	result.Result, err = checker.Join(e, explored)
	return result, err
}

// run is what the scenarios of a run share.
type run struct {
	options    Options
	scenarios  []*model.Scenario
	chunks     []Chunk
	deciders   []Decider
	properties []invariants.Property
	notices    notices
	asked      int64         // by the parts before
	spent      time.Duration // inside production
	// loops are what the scenarios explored so far do for ever, if that is asked.
	loops []*loops
}

func newRun(scenarios []*model.Scenario, o Options) (*run, error) {
	r := &run{
		options:    o,
		scenarios:  scenarios,
		properties: o.Properties,
		notices:    notices{enough: o.Enough, told: map[string]bool{}},
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
		if _, err := r.exploration(i); err != nil {
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

// exploration returns a new exploration of a scenario, which knows no decision. The kinds of the scenario have the
// same order in all.
func (r *run) exploration(i int) (*exploration, error) {
	catalog := model.NewCatalog()
	machine, err := model.NewMachine(r.scenarios[i], catalog)
	if err != nil {
		return nil, err
	}
	decisions := newDecisions(catalog, r.options.Spec, r.properties)
	decisions.notice = r.notices.tell
	return &exploration{run: r, machine: machine, decisions: decisions}, nil
}

// chunkResult returns what there is to find in a part: from an earlier run, or by exploring it.
func (r *run) chunkResult(ctx context.Context, i int) (*ChunkResult, error) {
	if kept := r.options.Kept; kept != nil {
		result, err := kept.Get(i, func(p *ChunkResult) error { return r.valid(i, p) })
		if err != nil {
			return nil, err
		}
		if result != nil {
			r.asked += int64(result.Distinct())
			for _, f := range result.Explored.Findings {
				r.notices.tell(f.Key)
			}
			return result, nil
		}
	}
	if r.options.KeptOnly {
		return nil, nil
	}
	result, err := r.explore(ctx, i)
	if err != nil || r.options.Kept == nil {
		return result, err
	}
	if !result.Kept() {
		return result, nil
	}
	return result, r.options.Kept.Put(i, result)
}

// explore lets the checker go through one part.
func (r *run) explore(ctx context.Context, i int) (*ChunkResult, error) {
	chunk := &r.chunks[i]
	e, err := r.exploration(chunk.Scenario)
	if err != nil {
		return nil, err
	}
	e.chunk = chunk
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
				Chunk: chunk.Name(r.scenarios), Number: i + 1, Of: len(r.chunks), Asked: r.asked + e.decisions.asked(),
				Progress: p,
			})
		}
	}
	result := &ChunkResult{}
	if result.Explored, err = checker.Check(ctx, e, options); err != nil {
		return nil, err
	}
	e.decisions.fill(result)
	r.asked += e.decisions.asked()
	r.spent += e.decisions.spent
	return result, nil
}
