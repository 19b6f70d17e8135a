package stepped_test

import (
	"testing"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/loop"
	"github.com/seed-a3f26817/modelcheck/production"
	"github.com/seed-a3f26817/modelcheck/production/admission"
	"github.com/seed-a3f26817/modelcheck/production/stepped"
	"github.com/seed-a3f26817/modelcheck/scenario"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// BenchmarkExplore gives what a transition of an exhaustive exploration costs, with and without keeping schedulers in the middle of
// their runs: schedulers built, and actions taken, for each.
func BenchmarkExplore(b *testing.B) {
	cfg, err := production.DefaultConfig()
	if err != nil {
		b.Fatal(err)
	}
	for _, row := range []struct {
		name string
		keep int
	}{{"none kept", 0}, {"kept", 16384}} {
		b.Run(row.name, func(b *testing.B) {
			ask := alone(b).Decide
			for b.Loop() {
				scope, err := scenario.LoopTheme("nominations", admission.Admit)
				if err != nil {
					b.Fatal(err)
				}
				result, err := loop.Explore(b.Context(), scope, loop.Subject{Model: model(b), Ask: ask, Keep: row.keep, Start: func(initial *spec.Snapshot) (loop.System, error) {
					return stepped.New(b.Context(), cfg, v1.DefaultSchedulerName, initial, stepped.Options{})
				}}, checker.Options{Workers: 1})
				if err != nil {
					b.Fatal(err)
				}
				transitions := float64(result.Generated)
				b.ReportMetric(float64(result.Builds)/transitions, "builds/transition")
				b.ReportMetric(float64(result.Steps)/transitions, "actions/transition")
			}
		})
	}
}
