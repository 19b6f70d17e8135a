package deviations_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/deviations"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

var update = flag.Bool("update", false, "write docs/reference/deviations.md anew")

// TestSmallestClusters: in the smallest cluster of each defect the tool finds it, and nothing else. When this fails
// because a defect is not found, kube-scheduler may have been mended: then the quirk says in which release.
func TestSmallestClusters(t *testing.T) {
	for _, entry := range deviations.In(production.KubernetesVersion) {
		t.Run(entry.Quirk.Name, func(t *testing.T) {
			manifests, err := scenario.Read([]string{root(entry.File())}, nil, admission.Admit)
			if err != nil {
				t.Fatal(err)
			}
			s := scenario.OfCluster("deviations", manifests.Snapshot(), model.Actions{Preempt: true, VictimGone: true})
			cfg := defaultConfig(t)
			if manifests.SchedulerConfiguration != nil {
				if cfg, err = production.LoadConfig(entry.File(), manifests.SchedulerConfiguration); err != nil {
					t.Fatal(err)
				}
			}
			findings := defects(t, cfg, s)
			if len(findings) == 0 {
				t.Fatal("the documented model agrees with kube-scheduler: is the defect mended?")
			}
			if first := findings[0]; first.Property.Name != entry.Property {
				t.Errorf("it breaks %s; the catalogue of deviations says %s", first.Property.Name, entry.Property)
			}
			for _, finding := range findings {
				if diff := cmp.Diff([]string{entry.Quirk.Name}, names(finding.Quirks)); diff != "" {
					t.Errorf("%s is explained by (-want +got):\n%s", finding.ID, diff)
				}
			}
		})
	}
}

// TestFound: the tool finds each defect by itself, in the scope that the catalogue of deviations names and in none
// that is smaller by a pod or a node.
func TestFound(t *testing.T) {
	seen := map[string][]string{} // names of the defects found in a scope
	in := func(e deviations.Entry, nodes, pods int) []string {
		scope := fmt.Sprint(e.Theme, e.Config, e.Thorough, nodes, pods)
		if _, known := seen[scope]; !known {
			theme := scenario.Theme
			if e.Thorough {
				theme = scenario.ThoroughTheme
			}
			s, err := theme(e.Theme, nodes, model.Actions{Arrivals: pods, Preempt: true, VictimGone: true},
				admission.Admit)
			if err != nil {
				t.Fatal(err)
			}
			cfg := themeConfig(t, e.Theme)
			if e.Config != "" {
				cfg = configOf(t, e)
			}
			seen[scope] = []string{}
			for _, finding := range defects(t, cfg, s) {
				seen[scope] = append(seen[scope], names(finding.Quirks)...)
			}
			if e.Config != "" {
				return seen[scope]
			}
			for _, expected := range deviations.Expected(deviations.Scope{
				Release: production.KubernetesVersion, Theme: e.Theme, Nodes: nodes,
				Pods: s.Actions.Arrivals, Thorough: e.Thorough}) {
				if !slices.Contains(seen[scope], expected.Quirk.Name) {
					t.Errorf("%s is expected in %s with %d nodes and %d pods, and is not there", expected.Quirk.Name,
						e.Theme, nodes, pods)
				}
			}
		}
		return seen[scope]
	}
	for _, entry := range deviations.In(production.KubernetesVersion) {
		if !slices.Contains(in(entry, entry.Nodes, entry.Pods), entry.Quirk.Name) {
			t.Errorf("%s does not find %s", entry.Find(), entry.Quirk.Name)
		}
		if entry.Pods > 1 && slices.Contains(in(entry, entry.Nodes, entry.Pods-1), entry.Quirk.Name) {
			t.Errorf("%s is found with one pod less than by %s", entry.Quirk.Name, entry.Find())
		}
		if entry.Nodes > 1 && slices.Contains(in(entry, entry.Nodes-1, entry.Pods), entry.Quirk.Name) {
			t.Errorf("%s is found with one node less than by %s", entry.Quirk.Name, entry.Find())
		}
	}
}

// TestHiddenDefects: defects that show only together are known too. Here two users of a claim count as one, and a
// third pod that uses another claim of that name is taken for a user.
func TestHiddenDefects(t *testing.T) {
	s, err := scenario.Theme("exclusive", 1, model.Actions{Arrivals: 4, Preempt: true, VictimGone: true},
		admission.Admit)
	if err != nil {
		t.Fatal(err)
	}
	for _, finding := range defects(t, defaultConfig(t), s) {
		if finding.Class == decisions.New {
			t.Errorf("nothing known explains %s: %v", finding.ID, finding.Example.Reasons)
		}
	}
}

// TestFiles: every defect has its file, which says what goes wrong and what is documented; and no file is without a
// defect.
func TestFiles(t *testing.T) {
	var want []string
	for _, entry := range deviations.Entries() {
		want = append(want, root(entry.File()))
		if entry.Property == "" {
			t.Errorf("%s has no entry in the catalogue of deviations: add it to found", entry.Quirk.Name)
		}
		text, err := os.ReadFile(root(entry.File()))
		if err != nil {
			t.Errorf("%v: each defect has the smallest cluster that shows it", err)
			continue
		}
		if comment, _, _ := strings.Cut(string(text), "\napiVersion"); !strings.HasPrefix(comment, "# ") ||
			!strings.Contains(comment, "Documented") {
			t.Errorf("%s does not begin with a comment on what goes wrong and what is documented", entry.File())
		}
	}
	got, err := filepath.Glob(root("testdata/deviations/*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files (-defects +files):\n%s", diff)
	}
}

// TestTrackRecord: docs/reference/deviations.md is what the catalogue of deviations says.
func TestTrackRecord(t *testing.T) {
	var text strings.Builder
	if err := deviations.Markdown(&text, production.KubernetesVersion); err != nil {
		t.Fatal(err)
	}
	file := root("docs/reference/deviations.md")
	if *update {
		if err := os.WriteFile(file, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v (go test -update writes it)", err)
	}
	if diff := cmp.Diff(text.String(), string(got)); diff != "" {
		t.Errorf("docs/reference/deviations.md (-catalogue +file; go test -update writes it):\n%s", diff)
	}
}

func root(path string) string { return filepath.Join("..", "..", filepath.FromSlash(path)) }

func defaultConfig(t *testing.T) *production.Config {
	t.Helper()
	cfg, err := production.DefaultConfig()
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// themeConfig returns the configuration that the theme asks for, or the default one.
func themeConfig(t *testing.T, theme string) *production.Config {
	t.Helper()
	text, at, err := scenario.ThemeConfiguration([]string{theme}, admission.Admit)
	if err != nil {
		t.Fatal(err)
	}
	if text == nil {
		return defaultConfig(t)
	}
	cfg, err := production.LoadConfig(at.String(), text)
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// configOf returns the configuration with which the tool finds the defect.
func configOf(t *testing.T, e deviations.Entry) *production.Config {
	t.Helper()
	return config(t, e.ConfigFile())
}

// config returns the configuration of a file, given from the root of the repository.
func config(t *testing.T, file string) *production.Config {
	t.Helper()
	text, err := os.ReadFile(root(file))
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := production.LoadConfig(file, text)
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// defects explores the scenario and gives the findings that are not by design.
func defects(t *testing.T, cfg *production.Config, s *model.Scenario) []decisions.Finding {
	t.Helper()
	profile, err := cfg.Spec(v1.DefaultSchedulerName)
	if err != nil {
		t.Fatal(err)
	}
	result, err := decisions.Run(t.Context(), []*model.Scenario{s}, decisions.Options{
		Spec: spec.New(profile), Properties: invariants.All(),
		NewDecider: func() (decisions.Decider, error) {
			return production.NewProfiles(t.Context(), cfg, v1.DefaultSchedulerName, production.Options{})
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(result.Findings, func(f decisions.Finding) bool { return f.Class == decisions.ByDesign })
}

func names(quirks []spec.Quirk) []string {
	var names []string
	for _, quirk := range quirks {
		names = append(names, quirk.Name)
	}
	return names
}
