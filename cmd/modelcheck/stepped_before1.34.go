//go:build before1.34

package main

import (
	"context"
	"errors"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// canStep says that this release of kube-scheduler cannot be stepped as a whole.
const canStep = false

func starter(*production.Config) func(context.Context, *spec.Snapshot, *loop.Scope) (loop.System, error) {
	return func(context.Context, *spec.Snapshot, *loop.Scope) (loop.System, error) {
		return nil, errors.ErrUnsupported
	}
}
