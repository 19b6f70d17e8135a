package decisions

import (
	"cmp"
	"context"
	"math"
	"runtime"
	"time"

	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// Request says what is to be explored. The command and the library fill it in; how a run is put together from it,
// and what is refused for its size, is decided by NewPlan and the methods of Plan.
type Request struct {
	Scenarios []*model.Scenario
	// Options say how. Memory and Chunks are not heeded: the plan sets them.
	Options Options
	// Given is the cluster that stands in the beginning; nil if there are only clusters to which pods come.
	Given *spec.Snapshot
	// Memory is what the whole process may take, in bytes; 0 means DefaultMemory.
	Memory int64
	// Keep cuts the scenarios into chunks that are small enough to be kept one by one: the same ones for any number
	// of workers and shards.
	Keep bool
}

// chunkStates is the number of states that chunks to keep are meant to have, if a scenario can be cut so finely:
// about a second's work, so that little is lost when a run is ended, and large enough that to begin one costs little.
const chunkStates = 20_000

// Plan is a run that is put together.
type Plan struct {
	// Scenarios and Options are those of the run. Kept and KeptOnly may be set before it is run.
	Scenarios []*model.Scenario
	Options   Options
	// States has about how many states each scenario has.
	States []float64
	// Memory is what the process may take, in bytes.
	Memory int64
	// Unencodable says why the states of the given cluster cannot be gone through, but only its decisions; nil if they
	// can, or none is given.
	Unencodable error

	given   *spec.Snapshot
	actions model.Actions
}

// NewPlan puts a run together. The error says why the scenarios cannot be explored at all.
func NewPlan(r Request) (*Plan, error) {
	p := &Plan{Scenarios: r.Scenarios, Options: r.Options, Memory: r.Memory}
	if p.Memory == 0 {
		p.Memory = DefaultMemory()
	}
	p.Options.Memory = max(1, p.Memory/statesShare)
	p.Options.Workers = cmp.Or(p.Options.Workers, runtime.GOMAXPROCS(0))
	if r.Given != nil && len(r.Scenarios) == 1 && !r.Keep {
		p.given, p.actions = r.Given, r.Scenarios[0].Actions
		if p.Unencodable = unencodable(r.Scenarios[0]); p.Unencodable != nil {
			return p, nil
		}
	}
	enough, most := lessEffort, math.Inf(1)
	switch {
	case r.Keep:
		enough = effort // chunks are cut by it
	case p.limited() || p.given != nil:
		enough = 0 // only whether it can be explored at all
	}
	if r.Keep && p.Options.MaxStates == 0 { // a limit on states is one for a scenario as a whole, which is left whole
		most = chunkStates
	}
	var err error
	if p.States, err = estimates(p.Scenarios, p.Options.Spec, enough); err != nil {
		return nil, err
	}
	p.Options.Chunks = Cut(p.Scenarios, p.States, most)
	return p, nil
}

// limited reports whether there is a limit on states or levels, which makes any scope fit.
func (p *Plan) limited() bool { return p.Options.MaxStates > 0 || p.Options.MaxDepth > 0 }

// All returns the indexes of all chunks.
func (p *Plan) All() []int { return indexes(len(p.Options.Chunks)) }

// indexes returns 0, 1, ... n-1.
func indexes(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// Refine estimates again, with more effort, how many states scenarios and chunks have.
func (p *Plan) Refine() error {
	states, err := estimates(p.Scenarios, p.Options.Spec, moreEffort)
	if err != nil {
		return err
	}
	for i := range p.Options.Chunks {
		chunk := &p.Options.Chunks[i]
		chunk.States *= states[chunk.Scenario] / p.States[chunk.Scenario]
	}
	p.States = states
	return nil
}

// Fits returns a TooLargeError if one of the chunks clearly takes more memory than there is: more than twice as much
// by the estimate. What a chunk takes is free again when it is explored.
func (p *Plan) Fits(chunks []int) error {
	if p.limited() {
		return nil
	}
	large := p.largest(chunks, p.States)
	for _, enough := range []int{effort, moreEffort} {
		excess := p.excess(large)
		if excess <= 1 || enough == moreEffort && excess > hopeless {
			break
		}
		states, err := estimates(p.Scenarios, p.Options.Spec, enough)
		if err != nil {
			return err
		}
		large = p.largest(chunks, states)
	}
	if p.excess(large) > 1 {
		return large
	}
	return nil
}

// largest names the chunk with the most states, if the scenarios have so many.
func (p *Plan) largest(chunks []int, states []float64) *TooLargeError {
	large := &TooLargeError{Memory: p.Memory}
	for _, i := range chunks {
		chunk := &p.Options.Chunks[i]
		if n := chunk.States / p.States[chunk.Scenario] * states[chunk.Scenario]; n > large.States {
			large.States, large.Chunk = n, chunk.Name(p.Scenarios)
		}
	}
	return large
}

// excess returns how many times as much memory as it may a chunk takes, if the estimate is twice too large.
func (p *Plan) excess(large *TooLargeError) float64 {
	return large.States * bytesPerState / (2 * float64(p.Memory))
}

// Conclusion is what came out of a run, and what it took.
type Conclusion struct {
	Spec    *spec.Scheduler
	Result  *Result
	Elapsed time.Duration
	Workers int
}

// Run explores all chunks, or, with KeptOnly, puts together those that are kept.
func (p *Plan) Run(ctx context.Context) (*Conclusion, error) {
	began := time.Now()
	result, err := Run(ctx, p.Scenarios, p.Options)
	if err != nil {
		return nil, err
	}
	return &Conclusion{p.Options.Spec, result, time.Since(began), p.Options.Workers}, nil
}

// Explore explores some chunks, by index, and has them kept.
func (p *Plan) Explore(ctx context.Context, chunks []int) (*Shard, error) {
	return Explore(ctx, p.Scenarios, p.Options, chunks)
}

// Draw asks about drawn questions, as Random does.
func Draw(ctx context.Context, o RandomOptions) (*Conclusion, error) {
	o.Workers = cmp.Or(o.Workers, runtime.GOMAXPROCS(0))
	began := time.Now()
	result, err := Random(ctx, o)
	if err != nil {
		return nil, err
	}
	return &Conclusion{o.Spec, result, time.Since(began), o.Workers}, nil
}
