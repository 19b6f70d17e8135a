package main

import (
	"context"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/seed-a3f26817/modelcheck/explore"
	"github.com/seed-a3f26817/modelcheck/production"
	"github.com/seed-a3f26817/modelcheck/report"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// check does what the flags ask for. A usageError means that nothing was checked.
func (c command) check(ctx context.Context, o *options) (*report.Run, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	if o.random {
		return c.checkRandom(ctx, o)
	}
	memory, err := o.memoryLimit()
	if err != nil {
		return nil, err
	}
	properties, err := o.properties()
	if err != nil {
		return nil, err
	}
	in, err := o.input(c.stdin)
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
	if err := in.fits(model, memory); err != nil {
		return nil, err
	}
	// Garbage is collected seldom, but in time.
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(memory))
	progress := newProgress(c.stderr, c.live, o.quiet)
	options := explore.Options{
		Spec: model,
		NewDecider: func() (explore.Decider, error) {
			// Not with ctx: a decision that is under way when the user interrupts is taken to its end.
			return production.New(context.WithoutCancel(ctx), in.config, in.profile, c.production)
		},
		Properties:    properties,
		Workers:       o.workers,
		MaxStates:     o.maxStates,
		MaxDepth:      o.maxDepth,
		Memory:        max(1, memory/statesShare),
		Progress:      progress.show,
		ProgressEvery: progress.every,
	}
	if options.Kept, err = o.kept(in, options, progress.taken); err != nil {
		return nil, err
	}
	began := time.Now()
	result, err := explore.Run(ctx, in.scenarios, options)
	progress.clear()
	if err != nil {
		return nil, err
	}
	return &report.Run{
		KubernetesVersion: production.KubernetesVersion,
		Spec:              model,
		Scope:             in.scope,
		Notes:             in.notes,
		Configuration:     in.raw,
		Result:            result,
		Strict:            o.strict,
		Elapsed:           time.Since(began),
		Workers:           o.workers,
	}, nil
}
