package main

import (
	"context"
	"slices"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/generate"
	"github.com/seed-a3f26817/modelcheck/internal/patience"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/invariants"
)

// askedProfiles returns the profiles that drawn clusters are asked about under, in turn: of those that were drawn each
// after the default one.
func (in *input) askedProfiles() []string {
	if in.drawn == nil {
		return in.profiles
	}
	var asked []string
	for _, profile := range in.profiles[1:] {
		asked = append(asked, in.profile, profile)
	}
	return asked
}

// configured gives a finding that only a drawn profile shows the configuration of that. If nothing known explains it,
// what is not needed to show it is left out, as long as there is time.
func (c command) configured(ctx context.Context, o *options, in *input, properties []invariants.Property,
	f *decisions.Finding) error {
	profile := f.Example.Case.Spec.Profile.SchedulerName
	f.Configuration = in.drawn[profile]
	if f.Configuration == nil || f.Class != decisions.New {
		return nil
	}
	for again := true; again; {
		again = false
		for _, less := range generate.LessArguments(f.Configuration) {
			config, err := production.LoadConfig("a drawn configuration", less)
			if err != nil || !slices.Contains(config.Profiles(), profile) {
				continue // what is left is no configuration, or has another profile
			}
			under, was := &input{config: config, profile: profile}, *f
			var smaller decisions.Finding
			var shows bool
			if !patience.Do(ctx, func() { smaller, shows, err = c.under(ctx, o, under, properties, was) }) {
				return nil
			}
			if err != nil {
				return err
			}
			if shows {
				*f, again = smaller, true
				f.Configuration = less
				break
			}
		}
	}
	return nil
}

// under returns the finding under another configuration, and whether that shows it.
func (c command) under(ctx context.Context, o *options, in *input, properties []invariants.Property,
	f decisions.Finding) (smaller decisions.Finding, shows bool, err error) {
	model, err := in.model(o)
	if err != nil {
		return f, false, err
	}
	decider, err := c.kubeScheduler(ctx, in.config, in.profile)()
	if err != nil {
		return f, false, err
	}
	smaller, shows = f.Under(model, properties, decider)
	return smaller, shows, decider.Close()
}
