package decisionstest_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/decisionstest"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestConfigurations: under every configuration and profile that is kept, known defects explain all that the themes
// show.
func TestConfigurations(t *testing.T) {
	files, err := filepath.Glob("../../testdata/configs/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no configurations: %v", err)
	}
	for _, file := range files {
		cfg := configuration(t, file)
		for _, name := range cfg.Profiles() {
			t.Run(filepath.Base(file)+"/"+name, func(t *testing.T) {
				result, err := decisions.Run(t.Context(), themesUnder(t, name), decisions.Options{
					Spec: specOf(t, cfg),
					NewDecider: func() (decisions.Decider, error) {
						return production.NewProfiles(t.Context(), cfg, cfg.Profiles()[0], production.Options{})
					},
				})
				if err != nil {
					t.Fatal(err)
				}
				if result.Asked == 0 {
					t.Error("nothing was asked")
				}
				for _, finding := range result.Findings {
					if finding.Class == decisions.New {
						t.Errorf("nothing known explains %s: %v", finding.ID, finding.Example.Reasons)
					}
				}
			})
		}
	}
}

// TestWrongProfile: it shows if kube-scheduler asks about pods under another profile than theirs.
func TestWrongProfile(t *testing.T) {
	cfg := configuration(t, "../../testdata/configs/two-profiles.yaml")
	result, err := decisions.Run(t.Context(), themesUnder(t, "packing", "resources", "priorities"), decisions.Options{
		Spec: specOf(t, cfg),
		NewDecider: func() (decisions.Decider, error) {
			return production.New(t.Context(), cfg, "gentle", production.Options{})
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, property := range []string{"scores-conform", "outcome-conforms"} {
		if !slices.ContainsFunc(
			result.Findings,
			func(f decisions.Finding) bool { return f.Class == decisions.New && f.Property.Name == property },
		) {
			t.Errorf("%s does not tell packing from gentle", property)
		}
	}
}

func configuration(t *testing.T, file string) *production.Config {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := production.LoadConfig(file, text)
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// specOf returns the model under all profiles of the configuration, the first one first.
func specOf(t *testing.T, cfg *production.Config) *spec.Scheduler {
	t.Helper()
	profile, err := cfg.Spec(cfg.Profiles()[0])
	if err != nil {
		t.Fatal(err)
	}
	return spec.New(profile)
}

// themesUnder returns small scopes of themes, all if none is named, whose pods ask under the profile.
func themesUnder(t *testing.T, profile string, names ...string) []*model.Scenario {
	t.Helper()
	if len(names) == 0 {
		names = scenario.ThemeNames()
	}
	var scenarios []*model.Scenario
	for _, name := range names {
		s := decisionstest.Theme(t, name, 2, model.Actions{Arrivals: 2, Preempt: true, VictimGone: true})
		for i := range s.Pods {
			if pod := s.Pods[i].Pod; pod.Spec.SchedulerName == v1.DefaultSchedulerName {
				pod.Spec.SchedulerName = profile
			}
		}
		scenarios = append(scenarios, s)
	}
	return scenarios
}
