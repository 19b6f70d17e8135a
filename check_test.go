package modelcheck_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"
	"pgregory.net/rapid"

	"github.com/seed-a3f26817/modelcheck"
	"github.com/seed-a3f26817/modelcheck/spec"
)

const crowdTemplates = `
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Node, metadata: {name: big}, status: {allocatable: {cpu: "4", pods: "9"}}}
- {apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: urgent}, value: 10}
- {apiVersion: v1, kind: Pod, metadata: {name: low, labels: {app: a}}, spec: {containers: [{name: c, image: c}]}}
- {apiVersion: v1, kind: Pod, metadata: {name: high, labels: {app: a}}, spec: {priorityClassName: urgent, containers: [{name: c, image: c}]}}
- {apiVersion: v1, kind: Pod, metadata: {name: other, labels: {app: b}}, spec: {containers: [{name: c, image: c}]}}
`

// told is a test that notes what it is told, and ends as a failed one does.
type told struct {
	testing.TB
	said   strings.Builder
	failed bool
}

func (t *told) Helper()                   {}
func (t *told) Name() string              { return "told" }
func (t *told) Log(args ...any)           { fmt.Fprintln(&t.said, args...) }
func (t *told) Logf(f string, a ...any)   { t.Log(fmt.Sprintf(f, a...)) }
func (t *told) Error(args ...any)         { t.failed = true; t.Log(args...) }
func (t *told) Errorf(f string, a ...any) { t.Error(fmt.Sprintf(f, a...)) }
func (t *told) Fatal(args ...any)         { t.Error(args...); panic(t) }
func (t *told) Fatalf(f string, a ...any) { t.Fatal(fmt.Sprintf(f, a...)) }
func (t *told) Fail()                     { t.failed = true }
func (t *told) FailNow()                  { t.failed = true; panic(t) }
func (t *told) Failed() bool              { return t.failed }

// tell runs a test, and gives what it said and whether it failed.
func tell(t *testing.T, test func(testing.TB)) (string, bool) {
	inner := &told{TB: t}
	func() {
		defer func() {
			if r := recover(); r != nil && r != any(inner) {
				panic(r)
			}
		}()
		test(inner)
	}()
	return inner.said.String(), inner.failed
}

// drawnCrowds draws clusters whose pods are of few apps.
func drawnCrowds() *rapid.Generator[spec.Question] {
	return rapid.Custom(func(t *rapid.T) spec.Question {
		q := modelcheck.DrawQuestion(modelcheck.Clusters{
			Nodes: 2, Pods: 4, Only: []modelcheck.Group{modelcheck.Budgets},
		}).Draw(t, "question")
		for _, pod := range q.Snapshot.Pods {
			modelcheck.Label(t, pod, "app", "x", "y")
		}
		return q
	})
}

// TestCrowds: a plugin that counts pods is right, and each bug in how it counts is found, by exploring and by drawing.
func TestCrowds(t *testing.T) {
	for _, row := range []struct {
		reason string
		plugin crowd
		want   string // in what the test says; empty if it passes
	}{
		{"it follows pods that come and go", crowd{}, ""},
		{"whoever leaves still counts, so no eviction helps", crowd{forgetsToLeave: true}, "DefaultPreemption"},
		{"nominated pods are not counted", crowd{forgetsToCome: true}, "CrowdControl"},
	} {
		t.Run(row.reason, func(t *testing.T) {
			t.Chdir(t.TempDir()) // rapid keeps failures
			s := modelcheck.Scheduler{Plugins: []modelcheck.Plugin{crowdControl(row.plugin)}}
			for how, test := range map[string]func(testing.TB){
				"explored": func(t testing.TB) {
					s.Test(t, modelcheck.Scope{Templates: crowdTemplates, Nodes: 2,
						Pods: 3})
				},
				"drawn": func(t testing.TB) { s.TestRandom(t, drawnCrowds()) },
			} {
				said, failed := tell(t, test)
				if failed != (row.want != "") {
					t.Errorf("%s: failed: %v\n%s", how, failed, said)
				}
				if how == "explored" && !strings.Contains(said, row.want) {
					t.Errorf("%s: it does not say %q:\n%s", how, row.want, said)
				}
				t.Log(how, said)
			}
		})
	}
}

// TestNothingTested: a scope in which a plugin makes no difference fails, and so does one that is not explored to
// its end.
func TestNothingTested(t *testing.T) {
	s := modelcheck.Scheduler{Plugins: []modelcheck.Plugin{crowdControl(crowd{})}}
	for _, row := range []struct {
		reason string
		scope  modelcheck.Scope
		want   string
	}{
		{"one pod is never in its own way", modelcheck.Scope{Templates: crowdTemplates, Pods: 1},
			"plugin CrowdControl never rejects a node"},
		{"a bound is reached", modelcheck.Scope{Templates: crowdTemplates, MaxStates: 3}, "not finished: templates: "},
	} {
		said, failed := tell(t, func(t testing.TB) { s.Test(t, row.scope) })
		if !failed || !strings.Contains(said, row.want) {
			t.Errorf("%s: failed %v, and does not say %q:\n%s", row.reason, failed, row.want, said)
		}
	}
}

// permits is a plugin that lets pods wait as well.
type permits struct{ crowd }

func (permits) Permit(context.Context, fwk.CycleState, *v1.Pod, string) (*fwk.Status, time.Duration) {
	return nil, 0
}

// TestInput: what is wrong with a plugin, its configuration or the scope is said before anything is checked.
func TestInput(t *testing.T) {
	whole := modelcheck.Scope{Templates: crowdTemplates, Nodes: 1, Pods: 1}
	unsaid, renamed, misnamed, spare := crowdControl(crowd{}), crowdControl(crowd{}), crowdControl(crowd{}),
		crowdControl(crowd{})
	unsaid.Filter = nil
	renamed.Name = "Other"
	misnamed.Filter.Plugin = "NodeName"
	spare.Score = &spec.ScorePlugin{Raw: func(*spec.Profile, *v1.Pod, *v1.Node, *spec.Snapshot) int64 { return 0 }}
	for _, row := range []struct {
		reason string
		plugin modelcheck.Plugin
		config string
		scope  modelcheck.Scope
		want   string
	}{
		{"no name", modelcheck.Plugin{}, "", whole, "Name and New are needed"},
		{"a filter nobody described", unsaid, "", whole,
			"plugin CrowdControl runs at filter, and Plugin.Filter is nil"},
		{"a score that is not there", spare, "", whole, "has a Plugin.Score and does not run at score"},
		{"a name that the code does not give", renamed, "", whole,
			"plugin Other: New gives no plugin whose method Name gives that name"},
		{"a predicate of another plugin", misnamed, "", whole, "no other name than the plugin's"},
		{"a configuration that does not enable it", crowdControl(crowd{}),
			"apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n", whole,
			"does not run at filter in any profile"},
		{"a configuration that is none", crowdControl(crowd{}), "kind: Pod", whole, "Scheduler.Configuration"},
		{"no scope", crowdControl(crowd{}), "", modelcheck.Scope{}, "neither Templates nor Themes"},
		{"no theme", crowdControl(crowd{}), "", modelcheck.Scope{Themes: []string{"toys"}},
			"Scope.Themes: no theme is called \"toys\""},
		{"too many nodes", crowdControl(crowd{}), "", modelcheck.Scope{Templates: crowdTemplates, Nodes: 21},
			"Scope.Nodes is 21: it must be at most 20"},
		{"too many pods", crowdControl(crowd{}), "", modelcheck.Scope{Templates: crowdTemplates, Pods: 251},
			"Scope.Pods is 251: it must be at most 250"},
		{"less memory than none", crowdControl(crowd{}), "",
			modelcheck.Scope{Templates: crowdTemplates, Memory: -1}, "Scope.Memory is -1"},
		{"fewer pods than none", crowdControl(crowd{}), "", modelcheck.Scope{Templates: crowdTemplates, Pods: -1},
			"Scope.Pods is -1"},
		{"no pods", crowdControl(crowd{}), "",
			modelcheck.Scope{Templates: "{apiVersion: v1, kind: Node, metadata: {name: big}}"}, "1 Nodes and 0 Pods"},
		{"a pod that is placed already", crowdControl(crowd{}), "",
			modelcheck.Scope{Templates: strings.Replace(crowdTemplates, "spec: {containers",
				"spec: {nodeName: big, containers", 1)}, "leave out spec.nodeName"},
		{"a slip in the manifests", crowdControl(crowd{}), "",
			modelcheck.Scope{Templates: "{apiVersion: v1, kind: Node, metadata: {nam: big}}"}, "Scope.Templates"},
	} {
		_, err := modelcheck.Scheduler{
			Plugins:       []modelcheck.Plugin{row.plugin},
			Configuration: row.config,
		}.Check(t.Context(), row.scope)
		if err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: the error is %v, want one with %q", row.reason, err, row.want)
		}
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	run, err := modelcheck.Scheduler{Plugins: []modelcheck.Plugin{crowdControl(crowd{})}}.Check(cancelled, whole)
	if err != nil || run.Verdict != modelcheck.Unfinished {
		t.Errorf("with a cancelled context: %v, %v", run, err)
	}
}

// TestNotes: what a plugin does beyond single decisions is said.
func TestNotes(t *testing.T) {
	p := crowdControl(crowd{})
	p.New = func(context.Context, runtime.Object, fwk.Handle) (fwk.Plugin, error) {
		return permits{crowd{name: p.Name}}, nil
	}
	run, err := modelcheck.Scheduler{
		Plugins: []modelcheck.Plugin{p},
	}.Check(t.Context(), modelcheck.Scope{Templates: crowdTemplates, Nodes: 1, Pods: 1})
	if err != nil {
		t.Fatal(err)
	}
	if notes := strings.Join(run.Notes,
		"\n"); notes != "Plugin CrowdControl also has a part in Permit, which is not compared." {
		t.Errorf("notes: %s", notes)
	}
}
