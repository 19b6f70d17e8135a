package modelcheck

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/patience"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/internal/report"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// Scope says which clusters are explored: all of 1 to Nodes nodes, to which up to Pods pods come, one at a time,
// and are placed, preempted, and gone when they have terminated, in every order. Templates, Themes or both are
// needed.
type Scope struct {
	// Templates are manifests, in YAML or JSON, of the nodes and pending pods that clusters are drawn from, and of
	// what they refer to, such as PriorityClasses and PodDisruptionBudgets.
	Templates string
	// Themes names built-in themes, whose templates are explored apart; modelcheck themes lists them.
	Themes []string
	// Nodes is the largest number of nodes, up to 20; 0 means 2.
	Nodes int
	// Pods is the largest number of pods, up to 250; 0 means 3.
	Pods int
	// MaxStates stops the exploration of Templates, and of each theme, after about so many states; a run that was
	// stopped is not finished. 0 means no bound; then a scope is refused that clearly does not fit into Memory.
	MaxStates int64
	// Memory is what the process may take, in bytes; 0 means three quarters of the machine's. As long as Check lasts
	// it is the limit from which on garbage is collected more often (debug.SetMemoryLimit), unless that is less.
	Memory int64
}

// Check explores the scope. What it finds is in the result, whose verdict is violated also by findings about
// plugins of Kubernetes, if nothing known explains them. An error means that nothing was checked, and says what to
// correct. Cancelling the context ends the exploration, and the verdict says that it is not finished. Check returns
// within a second then, whatever plugins and predicates do: those that hang are left behind, and the result names them
// with their questions. A plugin that panics, hangs or
// changes what it is given is a finding; a predicate that panics, and New, are errors that say so.
func (s Scheduler) Check(ctx context.Context, scope Scope) (result *Result, err error) {
	at := newAtWork()
	until, end := patience.Extend(ctx, grace)
	defer end()
	defer func() {
		if r := recover(); r != nil {
			result, err = nil, errorOf(r)
		}
	}()
	defer limitMemory(cmp.Or(scope.Memory, decisions.DefaultMemory()))()
	if !patience.Do(until, func() { result, err = s.check(ctx, scope, at) }) {
		return nil, fmt.Errorf("nothing was checked: %w, while this was at work: %s", context.Cause(ctx),
			cmp.Or(at.named(), "nothing of the plugins"))
	}
	return result, err
}

// grace is how long Check may go on when its context is cancelled, to conclude with what it knows.
const grace = 700 * time.Millisecond

// check is Check, which may be left behind.
func (s Scheduler) check(ctx context.Context, scope Scope, at *atWork) (*Result, error) {
	scope.Nodes, scope.Pods = cmp.Or(scope.Nodes, 2), cmp.Or(scope.Pods, 3)
	if err := scope.check(); err != nil {
		return nil, err
	}
	o, err := s.open(ctx, at)
	if err != nil {
		return nil, err
	}
	scenarios, notes, err := scope.scenarios(o.profiles)
	if err != nil {
		return nil, err
	}
	plan, err := decisions.NewPlan(decisions.Request{
		Scenarios: scenarios, Memory: scope.Memory,
		Options: decisions.Options{Spec: o.model, NewDecider: o.decider(ctx), MaxStates: scope.MaxStates},
	})
	if err != nil {
		return nil, err
	}
	conclusion, err := plan.Run(ctx)
	if err != nil {
		return nil, err
	}
	if len(conclusion.Result.Hanging) > 0 {
		named := at.named()
		for i := range conclusion.Result.Hanging {
			conclusion.Result.Hanging[i].In = named
		}
	}
	return newResult(&report.Run{
		KubernetesVersion: production.KubernetesVersion, Spec: o.model, Configuration: []byte(s.configuration()),
		Scope: report.Scope{Nodes: scope.Nodes, Pods: scope.Pods, MaxStates: scope.MaxStates},
		Notes: slices.Concat(o.notes, notes), Result: conclusion.Result, Elapsed: conclusion.Elapsed,
		Workers: conclusion.Workers,
	}), nil
}

// Test explores the scope and fails with the counterexamples of what nothing known explains. It fails as well if
// the exploration does not finish before the test's deadline, and if a plugin's predicate makes no difference in the
// scope, for then nothing was tested.
func (s Scheduler) Test(t testing.TB, scope Scope) {
	t.Helper()
	ctx, cancel := inTime(t)
	defer cancel()
	result, err := s.Check(ctx, scope)
	if err != nil {
		t.Fatal(err)
	}
	for _, note := range result.Notes {
		t.Log(note)
	}
	t.Log(result)
	switch result.Verdict {
	case Violated:
		t.Fatal("\n" + textOf(result.run.Spec, ofClasses(result.run.Result.Findings, []Class{New})))
	case Unfinished:
		for _, hanging := range result.Hanging {
			t.Error("hangs: " + hanging)
		}
		t.Fatal("not finished: " + result.Stopped + "; make the scope smaller, or Scope.MaxStates larger")
	}
	did := make([]effects, len(s.Plugins))
	for i, p := range s.Plugins {
		did[i] = effectsIn(p.Name, result.run.Result)
	}
	for _, idle := range s.idle(did) {
		t.Error(idle)
	}
}

// inTime returns the context of the test, which ends before go test ends everything at its -timeout.
func inTime(t testing.TB) (context.Context, context.CancelFunc) {
	if limited, is := t.(interface{ Deadline() (time.Time, bool) }); is {
		if deadline, set := limited.Deadline(); set {
			return context.WithDeadline(t.Context(), deadline.Add(-2*grace))
		}
	}
	return context.WithCancel(t.Context())
}

// check finds what is wrong with the scope whatever its templates are.
func (s Scope) check() error {
	if s.Templates == "" && len(s.Themes) == 0 {
		return fmt.Errorf("the scope has neither Templates nor Themes, so there is nothing to explore; themes are %s",
			strings.Join(scenario.ThemeNames(), ", "))
	}
	for _, bound := range []decisions.Bound{
		{Name: "Scope.Nodes", Value: int64(s.Nodes), Least: 1, Most: decisions.MaxTemplateNodes},
		{Name: "Scope.Pods", Value: int64(s.Pods), Least: 1, Most: decisions.MaxPods},
		{Name: "Scope.MaxStates", Value: s.MaxStates, Most: math.MaxInt64},
		{Name: "Scope.Memory", Value: s.Memory, Most: math.MaxInt64},
	} {
		if err := bound.Check(); err != nil {
			return err
		}
	}
	return nil
}

// scenarios returns what is to be explored under each profile, and notes on what was read.
func (s Scope) scenarios(profiles []string) (all []*model.Scenario, notes []string, err error) {
	actions := model.Actions{Arrivals: s.Pods, Preempt: true, VictimGone: true}
	all, err = scenario.ForProfiles(profiles, func() (some []*model.Scenario, err error) {
		if s.Templates != "" {
			manifests, err := s.templates()
			if err != nil {
				return nil, err
			}
			notes = manifests.Notes
			some = append(some, scenario.EveryCluster("templates", "", manifests.Snapshot(), s.Nodes, actions))
		}
		for _, name := range s.Themes {
			theme, err := scenario.Theme(name, s.Nodes, actions, admission.Admit)
			if err != nil {
				return nil, fmt.Errorf("Scope.Themes: %w", err)
			}
			some = append(some, theme)
		}
		return some, nil
	})
	return all, notes, err
}

// templates reads the manifests of Templates.
func (s Scope) templates() (*scenario.Manifests, error) {
	const name = "Scope.Templates"
	m, err := scenario.Decode(name, []byte(s.Templates), admission.Admit)
	if err != nil {
		return nil, err
	}
	switch {
	case m.SchedulerConfiguration != nil:
		return nil, fmt.Errorf(
			"%s: a KubeSchedulerConfiguration is among the templates; give it as Scheduler.Configuration", name)
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
