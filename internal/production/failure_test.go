package production

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/imagelocality"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodename"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"

	fwk "github.com/seed-a3f26817/modelcheck/internal/production/frameworkapi"
)

// planted is a plugin that acts up for the pod named "trigger".
type planted struct {
	name  string
	actUp func(context.Context) *fwk.Status
}

func (p planted) Name() string { return p.name }

func (p planted) Filter(ctx context.Context, _ fwk.CycleState, pod *v1.Pod, _ fwk.NodeInfo) *fwk.Status {
	if pod.Name == "trigger" {
		return p.actUp(ctx)
	}
	return nil
}

type plantedScore struct{ planted }

func (p plantedScore) Score(ctx context.Context, state fwk.CycleState, pod *v1.Pod,
	node fwk.NodeInfo) (int64, *fwk.Status) {
	return 0, p.Filter(ctx, state, pod, node)
}

func (p plantedScore) ScoreExtensions() fwk.ScoreExtensions { return nil }

func plant(name string, plugin fwk.Plugin) frameworkruntime.Registry {
	return frameworkruntime.Registry{
		name: func(context.Context, runtime.Object, fwk.Handle) (fwk.Plugin, error) {
			return plugin, nil
		},
	}
}

func TestFailures(t *testing.T) {
	panics := func(context.Context) *fwk.Status { panic("planted") }
	hangs := func(ctx context.Context) *fwk.Status { <-ctx.Done(); return nil }
	fails := func(context.Context) *fwk.Status { return fwk.NewStatus(fwk.Error, "planted error") }
	tests := []struct {
		reason   string
		registry frameworkruntime.Registry
		want     []string
	}{
		{
			"a filter panics",
			plant(nodename.Name, planted{nodename.Name, panics}),
			[]string{"panic: planted", "TestFailures", "failure_test.go"},
		},
		{
			"a score plugin panics, on a goroutine of the framework",
			plant(imagelocality.Name, plantedScore{planted{imagelocality.Name, panics}}),
			[]string{"panic: planted", "failure_test.go"},
		},
		{"a filter hangs", plant(nodename.Name, planted{nodename.Name, hangs}), []string{"hang", "100ms"}},
		{
			"a score plugin hangs",
			plant(imagelocality.Name, plantedScore{planted{imagelocality.Name, hangs}}),
			[]string{"hang"},
		},
		{"a filter fails", plant(nodename.Name, planted{nodename.Name, fails}), []string{"NodeName", "planted error"}},
	}
	nodes := []*v1.Node{node("a", 4).Obj(), node("b", 4).Obj()}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			s := newScheduler(t, Options{Registry: tt.registry, HangAfter: 100 * time.Millisecond})
			for range 2 {
				before := s.Spent()
				failed := s.Decide(ask(nodes, pod("trigger", 1).Obj()))
				least := time.Nanosecond
				if tt.want[0] == "hang" {
					least = s.host.patience
				}
				if spent := s.Spent() - before; spent < least {
					t.Errorf("it was at work for %v, want at least %v", spent, least)
				}
				for _, part := range tt.want {
					if !strings.Contains(failed.Failure, part) {
						t.Errorf("failure %q does not contain %q", failed.Failure, part)
					}
				}
				if d := s.Decide(ask(nodes, pod("p", 1).Obj())); d.Failure != "" || len(d.Outcomes) != 2 {
					t.Errorf("the next question: %v, failure %q; want both nodes", outcomes(d), d.Failure)
				}
			}
		})
	}
}

func TestFrameworkIsBuiltAnewAfterAPanic(t *testing.T) {
	built := 0
	registry := frameworkruntime.Registry{
		nodename.Name: func(context.Context, runtime.Object, fwk.Handle) (fwk.Plugin, error) {
			built++
			return planted{nodename.Name, func(context.Context) *fwk.Status { panic("planted") }}, nil
		},
	}
	s := newScheduler(t, Options{Registry: registry})
	nodes := []*v1.Node{node("a", 4).Obj()}
	for _, step := range []struct {
		pod  string
		want int
	}{{"p", 1}, {"p", 1}, {"trigger", 1}, {"p", 2}, {"p", 2}} {
		s.Decide(ask(nodes, pod(step.pod, 1).Obj()))
		if built != step.want {
			t.Errorf("after pod %s the framework was built %d times, want %d", step.pod, built, step.want)
		}
	}
}

// TestPanicAtTheStart: a plugin that panics as it is made is an error that names it, and no end of the process.
func TestPanicAtTheStart(t *testing.T) {
	cfg, err := DefaultConfig()
	if err != nil {
		t.Fatal(err)
	}
	registry := frameworkruntime.Registry{
		nodename.Name: func(context.Context, runtime.Object, fwk.Handle) (fwk.Plugin, error) {
			panic("planted")
		},
	}
	_, err = New(t.Context(), cfg, v1.DefaultSchedulerName, Options{Registry: registry})
	if err == nil || !strings.Contains(err.Error(), "kube-scheduler panics at its start: planted, in ") {
		t.Errorf("New: %v, want that it panics", err)
	}
}

func TestClosedSchedulerFails(t *testing.T) {
	cfg, err := DefaultConfig()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	q := ask([]*v1.Node{node("a", 4).Obj()}, pod("p", 1).Obj())
	tests := []struct {
		reason string
		end    func(*Scheduler) error
	}{
		{"closed", (*Scheduler).Close},
		{"its context is cancelled", func(*Scheduler) error { cancel(); return nil }},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			s, err := New(ctx, cfg, v1.DefaultSchedulerName, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if d := s.Decide(q); d.Failure != "" {
				t.Fatal(d.Failure)
			}
			if err := tt.end(s); err != nil {
				t.Fatal(err)
			}
			if d := s.Decide(q); !strings.Contains(d.Failure, "closed") {
				t.Errorf("failure %q, want one that says it is closed", d.Failure)
			}
		})
	}
}

// greedy is a rule of preemption with a bug: it evicts every pod of lower priority.
type greedy struct{ preemption.Interface }

// below returns the pods of the node that are less important than the pod.
func below(p *v1.Pod, node fwk.NodeInfo) []*v1.Pod {
	var all []*v1.Pod
	for _, victim := range node.GetPods() {
		if *victim.GetPod().Spec.Priority < *p.Spec.Priority {
			all = append(all, victim.GetPod())
		}
	}
	return all
}

func TestPlantedVictimSelectionShows(t *testing.T) {
	registry := frameworkruntime.Registry{
		defaultpreemption.Name: func(ctx context.Context, args runtime.Object,
			h fwk.Handle) (fwk.Plugin, error) {
			plugin, err := defaultpreemption.New(ctx, args, h, feature.Features{EnableAsyncPreemption: true})
			if err == nil {
				plugin.Evaluator.Interface = greedy{plugin.Evaluator.Interface}
			}
			return plugin, err
		},
	}
	d := newScheduler(t, Options{Registry: registry}).Decide(ask([]*v1.Node{node("a", 2).Obj()},
		pod("p", 1).Priority(10).Obj(), on("a", 0, pod("q", 1)), on("a", 0, pod("r", 1))))
	if diff := cmp.Diff([]string{"preempt 0 [q r]"}, outcomes(d)); diff != "" {
		t.Errorf("failure %q, outcomes (-want +got):\n%s", d.Failure, diff)
	}
}

func TestSchedulersWorkSideBySide(t *testing.T) {
	var workers sync.WaitGroup
	for range 2 {
		s := newScheduler(t, Options{})
		workers.Go(func() {
			for range 20 {
				for _, tt := range decisions {
					if d := s.Decide(tt.question()); cmp.Diff(tt.outcomes, outcomes(d)) != "" {
						t.Errorf("%s: %v, failure %q", tt.reason, outcomes(d), d.Failure)
					}
				}
			}
		})
	}
	workers.Wait()
}
