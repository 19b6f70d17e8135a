package report

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

func TestVerdict(t *testing.T) {
	tests := []struct {
		reason   string
		classes  []decisions.Class
		complete bool
		strict   decisions.Strict
		want     decisions.Verdict
		sentence string
	}{
		{"nothing found", nil, true, nil, decisions.Holds, "holds"},
		{"nothing found, strictly", nil, true, decisions.StrictOfAll(), decisions.Holds, "holds"},
		{"nothing found so far", nil, false, nil, decisions.Unfinished,
			"not finished; what was explored so far holds"},
		{"deviations are never said to hold",
			[]decisions.Class{decisions.Reported, decisions.Unconfirmed, decisions.Unconfirmed}, true, nil,
			decisions.Holds, "conforms but for 1 reported and 2 unconfirmed deviations"},
		{"one", []decisions.Class{decisions.Unconfirmed}, true, nil, decisions.Holds,
			"conforms but for 1 unconfirmed deviation"},
		{"so far neither", []decisions.Class{decisions.Reported}, false, nil, decisions.Unfinished,
			"not finished; what was explored so far conforms but for 1 reported deviation"},
		{"what is meant, documented, or read otherwise, holds",
			[]decisions.Class{decisions.Documentation, decisions.Interpretation, decisions.ByDesign}, true, nil,
			decisions.Holds, "holds; 1 of documentation, 1 of interpretation, 1 by design"},
		{"but not strictly", []decisions.Class{decisions.ByDesign}, true, decisions.StrictOfAll(), decisions.Violated,
			"violated, as --strict lets these fail: by design; 1 by design"},
		{"strict by class", []decisions.Class{decisions.Reported, decisions.Unconfirmed}, true,
			decisions.Strict{decisions.Reported}, decisions.Violated,
			"violated, as --strict lets these fail: reported; 1 reported and 1 unconfirmed deviations"},
		{"another class passes", []decisions.Class{decisions.Unconfirmed}, true, decisions.Strict{decisions.Reported},
			decisions.Holds, "conforms but for 1 unconfirmed deviation"},
		{"something new", []decisions.Class{decisions.New, decisions.Reported}, true, nil, decisions.Violated,
			"violated, 1 finding that nothing known explains; 1 reported deviation"},
		{"a violation counts even if more might follow", []decisions.Class{decisions.New}, false, nil,
			decisions.Violated, "violated, 1 finding that nothing known explains; not everything was explored"},
	}
	for _, tt := range tests {
		r := &Run{Result: &decisions.Result{Complete: tt.complete}, Strict: tt.strict}
		for _, class := range tt.classes {
			f := decisions.Finding{Class: class, ID: "id"}
			if class != decisions.New && class != decisions.ByDesign {
				f.Quirks = []spec.Quirk{{Name: fmt.Sprint(len(r.Result.Findings)), Class: spec.Class(class)}}
			}
			r.Result.Findings = append(r.Result.Findings, f)
		}
		if got := r.Verdict(); got != tt.want {
			t.Errorf("%s: verdict %s, want %s", tt.reason, got, tt.want)
		}
		if got := verdictSentence(r); got != tt.sentence {
			t.Errorf("%s: %q, want %q", tt.reason, got, tt.sentence)
		}
	}
}

// A known deviation that is gone fails a run that lets nothing pass, and none else.
func TestNotSeenFailsIfStrict(t *testing.T) {
	gone := []NotSeen{{Quirk: "q", Class: decisions.Reported, Title: "It is so.", Find: "modelcheck --theme t"}}
	for _, tt := range []struct {
		reason  string
		strict  decisions.Strict
		notSeen []NotSeen
		want    decisions.Verdict
	}{
		{"nothing is missing", decisions.StrictOfAll(), nil, decisions.Holds},
		{"known deviations may go", nil, gone, decisions.Holds},
		{"strict", decisions.StrictOfAll(), gone, decisions.Violated},
		{"strict of its class", decisions.Strict{decisions.Reported}, gone, decisions.Violated},
		{"strict of another class", decisions.Strict{decisions.Unconfirmed}, gone, decisions.Holds},
	} {
		r := &Run{Result: &decisions.Result{Complete: true}, Strict: tt.strict, NotSeen: tt.notSeen}
		if got := r.Verdict(); got != tt.want {
			t.Errorf("%s: verdict %s, want %s", tt.reason, got, tt.want)
		}
		if told := strings.Contains(verdictSentence(r), "1 known deviation not seen"); told != (tt.notSeen != nil) {
			t.Errorf("%s: %q", tt.reason, verdictSentence(r))
		}
	}
}

// A run that was stopped says where, why and what to do.
func TestUnfinishedRunSaysWhy(t *testing.T) {
	r := &Run{Result: &decisions.Result{Scenarios: []decisions.ScenarioResult{
		{Scenario: &model.Scenario{Name: "done"}, Result: &checker.Result{Complete: true}},
		{
			Scenario: &model.Scenario{Name: "big"},
			Result:   &checker.Result{Stopped: checker.StateLimit, Distinct: 5000, Queue: 1200},
		},
		{
			Scenario: &model.Scenario{Name: "deep"},
			Result:   &checker.Result{Stopped: checker.DepthLimit, Distinct: 1, Queue: 1},
		},
		{
			Scenario: &model.Scenario{Name: "fat"},
			Result:   &checker.Result{Stopped: checker.MemoryLimit, Distinct: 1, Queue: 2},
		},
		{
			Scenario: &model.Scenario{Name: "cut"},
			Result:   &checker.Result{Stopped: checker.Cancelled, Distinct: 1, Queue: 3},
		},
		{Scenario: &model.Scenario{Name: "late"}, Result: &checker.Result{Stopped: checker.Cancelled}},
	}}}
	want := []string{
		"big: stopped (state limit) with 1,200 states found and not explored; raise --max-states.",
		"deep: stopped (depth limit) with 1 state found and not explored; raise --max-depth.",
		"fat: stopped (memory limit) with 2 states found and not explored; raise --memory, or take fewer nodes, pods " +
			"or themes.",
		"cut: stopped (cancelled) with 3 states found and not explored; it was interrupted.",
		"late: not begun.",
	}
	if diff := cmp.Diff(want, unfinished(r)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Scenarios that differ in what may happen are told apart; what they share is said once.
func TestActionsAreSaidOnce(t *testing.T) {
	scenario := func(name string, a model.Actions) decisions.ScenarioResult {
		return decisions.ScenarioResult{
			Scenario: &model.Scenario{Name: name, Actions: a},
			Result:   &checker.Result{Complete: true},
		}
	}
	r := &Run{Result: &decisions.Result{Scenarios: []decisions.ScenarioResult{
		scenario("a", model.Actions{Arrivals: 3, Preempt: true, VictimGone: true}),
		scenario("b", model.Actions{Arrivals: 3, Preempt: true, VictimGone: true, Deletions: 1}),
		scenario("c", model.Actions{Arrivals: 2, Preempt: true, VictimGone: true, Deletions: 2}),
	}}}
	p := &page{}
	p.actions(r)
	want := `  actions:  bind, arrive (at most 3), preempt, terminating pod gone, any order of scheduling
  in some:  arrive (at most 2) in c; delete (at most 1) in b; delete (at most 2) in c
  not:      complete, bind by hand, recreate, refresh budget, change a node, start in order
`
	if diff := cmp.Diff(want, p.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	wantOff := []string{
		"Not explored: pods that complete; --completions N lets up to N of them.",
		"Explored only in b, c: pods that somebody deletes; --deletions N lets up to N of them.",
		"Not explored: pods that somebody puts on a node past the scheduler; --placements N lets up to N of them.",
		"Not explored: evicted pods that their controllers bring back; --recreations N lets them.",
		"Not explored: budgets whose status the disruption controller brings up to date; --refresh-budgets lets it.",
		"Not explored: nodes that are cordoned, or stop being ready; --node-changes N lets it happen up to N times.",
		"Not explored: which of several pods started first, but for what pod templates state; --start-times " +
			"order-of-binding tells.",
	}
	if diff := cmp.Diff(wantOff, actionsOff(r)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A cancelled run is reported like any other.
func TestCancelledRun(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	run := explored(t, ctx, nil, small(), full())
	if run.Verdict() != decisions.Unfinished {
		t.Errorf("the verdict is %s, want %s", run.Verdict(), decisions.Unfinished)
	}
	for _, write := range []func() error{
		func() error { return Text(&bytes.Buffer{}, run) }, func() error { return JSON(&bytes.Buffer{}, run) },
	} {
		if err := write(); err != nil {
			t.Error(err)
		}
	}
}

// The questions of the scenarios are those asked and those saved.
func TestQuestionsAddUp(t *testing.T) {
	r := explored(t, t.Context(), nil, small(), full()).Result
	if sum := r.Questions(0) + r.Questions(1); sum != r.Asked+r.CacheHits || r.Questions(0) == 0 ||
		r.Questions(1) == 0 {
		t.Errorf("%d + %d questions, but %d asked and %d saved", r.Questions(0), r.Questions(1), r.Asked, r.CacheHits)
	}
}

type failing struct{}

var errFull = errors.New("disk full")

func (failing) Write([]byte) (int, error) { return 0, errFull }

func TestErrorsOfTheWriterAreReturned(t *testing.T) {
	run := explored(t, t.Context(), nil, small())
	for name, err := range map[string]error{"Text": Text(failing{}, run), "JSON": JSON(failing{}, run)} {
		if !errors.Is(err, errFull) {
			t.Errorf("%s returns %v, want %v", name, err, errFull)
		}
	}
}

// docs/reference/json.md names every field of the JSON, and none that is not there.
func TestDocumentIsDocumented(t *testing.T) {
	documented := documentedIn(t, func(title string) bool {
		return !strings.HasPrefix(title, "modelcheck loop") && !strings.HasPrefix(title, "modelcheck reference") &&
			!strings.HasPrefix(title, "modelcheck audit") && !strings.HasPrefix(title, "modelcheck upgrade")
	})
	run := explored(t, t.Context(), greedyPreemption, full())
	run.Scope.MaxStates, run.Scope.MaxDepth, run.Scope.Files, run.Scope.Thorough = 1, 1, []string{"f"}, true
	run.Scope.Scenario, run.NotSeen = "s", []NotSeen{{}}
	run.Expected = &decisions.Expected{Verdict: decisions.Holds, Findings: []string{"none of this name"}}
	fields := map[string]bool{}
	explained := ExplainedDecision{Findings: []ExplainedFinding{{}}}
	explained.Message, explained.Nodes = "0/1 nodes are available",
		[]NodeDecision{{Reasons: []string{"Insufficient cpu"}}}
	explanation := &ExplanationDocument{Decisions: []ExplainedDecision{explained}}
	for _, document := range []any{NewDocument(run), NewDocument(explored(t, t.Context(), reversedScore, small())),
		everyField(), explanation} {
		maps.Copy(fields, fieldsOf(t, document))
	}
	if diff := cmp.Diff(documented, fields); diff != "" {
		t.Errorf("docs/reference/json.md (-documented +there):\n%s", diff)
	}
}

// The sections about other documents name every field of theirs, and none that is not there.
func TestOtherDocumentsAreDocumented(t *testing.T) {
	finding := LoopFinding{Class: "new", Deviations: []string{"d"}, Flushed: "f", Configuration: "c", Unshrunk: true,
		FaultsFirst: true, Number: new(int64), Loop: new(int),
		Run: []string{}}
	theme := LoopTheme{Runs: 1, Grows: "g", MostActions: 1, Liveness: &LoopLiveness{Stopped: "s", Unconfirmed: 1}}
	configuration := ReferenceConfiguration{
		Stopped: "s", Levels: []int64{1}, Failure: "f", DiskShards: 1, Findings: []ReferenceFinding{{}},
		Unreached:  []string{"u"},
		Simulation: &ReferenceSimulation{},
	}
	for title, document := range map[string]any{
		"modelcheck audit -o json": fullAudit(),
		"modelcheck upgrade -o json": &UpgradeDocument{
			NotRead: []string{"n"}, UnknownFields: map[string][]string{"from": {"f"}},
			Changes: []UpgradeChange{{Source: "s", FirstIn: "f",
				Differences: []UpgradeDifference{{Plugin: "p", Node: "n"}}}},
			Cluster: &UpgradeCluster{Otherwise: []UpgradeMoved{{Pods: []string{"p"}, Causes: []string{"c"}}}}},
		"modelcheck loop -o json": &LoopDocument{Seed: 1, Themes: []LoopTheme{theme},
			Hints: []LoopHint{{Default: true}}, Findings: []LoopFinding{finding}, Untold: []string{"u"}},
		"modelcheck reference -o json": &ReferenceDocument{Configurations: []ReferenceConfiguration{configuration}},
	} {
		documented := documentedIn(t, func(section string) bool { return section == title })
		if diff := cmp.Diff(documented, fieldsOf(t, document)); diff != "" {
			t.Errorf("docs/reference/json.md, %s (-documented +there):\n%s", title, diff)
		}
	}
}

// fullAudit has every field of the document of an audit.
func fullAudit() *AuditDocument {
	decision := AuditAnswer{Outcome: "bind", Node: "n", Equals: 2, Victims: []string{"v"}, Reasons: []AuditReason{{}},
		Message: "m", Failure: "f", Findings: []string{"id"}}
	return &AuditDocument{
		Stopped: "s", NotRead: []string{"n"}, Pending: []AuditPending{{}}, Undecided: 1,
		Nodes: []AuditNode{{Zone: "z", Overcommitted: []string{"cpu"}, Unschedulable: true, Unreachable: true,
			Broken: map[string]int{"plugin": 1}}},
		Bound:   &AuditBound{Broken: []AuditBroken{{Pods: []AuditPod{{}}}}, Moves: []AuditMove{{Decision: decision}}},
		Budgets: []AuditBudget{{Ever: true, Doubly: 1}},
		WhatIf: &AuditWhatIf{Added: []string{"a"}, Removed: []AuditPod{{}}, Evicted: []AuditEvicted{{For: "p",
			Recreated: "r"}}, Blocked: []AuditBlocked{{}}, Unsettled: []string{"p"},
			Fill:  &AuditFill{AtOnce: 1, Unfinished: true},
			Steps: []AuditStep{{Drained: "n", Decision: &decision}}},
	}
}

// documentedIn returns the fields that the tables of sections of docs/reference/json.md name.
func documentedIn(t *testing.T, section func(title string) bool) map[string]bool {
	t.Helper()
	page, err := os.ReadFile("../../docs/reference/json.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]bool{}
	for _, text := range strings.Split(string(page), "\n## ") {
		if title, _, _ := strings.Cut(text, "\n"); !section(title) {
			continue
		}
		for _, cell := range regexp.MustCompile("(?m)^\\| `[^|]*").FindAllString(text, -1) {
			for _, match := range regexp.MustCompile("`([a-zA-Z]+)`").FindAllStringSubmatch(cell, -1) {
				documented[match[1]] = true
			}
		}
	}
	return documented
}

// fieldsOf returns the fields of a document.
func fieldsOf(t *testing.T, document any) map[string]bool {
	t.Helper()
	raw, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		t.Fatal(err)
	}
	fields := map[string]bool{}
	collect(value, fields)
	return fields
}

// everyField sets the fields that a run of the tests does not.
func everyField() *Document {
	return &Document{
		Scope:    DocumentScope{Scope: Scope{Random: &RandomScope{Questions: 1, Seconds: 1}}},
		Profiles: []Profile{{Scores: []WeightedPlugin{{}}}},
		NotRead:  []string{"n"}, Decisions: Decisions{NotFollowed: 1, Undecided: 1},
		Survey:   &Survey{NeverPlaced: []string{"n"}, SometimesPlaced: []string{"s"}},
		Liveness: []Liveness{{Stopped: "s", Unnamed: 1}},
		Findings: []Finding{{
			Plugin: "p", Configuration: "c", Quirks: []Quirk{{Norm: &Norm{Quote: "q", Where: "w", Source: "s", Reading: "r"}}},
			Example: Example{Decision: &Decision{
				Failure: "f", InternalError: "e", Unmodelled: []string{"u"},
				Sample: &Search{}, Shortlist: &Search{}, MoreOutcomes: true, NotWeighed: 1,
				Nodes:    []NodeDecision{{Overall: "fits", Statuses: []PluginStatus{{Model: "fits"}}}},
				Outcomes: []Outcome{{KeepsNomination: true, Undecided: true}},
			}, Steps: []Step{{Budget: "b", Node: "n", Victims: []string{"v"}}}, Loop: 1},
		}},
		Scenarios: []Scenario{{Doc: "d", Stopped: "s", Ends: []Ends{{}}, Steps: []Steps{{}}}},
	}
}

// collect gathers the names of fields, but for those of Kubernetes objects.
func collect(value any, fields map[string]bool) {
	switch value := value.(type) {
	case []any:
		for _, element := range value {
			collect(element, fields)
		}
	case map[string]any:
		for name, element := range value {
			fields[name] = true
			if name != "cluster" {
				collect(element, fields)
			}
		}
	}
}

func TestLinesFitThePage(t *testing.T) {
	run := explored(t, t.Context(), greedyPreemption, full())
	for _, run.Verbose = range []bool{false, true} {
		columns := map[bool]int{false: wide, true: width}[run.Verbose]
		var text bytes.Buffer
		if err := Text(&text, run); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(text.String()) {
			if utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > columns {
				t.Errorf("%d columns: %q", utf8.RuneCountInString(line), line)
			}
		}
	}
}

// TestScreen: whatever is found, a run of all themes is reported on one screen, and names every finding.
func TestScreen(t *testing.T) {
	run := explored(t, t.Context(), greedyPreemption, full())
	finding := run.Result.Findings[0]
	run.Result.Findings = nil
	for i := range 60 {
		f := finding
		f.Class, f.ID, f.Count = decisions.Reported, fmt.Sprintf("property/Plugin/quirk-%d", i), int64(i)
		run.Result.Findings = append(run.Result.Findings, f)
	}
	var text bytes.Buffer
	if err := Text(&text, run); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(text.String(), "\n"); n > screen {
		t.Errorf("%d lines, at most %d are wanted:\n%s", n, screen, text.String())
	}
	for i := range 60 {
		if !strings.Contains(text.String(), fmt.Sprintf("quirk-%d", i)) {
			t.Errorf("quirk-%d is not named", i)
		}
	}
}

// TestManyThemes: on one screen, of many themes only those have a line that did not come to their end.
func TestManyThemes(t *testing.T) {
	run := explored(t, t.Context(), nil, small())
	run.Scope.Files = nil
	for len(run.Result.Scenarios) <= mostThemes {
		run.Result.Scenarios = append(run.Result.Scenarios, run.Result.Scenarios[0])
	}
	last := &run.Result.Scenarios[mostThemes]
	unfinished, result := *last.Scenario, *last.Result
	unfinished.Name, result.Complete = "unfinished", false
	last.Scenario, last.Result = &unfinished, &result
	for _, run.Verbose = range []bool{false, true} {
		lines := strings.Count(string(written(t, run, Text)), "\n  small ")
		if want := map[bool]int{false: 0, true: mostThemes}[run.Verbose]; lines != want {
			t.Errorf("verbose %t: %d lines for themes that are complete, want %d", run.Verbose, lines, want)
		}
		if text := string(written(t, run, Text)); !strings.Contains(text, "\n  unfinished ") {
			t.Errorf("verbose %t: the theme that is not complete has no line:\n%s", run.Verbose, text)
		}
	}
}
