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

// startStepped starts kube-scheduler on the cluster.
func startStepped(ctx context.Context, cfg *production.Config, profile string, initial *spec.Snapshot,
	scope *loop.Scope) (loop.System, error) {
	return stepped.New(ctx, cfg, profile, initial,
		stepped.Options{Faults: scope.Faults > 0, Late: scope.Late > 0, Evictions: scope.Evictions})
}
