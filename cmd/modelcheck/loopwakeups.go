package main

import (
	"context"
	"slices"
	"strings"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
)

// validateWakeUps finds what is wrong with the flags of --wake-ups.
func (o *loopOptions) validateWakeUps() error {
	if !o.wakeUps {
		return nil
	}
	for _, flag := range []string{"random", "simulate", "liveness", "max-states", "max-depth", "nodes", "pods", "events",
		"faults", "faults-first", "late", "evictions", "meanwhile", "happens", "calm", "seed"} {
		if o.given(flag) {
			return usage("--%s does not go with --wake-ups: leave one of them out", flag)
		}
	}
	for _, name := range o.themes {
		if !slices.Contains(scenario.ThemeNames(), name) {
			return usage("--theme: there is no theme %q of single decisions (themes: %s)", name,
				strings.Join(scenario.ThemeNames(), ", "))
		}
	}
	if o.given("run") && len(o.themes) != 1 {
		return usage("--run is a run of one theme; add --theme, once")
	}
	return nil
}

// waking returns what the themes have.
func (o *loopOptions) waking(in *input) ([]*loop.Scope, error) {
	var scopes []*loop.Scope
	for _, name := range scenario.ThemeNames() {
		if len(o.themes) > 0 && !slices.Contains(o.themes, name) {
			continue
		}
		scope, err := scenario.WakingTheme(name, admission.Admit)
		if err != nil {
			return nil, err
		}
		in.leaveOut(name, scope.LeftOut)
		in.takeTurns(scope)
		scopes = append(scopes, scope)
	}
	return scopes, nil
}

// wake follows the run of each event that lets a pod of the scope be placed.
func (f follower) wake(ctx context.Context, scope *loop.Scope, subject loop.Subject) (*loop.Result, error) {
	runs := loop.Waking(subject.Model, scope.Templates, scope.Pinned)
	for _, run := range runs {
		run.Configuration, run.ConfigurationAt = scope.Configuration, scope.ConfigurationAt
	}
	if len(runs) == 0 {
		return &loop.Result{Scope: scope, Simulated: true, Result: &checker.Result{Complete: true}}, nil
	}
	all := loop.SimulateOptions{Walks: int64(len(runs)), Steps: loop.WakingSteps, Workers: f.workers,
		Progress: func(walks int64) { f.come("%s: %d of %d events", scope.Name, walks, len(runs)) }}
	if f.given("run") {
		if all.First, all.Walks = f.run, 1; f.run >= int64(len(runs)) {
			return nil, usage("--run is %d: theme %s has runs from 0 to %d", f.run, scope.Name, len(runs)-1)
		}
	}
	return loop.Random(ctx, scope, subject, loop.RandomOptions{SimulateOptions: all,
		Draw: func(number int64) (*loop.Scope, error) { return runs[number], nil }})
}
