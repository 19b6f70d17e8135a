package mutation

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

var (
	upTo = flag.String("scope", "small", "how far to look for a fault: small (its theme, 2 nodes, 3 pods) or "+
		"default (all themes, up to 3 nodes, 5 pods)")
	update = flag.Bool("update", false, "write docs/reference/mutation.md anew; needs -scope default")
)

// mutant is kube-scheduler with one small fault.
type mutant struct {
	name, plugin, what string
	// theme is the theme that is about the fault; it is explored first.
	theme string
	// planted has the fault in a plugin, around has it around all plugins.
	planted production.Options
	around  func(decisions.Decider) decisions.Decider
}

func mutants() []mutant {
	var all []mutant
	for _, some := range [][]mutant{filterMutants(), resourceMutants(), volumeMutants(), neighbourMutants(),
		scoreMutants(), preemptionMutants(), cycleMutants()} {
		all = append(all, some...)
	}
	return all
}

// scope is how large clusters are.
type scope struct{ nodes, pods int }

var small, usual = scope{2, 3}, scope{3, 5}

func (s scope) String() string { return fmt.Sprintf("%d nodes, %d pods", s.nodes, s.pods) }

// notice is how a fault was noticed: on which theme and scope, by which finding, after how many distinct decisions
// on that theme.
type notice struct {
	scope   scope
	theme   string
	finding string
	asked   int64
}

// late are mutants that the small scope of their theme does not show, and why.
func late() map[string]string {
	return map[string]string{
		"fewest-first":       "it takes two victims on one node and one that matters more on another",
		"sum-before-highest": "it takes two victims on one node and one that matters more on another",
		"sum-overlooked":     "it takes two victims on one node and one on another that matters as much as the first of them",
	}
}

// unnoticed are mutants that no theme shows, and why.
func unnoticed() map[string]string {
	return map[string]string{
		"name-overlooked": "a pod that names a node is bound already and does not ask, so the filter has nothing to reject",
	}
}

// TestMutants: every mutant is noticed but those that are known not to be.
func TestMutants(t *testing.T) {
	as := released{scopes: map[string]func() map[string]bool{}}
	all := mutants()
	notices := make([]*notice, len(all))
	t.Run("each", func(t *testing.T) {
		for i, m := range all {
			t.Run(m.name, func(t *testing.T) {
				t.Parallel()
				if why, is := late()[m.name]; is && *upTo == "small" {
					t.Skip(why + "; -scope default has that")
				}
				notices[i] = find(t, m, &as)
				why, expected := unnoticed()[m.name]
				switch {
				case notices[i] == nil && !expected:
					t.Errorf("%s: %s: not noticed", m.plugin, m.what)
				case notices[i] != nil && expected:
					t.Errorf("noticed by %s, though %s", notices[i].finding, why)
				}
			})
		}
	})
	if *update && *upTo != "small" {
		if err := os.WriteFile("../../docs/reference/mutation.md", []byte(table(all, notices)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestEveryPlugin: every filter and every score plugin of the default profile has a mutant, and so has preemption.
func TestEveryPlugin(t *testing.T) {
	profile := kubeScheduler(t, mutant{}).Spec.Profile
	filters := slices.Concat(filterMutants(), resourceMutants(), volumeMutants(), neighbourMutants())
	missing := func(plugin string, mutants []mutant) bool {
		return plugin != names.DynamicResources &&
			!slices.ContainsFunc(mutants, func(m mutant) bool { return m.plugin == plugin })
	}
	for _, plugin := range profile.Filters {
		if missing(plugin, filters) {
			t.Errorf("filter %s has no mutant", plugin)
		}
	}
	for _, scorePlugin := range profile.ScorePlugins {
		if missing(scorePlugin.Plugin, scoreMutants()) {
			t.Errorf("score plugin %s has no mutant", scorePlugin.Plugin)
		}
	}
	if missing(names.DefaultPreemption, preemptionMutants()) {
		t.Errorf("%s has no mutant", names.DefaultPreemption)
	}
}

// TestNoFault: it is the faults that are noticed. With everything in place to plant them, but none planted, nothing
// is found that is not found of kube-scheduler as released.
func TestNoFault(t *testing.T) {
	unspoilt := mutant{
		planted: inPreemption(preemptionFault{prefer: documentedOrder()}),
		around:  around(decisionFault{pod: func(*v1.Pod) {}, decision: func(spec.Question, *spec.Decision) {}}),
	}
	profile := kubeScheduler(t, mutant{}).Spec.Profile
	plugins := slices.Clone(profile.Filters)
	for _, scorePlugin := range profile.ScorePlugins {
		plugins = append(plugins, scorePlugin.Plugin)
	}
	nothing := func(*v1.Pod) {}
	for _, plugin := range plugins {
		if plugin == names.DynamicResources {
			continue // no mutant is of it, and it does more than filter and score
		}
		f := fault{pod: nothing, node: func(*v1.Node) {}}
		maps.Copy(unspoilt.planted.Registry, in(plugin, f).Registry)
	}
	as := released{scopes: map[string]func() map[string]bool{}}
	for _, theme := range scenario.ThemeNames() {
		if n := unspoilt.explore(t, theme, small, &as); n != nil {
			t.Errorf("%s: %s", theme, n.finding)
		}
	}
}

// find explores the mutant, the theme that is about the fault and small scopes first, until it is noticed; nil if
// it is not.
func find(t *testing.T, m mutant, as *released) *notice {
	scopes := []scope{small}
	if *upTo != "small" {
		scopes = append(scopes, usual)
	}
	for _, scope := range scopes {
		themes := []string{m.theme}
		if *upTo != "small" {
			for _, theme := range scenario.ThemeNames() {
				if theme != m.theme {
					themes = append(themes, theme)
				}
			}
		}
		for _, theme := range themes {
			if n := m.explore(t, theme, scope, as); n != nil {
				return n
			}
		}
	}
	return nil
}

// explore explores one theme until there is a new finding that kube-scheduler as released does not have.
func (m mutant) explore(t *testing.T, theme string, scope scope, as *released) *notice {
	o := kubeScheduler(t, m)
	var found *notice
	o.Enough = func(id string, class decisions.Class) bool {
		if class != decisions.New || as.finds(t, theme, scope, id) {
			return false
		}
		found = &notice{scope: scope, theme: theme, finding: id}
		return true
	}
	result := run(t, o, theme, scope)
	if found != nil {
		found.asked = result.Asked
	}
	return found
}

// kubeScheduler returns the options of a run against the mutant.
func kubeScheduler(t *testing.T, m mutant) decisions.Options {
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
			scheduler, err := production.New(t.Context(), cfg, v1.DefaultSchedulerName, m.planted)
			if err != nil || m.around == nil {
				return scheduler, err
			}
			return m.around(scheduler), nil
		},
	}
}

func run(t *testing.T, o decisions.Options, theme string, scope scope) *decisions.Result {
	t.Helper()
	s, err := scenario.Theme(theme, scope.nodes, model.Actions{Arrivals: scope.pods, Preempt: true, VictimGone: true},
		admission.Admit)
	if err != nil {
		t.Fatal(err)
	}
	result, err := decisions.Run(t.Context(), []*model.Scenario{s}, o)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// released remembers the new findings of kube-scheduler as released, by theme and scope.
type released struct {
	mu     sync.Mutex
	scopes map[string]func() map[string]bool
}

// finds reports whether the finding is one of kube-scheduler as released.
func (r *released) finds(t *testing.T, theme string, scope scope, id string) bool {
	r.mu.Lock()
	key := fmt.Sprint(theme, scope)
	findings, known := r.scopes[key]
	if !known {
		findings = sync.OnceValue(func() map[string]bool {
			found := map[string]bool{}
			o := kubeScheduler(t, mutant{})
			o.Enough = func(id string, class decisions.Class) bool {
				found[id] = class == decisions.New
				return false
			}
			run(t, o, theme, scope)
			return found
		})
		r.scopes[key] = findings
	}
	r.mu.Unlock()
	return findings()[id]
}

// table returns the results as a page.
func table(all []mutant, notices []*notice) string {
	var rows strings.Builder
	noticed := 0
	for i, m := range all {
		n := notices[i]
		if n == nil {
			fmt.Fprintf(&rows, "| %s | %s | %s | not noticed | | |\n", m.name, m.plugin, m.what)
			continue
		}
		noticed++
		fmt.Fprintf(&rows, "| %s | %s | %s | %s, %s | %s | %d |\n", m.name, m.plugin, m.what, n.theme, n.scope,
			n.finding, n.asked)
	}
	var why strings.Builder
	for _, m := range all {
		if reason, is := unnoticed()[m.name]; is {
			fmt.Fprintf(&why, "- **%s**: %s\n", m.name, reason)
		}
	}
	return fmt.Sprintf(page, len(all), noticed, 100*noticed/len(all), rows.String(), why.String())
}

const page = `# Mutation check

Would a defect be noticed? Small faults are planted in kube-scheduler, one at a time: a field that is overlooked, a
count that is off by one, a score that is not normalised, a dry run that forgets whom it took away. Each faulty
scheduler is explored on the built-in themes, the theme that is about the fault and small clusters first, until there
is a finding that nothing known explains and that kube-scheduler as released does not have.

    go test ./internal/mutation -run TestMutants -scope default -timeout 60m -update

writes this page, and without -scope and -update tries what small clusters show. The last column is the number of
distinct decisions on that theme when the run ended.

**Of %d faults %d are noticed, %d%%.**

| fault | plugin | what is wrong | noticed on | by | decisions |
| --- | --- | --- | --- | --- | --- |
%s
## Not noticed

%s`
