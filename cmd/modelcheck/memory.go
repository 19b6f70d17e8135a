package main

import (
	"context"
	"fmt"
	"math"
	"runtime/debug"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
)

// memoryFlag says what --memory is.
const memoryFlag = "Use at most about this much memory, a `quantity` such as 4Gi. The default is 3/4 of what there is."

// memoryLimit returns the memory to take, in bytes.
func (o *options) memoryLimit() (int64, error) {
	if o.memory == "" {
		return decisions.DefaultMemory(), nil
	}
	quantity, err := resource.ParseQuantity(o.memory)
	if err != nil || quantity.Sign() <= 0 || quantity.Cmp(*resource.NewQuantity(math.MaxInt64, resource.BinarySI)) > 0 {
		return 0, usage("--memory is %q: it must be a positive quantity such as 512Mi or 4Gi, and at most 8Ei",
			o.memory)
	}
	return quantity.Value(), nil
}

// memoryLookedAt is how often it is looked at how much memory is in use.
const memoryLookedAt = 20 * time.Millisecond

// withinMemory is for what does not count itself what it keeps. Until the function it returns is called, garbage is
// collected in time to stay within --memory. When what is in use takes seven eighths of it, the context is cancelled,
// as by an interrupt: what was found so far is reported.
func (c command) withinMemory(ctx context.Context, o *options) (context.Context, func(), error) {
	limit, err := o.memoryLimit()
	if err != nil {
		return nil, nil, err
	}
	before := debug.SetMemoryLimit(limit)
	ctx, cancel := context.WithCancel(ctx)
	var full atomic.Bool
	go func() {
		tick := time.NewTicker(memoryLookedAt)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if inUse() >= limit/8*7 {
					full.Store(true)
					cancel()
				}
			}
		}
	}()
	return ctx, func() {
		cancel()
		debug.SetMemoryLimit(before)
		if full.Load() {
			c.progress.clear()
			fmt.Fprintf(c.stderr, "modelcheck: stopped, as there is no memory left of %s: raise --memory, or ask for less\n",
				resource.NewQuantity(limit, resource.BinarySI))
		}
	}, nil
}
