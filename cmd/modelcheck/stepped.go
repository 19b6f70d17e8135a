//go:build !before1.34

package main

import (
	"context"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// canStep says that this release of kube-scheduler can be stepped as a whole.
const canStep = true

// starter returns what starts kube-scheduler with the configuration on a cluster.
func starter(cfg *production.Config) func(context.Context, *spec.Snapshot, *loop.Scope) (loop.System,
	error) {
	with, without := new(stepped.Expansion), new(stepped.Expansion)
	return func(ctx context.Context, initial *spec.Snapshot, scope *loop.Scope) (loop.System, error) {
		o := stepped.Options{Late: scope.Late > 0, Evictions: scope.Evictions, Sampled: scope.Sampled,
			Expansion: without}
		if scope.Faults > 0 {
			o.Faults, o.Expansion = true, with
		}
		return stepped.New(ctx, cfg, initial, o)
	}
}
