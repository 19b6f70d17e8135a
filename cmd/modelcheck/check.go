package main

import (
	"context"
	"runtime/debug"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/report"
	"github.com/seed-a3f26817/modelcheck/internal/results"
)

// prepared is a run that can begin.
type prepared struct {
	*decisions.Plan
	in       *input
	progress *progress
	// dir has what is kept of the run; nil if nothing is.
	dir *results.Dir
}

// prepare reads the input and puts the run together. A usageError means that nothing was checked.
func (c command) prepare(ctx context.Context, o *options) (*prepared, error) {
	memory, err := o.memoryLimit()
	if err != nil {
		return nil, err
	}
	c.progress.hush(o.quiet).begin(readingFiles(o.files))
	in, err := o.input(c.stdin)
	if err != nil {
		return nil, err
	}
	properties, err := in.properties(o)
	if err != nil {
		return nil, err
	}
	specified, err := in.model(o)
	if err != nil {
		return nil, err
	}
	c.progress.begin(estimating())
	p := &prepared{in: in, progress: c.progress}
	start := c.kubeScheduler(ctx, in.config, in.profile)
	p.Plan, err = in.plan(decisions.Options{
		Spec: specified,
		NewDecider: func() (decisions.Decider, error) {
			c.progress.begin(exploring()) // which it does first
			return start()
		},
		Properties:    properties,
		Minimise:      o.minimise,
		Valid:         valid,
		Workers:       o.workers,
		MaxStates:     o.maxStates,
		MaxDepth:      o.maxDepth,
		Progress:      p.progress.show,
		ProgressEvery: p.progress.every,
	}, memory, o.results != "")
	if err != nil || o.results == "" {
		return p, err
	}
	p.dir, err = o.open(in, p.Plan)
	if err != nil {
		return nil, err
	}
	p.dir.Taken = p.progress.taken
	p.Options.Kept = p.dir
	return p, nil
}

// plan puts a run of the input together. Every error is a usageError.
func (in *input) plan(o decisions.Options, memory int64, keep bool) (*decisions.Plan, error) {
	plan, err := decisions.NewPlan(decisions.Request{
		Scenarios: in.scenarios, Options: o, Memory: memory, Keep: keep, Given: in.given})
	if err != nil {
		return nil, usageError{err}
	}
	return plan, nil
}

// limitMemory has garbage collected seldom, but in time, until the function it gives is called.
func (p *prepared) limitMemory() func() {
	before := debug.SetMemoryLimit(p.Memory)
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
		p.progress.begin(reading(o.results))
		missing, err := p.dir.Check(p.All())
		if err != nil {
			return nil, usageError{err}
		}
		if err := o.mayMiss(p, missing); err != nil {
			return nil, err
		}
	}
	defer p.limitMemory()()
	p.Options.KeptOnly = o.merge
	p.progress.begin(estimating())
	conclusion, err := p.explore(ctx, o)
	if err != nil {
		return nil, err
	}
	run := p.in.report(o, conclusion)
	run.Expected, run.NotSeen = p.in.expected(), p.in.notSeen(o, conclusion.Result)
	return run, nil
}

// report returns what is to be reported of a run.
func (in *input) report(o *options, c *decisions.Conclusion) *report.Run {
	return &report.Run{
		KubernetesVersion: production.KubernetesVersion,
		Spec:              c.Spec,
		Scope:             in.scope,
		Notes:             in.notes,
		NotRead:           in.notRead,
		Configuration:     in.raw,
		ThemeConfigured:   in.themed,
		DrawnProfiles:     len(in.drawn),
		Result:            c.Result,
		Strict:            decisions.Strict(o.strict),
		Elapsed:           c.Elapsed,
		Workers:           c.Workers,
		Verbose:           o.verbose,
		Show:              o.show,
	}
}
