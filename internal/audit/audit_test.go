package audit_test

import (
	"context"
	"testing"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/internal/audit"
	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/provider"
	"github.com/seed-a3f26817/modelcheck/spec"
)

const profile = v1.DefaultSchedulerName

func configuration(t testing.TB) *production.Config {
	config, err := production.DefaultConfig()
	if err != nil {
		t.Fatal(err)
	}
	return config
}

// optionsOf are what it takes to audit a cluster.
func optionsOf(t testing.TB, s *spec.Snapshot) audit.Options {
	config := configuration(t)
	model, err := config.Spec(profile)
	if err != nil {
		t.Fatal(err)
	}
	return audit.Options{
		Cluster: s, Spec: spec.New(model), Workers: 2, Bound: 20,
		NewDecider: func(starts *production.Starts) (decisions.Decider, error) {
			o := production.Options{Messages: true, Starts: starts}
			return production.NewProfiles(context.Background(), config, profile, o)
		},
	}
}

func audited(t testing.TB, o audit.Options) *audit.Result {
	t.Helper()
	r, err := audit.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Findings {
		if f.Class == decisions.New {
			t.Errorf("new finding %s", f.ID)
		}
	}
	return r
}

// whatIf follows a change of the cluster.
func whatIf(t testing.TB, s *spec.Snapshot, c audit.Changes) *audit.WhatIf {
	t.Helper()
	o := optionsOf(t, s)
	o.Changes = &c
	return audited(t, o).WhatIf
}

func cluster50() *spec.Snapshot {
	return &provider.New(provider.Options{Nodes: 50, Pods: 800}).Snapshot
}
