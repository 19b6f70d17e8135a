package modelcheck_test

import (
	"context"
	"errors"
	goruntime "runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/seed-a3f26817/modelcheck"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// sleepy is a plugin whose every method calls at with its name first.
type sleepy struct{ at func(method string) }

var (
	_ fwk.PreFilterPlugin = &sleepy{}
	_ fwk.FilterPlugin    = &sleepy{}
	_ fwk.ScorePlugin     = &sleepy{}
)

func (*sleepy) Name() string { return "Sleepy" }

func (s *sleepy) PreFilter(context.Context, fwk.CycleState, *v1.Pod, []fwk.NodeInfo) (*fwk.PreFilterResult,
	*fwk.Status) {
	s.at("PreFilter")
	return nil, nil
}

func (*sleepy) PreFilterExtensions() fwk.PreFilterExtensions { return nil }

func (s *sleepy) Filter(context.Context, fwk.CycleState, *v1.Pod, fwk.NodeInfo) *fwk.Status {
	s.at("Filter")
	return nil
}

func (s *sleepy) Score(context.Context, fwk.CycleState, *v1.Pod, fwk.NodeInfo) (int64, *fwk.Status) {
	s.at("Score")
	return 0, nil
}

func (*sleepy) ScoreExtensions() fwk.ScoreExtensions { return nil }

// scheduler returns kube-scheduler with the plugin. Its predicates, and New, call at too.
func (s *sleepy) scheduler() modelcheck.Scheduler {
	return modelcheck.Scheduler{Plugins: []modelcheck.Plugin{{
		Name: "Sleepy",
		New: func(context.Context, runtime.Object, fwk.Handle) (fwk.Plugin, error) {
			s.at("New")
			return s, nil
		},
		Filter: &spec.Filter{Holds: func(*spec.Profile, *v1.Pod, *v1.Node, *spec.Snapshot) bool {
			s.at("Holds")
			return true
		}},
		Score: &spec.ScorePlugin{Raw: func(*spec.Profile, *v1.Pod, *v1.Node, *spec.Snapshot) int64 {
			s.at("Raw")
			return 0
		}},
	}}}
}

var sleepyScope = modelcheck.Scope{Templates: crowdTemplates, Nodes: 2, Pods: 2}

// TestCheckEndsWithItsContext: whatever hangs, Check returns soon after the end of its context, and says what hung.
func TestCheckEndsWithItsContext(t *testing.T) {
	for method, want := range map[string]string{
		"PreFilter": "PreFilter of plugin Sleepy",
		"Filter":    "Filter of plugin Sleepy",
		"Score":     "Score of plugin Sleepy",
		"Holds":     "Filter.Holds that is meant by plugin Sleepy",
		"Raw":       "Score.Raw that is meant by plugin Sleepy",
		"New":       "New of plugin Sleepy",
	} {
		ctx, cancel := context.WithCancel(t.Context())
		var ended time.Time
		var once sync.Once
		hang := make(chan struct{})
		var asked atomic.Bool // kube-scheduler was: before that, predicates are for estimates
		s := &sleepy{at: func(at string) {
			if at == "Filter" {
				asked.Store(true)
			}
			if at == method && (asked.Load() || at == "New" || at == "PreFilter") {
				once.Do(func() { ended = time.Now(); cancel() })
				<-hang
			}
		}}
		result, err := s.scheduler().Check(ctx, sleepyScope)
		if took := time.Since(ended); took > 5*time.Second {
			t.Errorf("%s: it took %v to end", method, took)
		}
		said := ""
		switch {
		case err != nil:
			said = err.Error()
		case result.Verdict != modelcheck.Unfinished:
			t.Errorf("%s: %s", method, result)
		default:
			said = strings.Join(result.Hanging, "; ")
			if !strings.Contains(said, "on where pod ") {
				t.Errorf("%s: no question in %q", method, said)
			}
		}
		if !strings.Contains(said, want) || (method == "New") != errors.Is(err, context.Canceled) {
			t.Errorf("%s: it says %q, want %q; error %v", method, said, want, err)
		}
		close(hang)
	}
}

// TestGoexit: a plugin that ends its goroutine, as t.Fatal does, does not keep Check from its end.
func TestGoexit(t *testing.T) {
	exits := func(method string) modelcheck.Scheduler {
		return (&sleepy{at: func(at string) {
			if at == method {
				goruntime.Goexit()
			}
		}}).scheduler()
	}
	for _, method := range []string{"Filter", "PreFilter"} {
		result, err := exits(method).Check(t.Context(), sleepyScope)
		if err != nil {
			t.Fatalf("%s: %v", method, err)
		}
		if said := result.Findings[0].Sentence; result.Verdict != modelcheck.Violated ||
			!strings.Contains(said, "runtime.Goexit, in ") || !strings.Contains(said, "atwork_test.go") {
			t.Errorf("%s: %s; %s", method, result, said)
		}
	}
	if _, err := exits("New").Check(t.Context(), sleepyScope); err == nil ||
		!strings.Contains(err.Error(), "plugin Sleepy: New ended its goroutine") {
		t.Errorf("New: error %v", err)
	}
}
