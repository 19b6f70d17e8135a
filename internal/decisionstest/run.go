// Package decisionstest has what tests run the built-in themes with. Its own tests say what holds of all themes: they
// take minutes, and lie apart from those of internal/decisions for that.
package decisionstest

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Everything lets pods arrive, preempt, leave and complete.
func Everything(arrivals int) model.Actions {
	return model.Actions{Arrivals: arrivals, Completions: 1, Preempt: true, VictimGone: true}
}

// Themes returns all built-in themes.
func Themes(t testing.TB, nodes, pods int) []*model.Scenario {
	t.Helper()
	var all []*model.Scenario
	for _, name := range scenario.ThemeNames() {
		all = append(all, Theme(t, name, nodes, Everything(pods)))
	}
	return all
}

// Theme returns a built-in theme. Those of very many templates, which are explored in full by the README's first
// command, are left with one pod on one node: they would take longer than all others together.
func Theme(t testing.TB, name string, nodes int, actions model.Actions) *model.Scenario {
	t.Helper()
	const many = 12
	s, err := scenario.Theme(name, nodes, actions, admission.Admit)
	if err == nil && len(s.Pods) > many {
		actions.Arrivals = 1
		s, err = scenario.Theme(name, 1, actions, admission.Admit)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// KubeScheduler returns the options of a run against production with plugins in the place of its own.
func KubeScheduler(t testing.TB, o production.Options) decisions.Options {
	t.Helper()
	cfg, err := production.DefaultConfig()
	if err != nil {
		t.Fatal(err)
	}
	profile, err := cfg.Spec(v1.DefaultSchedulerName)
	if err != nil {
		t.Fatal(err)
	}
	return decisions.Options{
		Spec:    spec.New(profile),
		Workers: 1,
		NewDecider: func() (decisions.Decider, error) {
			return production.New(t.Context(), cfg, v1.DefaultSchedulerName, o)
		},
	}
}

// Run runs to the end.
func Run(t testing.TB, o decisions.Options, scenarios ...*model.Scenario) *decisions.Result {
	t.Helper()
	result, err := decisions.Run(t.Context(), scenarios, o)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// Describe tells a finding as a story: the nodes, the steps, and what is wrong.
func Describe(f decisions.Finding) string {
	var text strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&text, format+"\n", args...) }
	line("%s: %s", f.ID, f.Property.Doc)
	var nodes []string
	for _, n := range f.Example.Stages[0].Cluster.Nodes {
		nodes = append(nodes, n.Name)
	}
	line("nodes: %s", strings.Join(nodes, ", "))
	for i, stage := range f.Example.Stages {
		if step := stage.Step; step != nil {
			words := fmt.Sprintf("%d. %s %s", i+1, step.Class, step.Pod.Name)
			if step.Node != nil {
				words += " on " + step.Node.Name
			}
			for _, victim := range step.Victims {
				words += ", evicting " + victim.Name
			}
			line("%s", words)
		}
	}
	if f.Example.Case != nil {
		line("then %s asks:", f.Example.Case.Question.Pod.Name)
	}
	for _, reason := range f.Example.Reasons {
		line("- %s", reason)
	}
	return text.String()
}

// Golden compares text with a file of testdata.
func Golden(t testing.TB, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (go test with -update writes it)", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}
