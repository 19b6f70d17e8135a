package modelcheck_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/seed-a3f26817/modelcheck"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// odd is a plugin that answers what its fields say.
type odd struct {
	preFilter func() (*fwk.PreFilterResult, *fwk.Status)
	filter    func() *fwk.Status
	score     func() (int64, *fwk.Status)
	normalize func(fwk.NodeScoreList) *fwk.Status
}

func (odd) Name() string { return "Odd" }

func (o odd) PreFilter(context.Context, fwk.CycleState, *v1.Pod, []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	if o.preFilter == nil {
		return nil, nil
	}
	return o.preFilter()
}

func (odd) PreFilterExtensions() fwk.PreFilterExtensions { return nil }

func (o odd) Filter(context.Context, fwk.CycleState, *v1.Pod, fwk.NodeInfo) *fwk.Status {
	if o.filter == nil {
		return nil
	}
	return o.filter()
}

func (o odd) Score(context.Context, fwk.CycleState, *v1.Pod, fwk.NodeInfo) (int64, *fwk.Status) {
	if o.score == nil {
		return 0, nil
	}
	return o.score()
}

func (o odd) ScoreExtensions() fwk.ScoreExtensions {
	if o.normalize == nil {
		return nil
	}
	return o
}

func (o odd) NormalizeScore(_ context.Context, _ fwk.CycleState, _ *v1.Pod, scores fwk.NodeScoreList) *fwk.Status {
	return o.normalize(scores)
}

// scheduler returns kube-scheduler with the plugin, which is meant to let every node pass and to prefer none.
func (o odd) scheduler() modelcheck.Scheduler {
	return modelcheck.Scheduler{Plugins: []modelcheck.Plugin{{
		Name:   "Odd",
		New:    func(context.Context, runtime.Object, fwk.Handle) (fwk.Plugin, error) { return o, nil },
		Filter: &spec.Filter{Holds: func(*spec.Profile, *v1.Pod, *v1.Node, *spec.Snapshot) bool { return true }},
		Score: &spec.ScorePlugin{
			Raw:       func(*spec.Profile, *v1.Pod, *v1.Node, *spec.Snapshot) int64 { return 0 },
			Normalize: func(raw []int64) []int64 { return raw },
		},
	}}}
}

// TestMisbehaviour: whatever a plugin answers is reported as what it is, with the plugin's name, and the test process
// lives.
func TestMisbehaviour(t *testing.T) {
	only := func(names ...string) func() (*fwk.PreFilterResult, *fwk.Status) {
		return func() (*fwk.PreFilterResult, *fwk.Status) {
			return &fwk.PreFilterResult{NodeNames: sets.New(names...)}, nil
		}
	}
	unknown := fwk.NewStatus(fwk.Code(77), "planted")
	for _, row := range []struct {
		reason string
		odd    odd
		want   []string // in a finding; none if nothing is found
	}{
		{"a nil status is success", odd{filter: func() *fwk.Status { return nil }}, nil},
		{"no result of PreFilter is every node", odd{preFilter: func() (*fwk.PreFilterResult, *fwk.Status) {
			return nil, nil
		}}, nil},
		{"a result without names is every node", odd{preFilter: func() (*fwk.PreFilterResult, *fwk.Status) {
			return &fwk.PreFilterResult{}, nil
		}}, nil},
		{"a result that names nodes that are not there", odd{preFilter: only("nowhere")},
			[]string{"Odd says that node big-1 does not fit"}},
		{"a result that names no node", odd{preFilter: only()}, []string{"Odd says that node big-1 does not fit"}},
		{"PreFilter gives a code that is not known", odd{preFilter: func() (*fwk.PreFilterResult, *fwk.Status) {
			return nil, unknown
		}}, []string{`PreFilter plugin "Odd": planted`}},
		{"Filter gives a code that is not known", odd{filter: func() *fwk.Status { return unknown }},
			[]string{`"Odd" filter plugin: planted`}},
		{"Filter gives a code of another extension point", odd{filter: func() *fwk.Status {
			return fwk.NewStatus(fwk.Wait)
		}}, []string{`"Odd" filter plugin`}},
		{"Score gives a code that is not known", odd{score: func() (int64, *fwk.Status) { return 0, unknown }},
			[]string{`plugin "Odd" failed with: planted`}},
		{"a score above the highest", odd{score: func() (int64, *fwk.Status) { return 101, nil }},
			[]string{`plugin "Odd" returns an invalid score 101`}},
		{"a score below the lowest", odd{score: func() (int64, *fwk.Status) { return -1, nil }},
			[]string{`plugin "Odd" returns an invalid score -1`}},
		{"Normalize leaves scores that are too high", odd{normalize: func(scores fwk.NodeScoreList) *fwk.Status {
			scores[0].Score = 1000
			return nil
		}}, []string{`plugin "Odd" returns an invalid score 1000`}},
		{"Normalize panics", odd{normalize: func(fwk.NodeScoreList) *fwk.Status { panic("planted") }},
			[]string{"panic: planted", "misbehave_test.go"}},
		{"Filter calls t.FailNow of a test", odd{filter: func() *fwk.Status { (&testing.T{}).FailNow(); return nil }},
			[]string{"goexit: runtime.Goexit", "misbehave_test.go"}},
		{"Filter writes to stdout", odd{filter: func() *fwk.Status { fmt.Fprint(os.Stdout, ""); return nil }}, nil},
	} {
		t.Run(row.reason, func(t *testing.T) {
			result, err := row.odd.scheduler().Check(t.Context(), sleepyScope)
			if err != nil {
				t.Fatal(err)
			}
			if (len(row.want) == 0) != (result.Verdict == modelcheck.Holds) {
				t.Fatal(result)
			}
			var said []string
			for _, finding := range result.Findings {
				said = append(said, finding.Sentence)
			}
			for _, want := range row.want {
				if !strings.Contains(strings.Join(said, "\n"), want) {
					t.Errorf("no %q in\n%s", want, strings.Join(said, "\n"))
				}
			}
		})
	}
}

// nameless is a plugin whose method Name cannot do without it.
type nameless struct{ name string }

func (n *nameless) Name() string { return n.name }

// TestFactories: a factory that gives nothing of use is an error that names the plugin.
func TestFactories(t *testing.T) {
	for reason, row := range map[string]struct {
		new  func() (fwk.Plugin, error)
		want string
	}{
		"no plugin":        {func() (fwk.Plugin, error) { return nil, nil }, "plugin Odd: New gives no plugin"},
		"a nil pointer":    {func() (fwk.Plugin, error) { return (*nameless)(nil), nil }, "plugin Odd: New, or Name of "},
		"an error":         {func() (fwk.Plugin, error) { return nil, errors.New("planted") }, `"Odd": planted`},
		"a plugin and one": {func() (fwk.Plugin, error) { return odd{}, errors.New("planted") }, `"Odd": planted`},
		"of another name":  {func() (fwk.Plugin, error) { return &nameless{"Even"}, nil }, "plugin Odd: New gives no plugin"},
		"t.FailNow": {func() (fwk.Plugin, error) { (&testing.T{}).FailNow(); return nil, nil },
			"plugin Odd: New ended its goroutine"},
	} {
		s := odd{}.scheduler()
		s.Plugins[0].New = func(context.Context, runtime.Object, fwk.Handle) (fwk.Plugin, error) { return row.new() }
		if _, err := s.Check(t.Context(), sleepyScope); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: error %v, want %q", reason, err, row.want)
		}
		said, failed := tell(t, func(t testing.TB) { s.TestRandom(t, nil) })
		if !failed || !strings.Contains(said, row.want) {
			t.Errorf("%s: TestRandom failed: %v, and said %s, want %q", reason, failed, said, row.want)
		}
	}
}

// TestHangAfter: a plugin that hangs is a finding after as long as the scheduler says.
func TestHangAfter(t *testing.T) {
	hang := make(chan struct{})
	defer close(hang)
	s := odd{filter: func() *fwk.Status { <-hang; return nil }}.scheduler()
	s.HangAfter = 20 * time.Millisecond
	result, err := s.Check(t.Context(), sleepyScope)
	if err != nil {
		t.Fatal(err)
	}
	if said := result.Findings[0].Sentence; said != "hang: no answer within 20ms" {
		t.Errorf("%s: %s", result, said)
	}
	s.HangAfter = -1
	if _, err := s.Check(t.Context(), sleepyScope); err == nil || !strings.Contains(err.Error(), "Scheduler.HangAfter") {
		t.Errorf("error %v", err)
	}
}
