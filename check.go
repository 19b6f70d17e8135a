package modelcheck

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/internal/report"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// Scope says which clusters are explored: all of 1 to Nodes nodes, to which up to Pods pods come, one at a time,
// and are placed, preempted, and gone when they have terminated, in every order. Kinds, Themes or both are needed.
type Scope struct {
	// Templates are manifests, in YAML or JSON, of the nodes and pending pods that stand for the kinds from which
	// clusters are drawn, and of what they refer to, such as PriorityClasses and PodDisruptionBudgets.
	Templates string
	// Themes names built-in themes, explored apart; modelcheck themes lists them.
	Themes []string
	// Nodes is the largest number of nodes, up to 20; 0 means 2.
	Nodes int
	// Pods is the largest number of pods, up to 250; 0 means 3.
	Pods int
	// MaxStates stops the exploration of Kinds, and of each theme, after about so many states; 0 means a million. A
	// run that was stopped is not finished.
	MaxStates int64
}

// Check explores the scope. What it finds is in the result, whose verdict is violated also by findings about
// plugins of Kubernetes, if nothing known explains them. An error means that nothing was checked, and says what to
// correct. Cancelling the context ends the exploration, which the verdict tells.
func (s Scheduler) Check(ctx context.Context, scope Scope) (*report.Run, error) {
	scope.Nodes, scope.Pods, scope.MaxStates = cmp.Or(scope.Nodes, 2), cmp.Or(scope.Pods, 3),
		cmp.Or(scope.MaxStates, 1_000_000)
	o, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	scenarios, notes, err := scope.scenarios(o.profiles)
	if err != nil {
		return nil, err
	}
	workers, began := runtime.GOMAXPROCS(0), time.Now()
	result, err := decisions.Run(ctx, scenarios, decisions.Options{
		Spec: o.model, NewDecider: o.decider(ctx), Workers: workers, MaxStates: scope.MaxStates,
	})
	if err != nil {
		return nil, err
	}
	return &report.Run{
		KubernetesVersion: production.KubernetesVersion, Spec: o.model, Configuration: []byte(s.configuration()),
		Scope: report.Scope{Nodes: scope.Nodes, Pods: scope.Pods, MaxStates: scope.MaxStates},
		Notes: slices.Concat(o.notes, notes), Result: result, Elapsed: time.Since(began), Workers: workers,
	}, nil
}

// Test explores the scope and fails with the counterexamples of what nothing known explains. It fails as well if
// the exploration does not finish, and if a plugin's predicate makes no difference in the scope, for then nothing
// was tested.
func (s Scheduler) Test(t testing.TB, scope Scope) {
	t.Helper()
	run, err := s.Check(t.Context(), scope)
	if err != nil {
		t.Fatal(err)
	}
	for _, note := range run.Notes {
		t.Log(note)
	}
	t.Logf("%d states, %d distinct decisions: %s", run.Result.Distinct, run.Result.Asked, run.Verdict())
	switch run.Verdict() {
	case report.Violated:
		t.Fatal("\n" + failures(run.Spec, run.Result.Findings))
	case report.Unfinished:
		t.Fatal("not finished: " + stopped(run.Result) + "; make the scope smaller, or Scope.MaxStates larger")
	}
	did := make([]effects, len(s.Plugins))
	for i, p := range s.Plugins {
		did[i] = effectsIn(p.Name, run.Result)
	}
	for _, idle := range s.idle(did) {
		t.Error(idle)
	}
}

// failures puts in words the findings that nothing known explains.
func failures(model *spec.Scheduler, findings []decisions.Finding) string {
	fresh := slices.DeleteFunc(
		slices.Clone(findings),
		func(f decisions.Finding) bool { return f.Class != decisions.New },
	)
	var text strings.Builder
	if err := report.FindingsText(&text, model, fresh); err != nil {
		panic(err) // a strings.Builder gives none
	}
	return text.String()
}

// stopped says what stopped the exploration.
func stopped(r *decisions.Result) string {
	for _, s := range r.Scenarios {
		if !s.Complete {
			return fmt.Sprintf("%s: %s", s.Scenario.Name, s.Stopped)
		}
	}
	return "the context was cancelled"
}

// scenarios returns what is to be explored under each profile, and notes on what was read.
func (s Scope) scenarios(profiles []string) (all []*model.Scenario, notes []string, err error) {
	const mostNodes, mostPods = 20, 250
	switch {
	case s.Templates == "" && len(s.Themes) == 0:
		return nil, nil, fmt.Errorf(
			"the scope has neither Kinds nor Themes, so there is nothing to explore; themes are %s",
			strings.Join(scenario.ThemeNames(), ", "))
	case s.Nodes < 1 || s.Nodes > mostNodes:
		return nil, nil, fmt.Errorf("Scope.Nodes is %d: it must be from 1 to %d", s.Nodes, mostNodes)
	case s.Pods < 1 || s.Pods > mostPods:
		return nil, nil, fmt.Errorf("Scope.Pods is %d: it must be from 1 to %d", s.Pods, mostPods)
	case s.MaxStates < 1:
		return nil, nil, fmt.Errorf("Scope.MaxStates is %d: it must be at least 1", s.MaxStates)
	}
	actions := model.Actions{Arrivals: s.Pods, Preempt: true, VictimGone: true}
	for _, profile := range profiles {
		var some []*model.Scenario
		if s.Templates != "" {
			manifests, err := s.templates()
			if err != nil {
				return nil, nil, err
			}
			notes = manifests.Notes
			some = append(some, scenario.EveryCluster("kinds", "", manifests.Snapshot(), s.Nodes, actions))
		}
		for _, name := range s.Themes {
			theme, err := scenario.Theme(name, s.Nodes, actions, admission.Admit)
			if err != nil {
				return nil, nil, fmt.Errorf("Scope.Themes: %w", err)
			}
			some = append(some, theme)
		}
		for _, one := range some {
			ask(one, profile)
			if len(profiles) > 1 {
				one.Name += "@" + profile
			}
		}
		all = append(all, some...)
	}
	return all, notes, nil
}

// ask lets the pending pods no scheduler by name ask under the profile.
func ask(s *model.Scenario, profile string) {
	for i := range s.Pods {
		if pod := s.Pods[i].Pod; pod.Spec.SchedulerName == v1.DefaultSchedulerName {
			pod.Spec.SchedulerName = profile
		}
	}
}

// templates reads the manifests of Kinds.
func (s Scope) templates() (*scenario.Manifests, error) {
	const name = "Scope.Kinds"
	m, err := scenario.Decode(name, []byte(s.Templates), admission.Admit)
	if err != nil {
		return nil, err
	}
	switch {
	case m.SchedulerConfiguration != nil:
		return nil, fmt.Errorf(
			"%s: a KubeSchedulerConfiguration is among the kinds; give it as Scheduler.Configuration", name)
	case len(m.Nodes) == 0 || len(m.Pods) == 0:
		return nil, fmt.Errorf("%s: there are %d Nodes and %d Pods; at least one of each is needed", name, len(m.Nodes),
			len(m.Pods))
	}
	for _, pod := range m.Pods {
		if pod.Spec.NodeName != "" || pod.DeletionTimestamp != nil || spec.Gated(pod) {
			return nil, fmt.Errorf("%s: Pod %s/%s: it stands for pods that arrive and wait for the scheduler: leave "+
				"out spec.nodeName, "+"deletionTimestamp and spec.schedulingGates", name, pod.Namespace, pod.Name)
		}
	}
	return m, nil
}
