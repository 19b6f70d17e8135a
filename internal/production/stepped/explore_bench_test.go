package stepped_test

import (
	"testing"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// BenchmarkExplore returns what a transition of an exhaustive exploration costs, if a scheduler takes one action
// that is asked for, and if it goes on: schedulers built, and actions taken, for each.
func BenchmarkExplore(b *testing.B) {
	cfg, err := production.DefaultConfig()
	if err != nil {
		b.Fatal(err)
	}
	for _, row := range []struct {
		name  string
		ahead int
	}{{"one action", 0}, {"one more", 1}, {"four more", 4}, {"16 more", 16}, {"64 more", 64}} {
		b.Run(row.name, func(b *testing.B) {
			ask := alone(b).Decide
			for b.Loop() {
				scope, err := scenario.LoopTheme("nodes", admission.Admit)
				if err != nil {
					b.Fatal(err)
				}
				result, err := loop.Explore(
					b.Context(),
					scope,
					loop.Subject{
						Model: model(b),
						Ask:   ask,
						Ahead: row.ahead,
						Start: func(initial *spec.Snapshot) (loop.System, error) {
							return stepped.New(b.Context(), cfg, initial, stepped.Options{})
						},
					},
					checker.Options{Workers: 1},
				)
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
