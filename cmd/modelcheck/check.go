package main

import (
	"context"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/report"
	"github.com/seed-a3f26817/modelcheck/internal/results"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// prepared is a run that can begin.
type prepared struct {
	in       *input
	options  decisions.Options
	progress *progress
	memory   int64
	// dir has what is kept of the run; nil if nothing is.
	dir *results.Dir
}

// prepare reads the input and cuts it into parts. A usageError means that nothing was checked.
func (c command) prepare(ctx context.Context, o *options) (*prepared, error) {
	memory, err := o.memoryLimit()
	if err != nil {
		return nil, err
	}
	in, err := o.input(c.stdin)
	if err != nil {
		return nil, err
	}
	properties, err := in.properties(o)
	if err != nil {
		return nil, err
	}
	profile, err := in.config.Spec(in.profile)
	if err != nil {
		return nil, usage("scheduler configuration %s: %w", in.source, err)
	}
	if o.workers == 0 {
		o.workers = runtime.GOMAXPROCS(0)
	}
	model := spec.NewReading(spec.Reading(o.reading), profile)
	if err := in.cut(model, o.results != ""); err != nil {
		return nil, err
	}
	progress := newProgress(c.stderr, c.live, o.quiet)
	p := &prepared{in: in, progress: progress, memory: memory, options: decisions.Options{
		Spec: model,
		NewDecider: func() (decisions.Decider, error) {
			// Not with ctx: a decision that is under way when the user interrupts is taken to its end.
			return production.NewProfiles(context.WithoutCancel(ctx), in.config, in.profile, c.production)
		},
		Properties:    properties,
		Minimise:      o.minimise,
		Valid:         valid,
		Workers:       o.workers,
		MaxStates:     o.maxStates,
		MaxDepth:      o.maxDepth,
		Memory:        max(1, memory/statesShare),
		Chunks:        in.chunks,
		Progress:      progress.show,
		ProgressEvery: progress.every,
	}}
	if o.results == "" {
		return p, nil
	}
	p.dir, err = o.open(in, p.options)
	if err != nil {
		return nil, err
	}
	p.dir.Taken = progress.taken
	p.options.Kept = p.dir
	return p, nil
}

// limitMemory has garbage collected seldom, but in time, until the function it gives is called.
func (p *prepared) limitMemory() func() {
	before := debug.SetMemoryLimit(p.memory)
	return func() { debug.SetMemoryLimit(before) }
}

// check does what the flags ask for. A usageError means that nothing was checked.
func (c command) check(ctx context.Context, o *options) (*report.Run, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	if o.random {
		return c.checkRandom(ctx, o)
	}
	p, err := c.prepare(ctx, o)
	if err != nil {
		return nil, err
	}
	if p.dir != nil {
		missing, err := p.dir.Check(p.in.allParts())
		if err != nil {
			return nil, usageError{err}
		}
		if err := o.mayMiss(p, missing); err != nil {
			return nil, err
		}
	}
	if !o.merge {
		if err := p.in.fits(p.options.Spec, p.memory, p.in.allParts()); err != nil {
			return nil, err
		}
	}
	defer p.limitMemory()()
	p.options.KeptOnly = o.merge
	began := time.Now()
	result, err := decisions.Run(ctx, p.in.scenarios, p.options)
	p.progress.clear()
	if err != nil {
		return nil, err
	}
	return &report.Run{
		KubernetesVersion: production.KubernetesVersion,
		Spec:              p.options.Spec,
		Scope:             p.in.scope,
		Notes:             p.in.notes,
		Configuration:     p.in.raw,
		Result:            result,
		Strict:            o.strict,
		Expected:          p.in.expected(),
		Elapsed:           time.Since(began),
		Workers:           o.workers,
		Verbose:           o.verbose,
		Show:              o.show,
	}, nil
}
