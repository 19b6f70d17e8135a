package main

import (
	"cmp"
	"context"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// model returns the formal model that kube-scheduler is compared with, as the flags and the configuration have it.
func (in *input) model(o *options) (*spec.Scheduler, error) {
	profile, err := in.config.Spec(in.profile)
	if err != nil {
		return nil, usage("scheduler configuration %s: %w", in.source, err)
	}
	return spec.NewReading(spec.Reading(o.reading), profile), nil
}

// kubeScheduler returns the function that starts kube-schedulers with a configuration: those who take decisions. A
// pod that names no profile asks the one given. Searches begin with the first node if nobody says otherwise.
func (c command) kubeScheduler(ctx context.Context, config *production.Config,
	profile string) func() (decisions.Decider, error) {
	o := c.production
	o.Starts = cmp.Or(o.Starts, &production.Starts{})
	return func() (decisions.Decider, error) {
		// Not with ctx: a decision that is under way when the user interrupts is taken to its end.
		return production.NewProfiles(context.WithoutCancel(ctx), config, profile, o)
	}
}
