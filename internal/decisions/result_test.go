package decisions_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/tainttoleration"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestSameResult: but for the time spent, a result depends on neither the number of workers nor chance.
func TestSameResult(t *testing.T) {
	planted := plant(
		tainttoleration.Name,
		func(p *tainttoleration.TaintToleration) fwk.Plugin { return notNormalised{p} },
	)
	for _, row := range []struct {
		reason    string
		scheduler production.Options
		scenarios []*model.Scenario
	}{
		{"all themes", production.Options{}, themes(t, 2, 2)},
		{"a planted bug", planted, []*model.Scenario{
			clusters(t, 2, everything(3), node("plain", "2"), node("spot", "1", v1.TaintEffectPreferNoSchedule),
				pod("low", "1", 0), pod("high", "2", 10)),
		}},
	} {
		o := kubeScheduler(t, row.scheduler)
		o.Workers = 1
		want := run(t, o, row.scenarios...)
		if len(want.Findings) == 0 {
			t.Errorf("%s: there is no finding to compare", row.reason)
		}
		o.Workers = 8
		if diff := cmp.Diff(want, run(t, o, row.scenarios...), sameResult...); diff != "" {
			t.Errorf("%s (-one worker +eight):\n%s", row.reason, diff)
		}
	}
}

// sameResult compares results: properties and quirks by name; outcomes by the names of victims, as they
// are equal for the same objects only; functions and time not at all.
var sameResult = []cmp.Option{
	cmpopts.IgnoreFields(decisions.Result{}, "InProduction"),
	cmpopts.IgnoreFields(invariants.Case{}, "Spec"),
	cmp.FilterPath(func(p cmp.Path) bool { return p.Last().Type().Kind() == reflect.Func }, cmp.Ignore()),
	cmpopts.IgnoreUnexported(decisions.ScenarioResult{}, model.Scenario{}, decisions.ScoreCoverage{},
		decisions.Finding{}, model.Stage{}, spec.Snapshot{}, invariants.Case{}),
	cmp.Comparer(func(a, b spec.Outcome) bool {
		samePod := func(a, b *v1.Pod) bool { return a.Name == b.Name && a.Namespace == b.Namespace }
		return a.Type == b.Type && a.Node == b.Node && a.KeepsNomination == b.KeepsNomination &&
			slices.EqualFunc(a.Victims, b.Victims, samePod)
	}),
	cmp.Comparer(func(a, b invariants.Property) bool { return a.Name == b.Name }),
	cmp.Comparer(func(a, b spec.Quirk) bool { return a.Name == b.Name }),
}

func TestVerdictOfProperty(t *testing.T) {
	// Nobody is preempted, nor has a policy against it, where all pods are equal.
	result := run(t, kubeScheduler(t, production.Options{}), clusters(t, 1, model.Actions{Arrivals: 2}, node("n", "1"),
		pod("web", "1", 0)))
	got := map[string]string{}
	for _, p := range result.Properties {
		got[p.Name] = p.Verdict()
		if (p.Exercised == 0) != (p.Verdict() == "not exercised") {
			t.Errorf("%s: exercised %d times, verdict %s", p.Name, p.Exercised, p.Verdict())
		}
	}
	want := map[string]string{
		"answered": "holds", "statuses-conform": "holds", "outcome-conforms": "holds", "placement-feasible": "holds",
		"no-overcommit": "holds", "binding-never-overcommits": "holds", "bound-pods-stay": "holds",
		"scores-conform": "not exercised", "ideal-preemption": "not exercised",
		"victims-lower-priority":    "not exercised",
		"victims-on-nominated-node": "not exercised", "preemption-sound": "not exercised",
		"preemption-irredundant": "not exercised",
		"no-needless-preemption": "not exercised", "never-preempts": "not exercised",
		"lowest-victims": "not exercised", "no-avoidable-violation": "not exercised",
		"no-stale-disruption": "not exercised", "no-lasting-inversion": "not exercised",
		"nomination-attainable": "not exercised", "nomination-has-reason": "not exercised",
		"nominations-respected":    "not exercised",
		"one-preemption-at-a-time": "not exercised", "preemption-writes": "not exercised",
		"objects-untouched": "holds",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("verdicts (-want +got):\n%s", diff)
	}
	for _, row := range []struct {
		reason   string
		property decisions.PropertyResult
		want     string
	}{
		{"violated is worse than reported", brokenBy(decisions.New, decisions.Reported, decisions.ByDesign), "violated"},
		{"reported is worse than by design", brokenBy(decisions.Reported, decisions.ByDesign), "reported"},
		{"by design is worse than nothing", brokenBy(decisions.ByDesign), "by design"},
	} {
		if got := row.property.Verdict(); got != row.want {
			t.Errorf("%s: %s, want %s", row.reason, got, row.want)
		}
	}
}

// brokenBy returns a property that is broken once by each class.
func brokenBy(classes ...decisions.Class) decisions.PropertyResult {
	p := decisions.PropertyResult{Exercised: 1, Broken: int64(len(classes))}
	for _, class := range classes {
		by := decisions.Breakage{Class: class, Count: 1}
		if class == decisions.Reported {
			by.Quirks = []spec.Quirk{spec.BudgetSpentOnSpared()}
		}
		p.By = append(p.By, by)
	}
	return p
}

// TestBrokenUnderAnotherName: a property is not said to hold because what breaks it is a finding of another property.
func TestBrokenUnderAnotherName(t *testing.T) {
	s, err := scenario.Theme("budgets", 1, model.Actions{Arrivals: 3, Preempt: true, VictimGone: true}, admission.Admit)
	if err != nil {
		t.Fatal(err)
	}
	result := run(t, kubeScheduler(t, production.Options{}), s)
	for _, f := range result.Findings {
		if f.Property.Name == invariants.LowestVictims().Name {
			t.Fatalf("%s is a finding of its own now: this test wants another property", f.ID)
		}
	}
	i := slices.IndexFunc(
		result.Properties,
		func(p decisions.PropertyResult) bool { return p.Name == invariants.LowestVictims().Name },
	)
	p := result.Properties[i]
	if p.Verdict() != "reported" || p.Broken == 0 || p.Broken > p.Exercised {
		t.Errorf("%s: %s, broken in %d of %d decisions", p.Name, p.Verdict(), p.Broken, p.Exercised)
	}
	var got []string
	for _, by := range p.By {
		for _, quirk := range by.Quirks {
			got = append(got, fmt.Sprint(by.Class, " ", quirk.Name, " ", by.Count))
		}
	}
	if diff := cmp.Diff([]string{fmt.Sprint("reported budget-spent-on-spared ", p.Broken)}, got); diff != "" {
		t.Errorf("why (-want +got):\n%s", diff)
	}
}

// TestDecisionsAreSharedAmongScenarios: a question that came up in one scenario is not asked again in the next.
func TestDecisionsAreSharedAmongScenarios(t *testing.T) {
	s := clusters(t, 2, everything(2), node("n", "2"), pod("web", "1", 0))
	o := kubeScheduler(t, production.Options{})
	once, twice := run(t, o, s), run(t, o, s, s)
	if twice.Asked != once.Asked || twice.Distinct != 2*once.Distinct || twice.CacheHits <= 2*once.CacheHits {
		t.Errorf("once: %d asked, %d saved, %d states; twice: %d, %d, %d", once.Asked, once.CacheHits, once.Distinct,
			twice.Asked, twice.CacheHits, twice.Distinct)
	}
}

func TestEnds(t *testing.T) {
	result := run(t, kubeScheduler(t, production.Options{}), clusters(t, 1, model.Actions{Arrivals: 2, Preempt: true},
		node("n", "1"), pod("low", "1", 0), pod("high", "1", 10)))
	want := []checker.EndCount{
		{Label: decisions.TerminalNominated, Count: 1},
		{Label: decisions.TerminalUnschedulable, Count: 3},
	}
	if diff := cmp.Diff(want, result.Scenarios[0].Ends); diff != "" {
		t.Errorf("ends (-want +got):\n%s", diff)
	}
}

func TestUnfinishedRuns(t *testing.T) {
	s := clusters(t, 2, everything(3), node("n", "2"), pod("web", "1", 0))
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, row := range []struct {
		reason string
		ctx    context.Context
		limit  func(*decisions.Options)
		want   []checker.Reason
	}{
		{"no limit", t.Context(), func(*decisions.Options) {},
			[]checker.Reason{checker.NotStopped, checker.NotStopped}},
		{"few levels", t.Context(), func(o *decisions.Options) { o.MaxDepth = 2 },
			[]checker.Reason{checker.DepthLimit, checker.DepthLimit}},
		{"few states", t.Context(), func(o *decisions.Options) { o.MaxStates = 3 },
			[]checker.Reason{checker.StateLimit, checker.StateLimit}},
		{"cancelled", cancelled, func(*decisions.Options) {}, []checker.Reason{checker.Cancelled, checker.Cancelled}},
	} {
		o := kubeScheduler(t, production.Options{})
		row.limit(&o)
		result, err := decisions.Run(row.ctx, []*model.Scenario{s, s}, o)
		if err != nil {
			t.Fatal(err)
		}
		var stopped []checker.Reason
		for _, scenario := range result.Scenarios {
			stopped = append(stopped, scenario.Stopped)
		}
		if diff := cmp.Diff(row.want, stopped); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.reason, diff)
		}
		if result.Complete != (row.want[0] == checker.NotStopped) {
			t.Errorf("%s: complete: %v", row.reason, result.Complete)
		}
	}
}

func TestRunErrors(t *testing.T) {
	good := clusters(t, 1, everything(1), node("n", "2"), pod("web", "1", 0))
	bad := *good
	bad.Initial = nil
	if _, err := decisions.Run(t.Context(), []*model.Scenario{&bad},
		kubeScheduler(t, production.Options{})); err == nil ||
		err.Error() != "scenario test has no initial cluster" {
		t.Errorf("a malformed scenario: %v", err)
	}
	o := kubeScheduler(t, production.Options{})
	broken := errors.New("planted")
	o.NewDecider = func() (decisions.Decider, error) { return nil, broken }
	if _, err := decisions.Run(t.Context(), []*model.Scenario{good}, o); !errors.Is(err, broken) {
		t.Errorf("a decider that cannot be made: %v", err)
	}
}
