package deviations_test

import (
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/internal/deviations"
	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestLoopFound: the command of each defect between decisions finds it, and nothing that no defect explains.
func TestLoopFound(t *testing.T) {
	if testing.Short() {
		t.Skip("explores small scopes of the loop, some 20 s in all")
	}
	for _, entry := range deviations.LoopEntries() {
		if !entry.Defect.In(production.KubernetesVersion) {
			continue
		}
		t.Run(entry.Defect.Name, func(t *testing.T) {
			theme, err := scenario.LoopTheme(entry.Theme, admission.Admit)
			if err != nil {
				t.Fatal(err)
			}
			cfg, err := production.LoadConfigOr(theme.ConfigurationAt, theme.Configuration, defaultConfig(t))
			if err != nil {
				t.Fatal(err)
			}
			profile, err := cfg.Spec(v1.DefaultSchedulerName)
			if err != nil {
				t.Fatal(err)
			}
			alone, err := production.NewAlone(t.Context(), cfg, 2)
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := alone.Close(); err != nil {
					t.Error(err)
				}
			}()
			scope := entry.Narrow(theme)
			start := func(initial *spec.Snapshot) (loop.System, error) {
				return stepped.New(t.Context(), cfg, initial, stepped.OptionsFor(scope))
			}
			result, err := loop.Explore(t.Context(), scope,
				loop.Subject{Model: spec.New(profile), Start: start, Ask: alone.Decide}, checker.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.ContainsFunc(result.Findings, func(f loop.Finding) bool {
				return f.Known == entry.Defect.Name && f.Property.Name == entry.Property
			}) {
				t.Errorf("%s does not find it among %d findings", entry.Find(), len(result.Findings))
			}
			for _, f := range result.Findings {
				if f.Known == "" {
					t.Errorf("%s: %s", f.Key(), f.But)
				}
			}
			t.Logf("%s: %d states, %d transitions", entry.Find(), result.Distinct, result.Generated)
		})
	}
}
