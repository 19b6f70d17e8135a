package explore_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-a3f26817/modelcheck/explore"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/production"
	"github.com/seed-a3f26817/modelcheck/production/admission"
	"github.com/seed-a3f26817/modelcheck/scenario"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestConfigurations: under every configuration and profile that is kept, known defects explain all that the themes show.
func TestConfigurations(t *testing.T) {
	files, err := filepath.Glob("../testdata/configs/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no configurations: %v", err)
	}
	var scenarios []*model.Scenario
	for _, name := range scenario.ThemeNames() {
		s, err := scenario.Theme(name, 2, model.Actions{Arrivals: 2, Preempt: true, VictimGone: true}, admission.Admit)
		if err != nil {
			t.Fatal(err)
		}
		scenarios = append(scenarios, s)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		cfg, err := production.LoadConfig(file, text)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range cfg.Profiles() {
			t.Run(filepath.Base(file)+"/"+name, func(t *testing.T) {
				profile, err := cfg.Spec(name)
				if err != nil {
					t.Fatal(err)
				}
				result, err := explore.Run(t.Context(), scenarios, explore.Options{
					Spec: spec.New(profile),
					NewDecider: func() (explore.Decider, error) {
						return production.New(t.Context(), cfg, name, production.Options{})
					},
				})
				if err != nil {
					t.Fatal(err)
				}
				if result.Asked == 0 {
					t.Error("nothing was asked")
				}
				for _, finding := range result.Findings {
					if finding.Class == explore.New {
						t.Errorf("nothing known explains %s: %v", finding.ID, finding.Example.Reasons)
					}
				}
			})
		}
	}
}
