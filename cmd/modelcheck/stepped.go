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
	without, last, first := new(stepped.Expansion), new(stepped.Expansion), new(stepped.Expansion)
	return func(ctx context.Context, initial *spec.Snapshot, scope *loop.Scope) (loop.System, error) {
		o := stepped.OptionsFor(scope)
		switch {
		case o.FaultsFirst:
			o.Expansion = first
		case o.Faults:
			o.Expansion = last
		default:
			o.Expansion = without
		}
		return stepped.New(ctx, cfg, initial, o)
	}
}
