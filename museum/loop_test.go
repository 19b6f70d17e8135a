package museum_test

import (
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/loop"
	"github.com/seed-a3f26817/modelcheck/museum"
	"github.com/seed-a3f26817/modelcheck/production/admission"
	"github.com/seed-a3f26817/modelcheck/production/stepped"
	"github.com/seed-a3f26817/modelcheck/scenario"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestLoopFound: the command of each defect between decisions finds it, and nothing that no defect explains.
func TestLoopFound(t *testing.T) {
	if testing.Short() {
		t.Skip("explores small scopes of the loop, some 20 s in all")
	}
	cfg := defaultConfig(t)
	profile, err := cfg.Spec(v1.DefaultSchedulerName)
	if err != nil {
		t.Fatal(err)
	}
	alone, err := stepped.NewAlone(t.Context(), cfg, v1.DefaultSchedulerName, 2)
	if err != nil {
		t.Fatal(err)
	}
	for _, exhibit := range museum.LoopExhibits() {
		t.Run(exhibit.Defect.Name, func(t *testing.T) {
			theme, err := scenario.LoopTheme(exhibit.Theme, admission.Admit)
			if err != nil {
				t.Fatal(err)
			}
			start := func(initial *spec.Snapshot) (loop.System, error) {
				return stepped.New(t.Context(), cfg, v1.DefaultSchedulerName, initial, stepped.Options{Faults: theme.Faults > 0})
			}
			result, err := loop.Explore(t.Context(), exhibit.Narrow(theme), loop.Subject{Model: spec.New(profile), Start: start, Ask: alone.Decide}, checker.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.ContainsFunc(result.Findings, func(f loop.Finding) bool {
				return f.Known == exhibit.Defect.Name && f.Property.Name == exhibit.Property
			}) {
				t.Errorf("%s does not find it among %d findings", exhibit.Find(), len(result.Findings))
			}
			for _, f := range result.Findings {
				if f.Known == "" {
					t.Errorf("%s: %s", f.Key(), f.But)
				}
			}
			t.Logf("%s: %d states, %d transitions", exhibit.Find(), result.Distinct, result.Generated)
		})
	}
}
