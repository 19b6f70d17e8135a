package modelcheck_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/seed-a3f26817/modelcheck"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// touching is a plugin that lets every node pass, having done something to what it is given.
type touching func(pod *v1.Pod, node fwk.NodeInfo)

func (touching) Name() string { return "Touching" }

func (f touching) Filter(_ context.Context, _ fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo) *fwk.Status {
	f(pod, node)
	return nil
}

func (f touching) scheduler() modelcheck.Scheduler {
	return modelcheck.Scheduler{Plugins: []modelcheck.Plugin{{
		Name:   "Touching",
		New:    func(context.Context, runtime.Object, fwk.Handle) (fwk.Plugin, error) { return f, nil },
		Filter: &spec.Filter{Holds: func(*spec.Profile, *v1.Pod, *v1.Node, *spec.Snapshot) bool { return true }},
	}}}
}

// TestMutation: a plugin that changes what it is given is found out, with the object and the field.
func TestMutation(t *testing.T) {
	for reason, tt := range map[string]struct {
		touch touching
		want  string // empty: nothing is found
	}{
		"nothing": {func(*v1.Pod, fwk.NodeInfo) {}, ""},
		"the pod": {func(pod *v1.Pod, _ fwk.NodeInfo) { pod.Labels = map[string]string{"seen": "yes"} },
			"metadata.labels"},
		"a copy of the pod": {func(pod *v1.Pod, _ fwk.NodeInfo) { pod.DeepCopy().Spec.NodeName = "a" }, ""},
		"the node": {func(_ *v1.Pod, node fwk.NodeInfo) { node.Node().Spec.Unschedulable = true },
			"spec.unschedulable was not set and is true"},
		"what is requested of the node": {func(_ *v1.Pod, node fwk.NodeInfo) {
			if len(node.GetPods()) > 0 {
				node.(interface{ AddPodInfo(fwk.PodInfo) }).AddPodInfo(node.GetPods()[0])
			}
		}, "the NodeInfo of node "},
	} {
		result, err := tt.touch.scheduler().Check(t.Context(), sleepyScope)
		if err != nil {
			t.Fatalf("%s: %v", reason, err)
		}
		if tt.want == "" {
			if result.Verdict != modelcheck.Holds {
				t.Errorf("%s: %s", reason, result)
			}
			continue
		}
		if result.Verdict != modelcheck.Violated {
			t.Errorf("%s: %s", reason, result)
			continue
		}
		if said := result.Findings[0].Sentence; !strings.Contains(said, "mutation: ") ||
			!strings.Contains(said, tt.want) || !strings.Contains(said, "changed by Touching") {
			t.Errorf("%s: %s; %s", reason, result, said)
		}
	}
}

// TestPanics: a panic that is no plugin's decision is an error that says whose it is, and the test process lives.
func TestPanics(t *testing.T) {
	for method, want := range map[string]string{
		"New":   "plugin Sleepy: New, or Name of what it gives, panicked: planted",
		"Holds": "Filter.Holds that is meant by plugin Sleepy panicked: planted",
		"Raw":   "Score.Raw that is meant by plugin Sleepy panicked: planted",
	} {
		s := &sleepy{at: func(at string) {
			if at == method {
				panic(errors.New("planted"))
			}
		}}
		_, err := s.scheduler().Check(t.Context(), sleepyScope)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "guards_test.go") {
			t.Errorf("%s: error %v, want %q and a stack", method, err, want)
		}
	}
	s := &sleepy{at: func(at string) {
		if at == "Filter" {
			panic("planted")
		}
	}}
	result, err := s.scheduler().Check(t.Context(), sleepyScope)
	if err != nil || result.Verdict != modelcheck.Violated ||
		!strings.Contains(result.Findings[0].Sentence, "panic: planted, in ") {
		t.Errorf("Filter: %v, error %v; want a finding", result, err)
	}
}

// TestPanicsOfPredicates: whichever predicate panics is named, by Check and by TestRandom.
func TestPanicsOfPredicates(t *testing.T) {
	for field, plant := range map[string]func(*modelcheck.Plugin){
		"Filter.Holds": func(p *modelcheck.Plugin) {
			p.Filter.Holds = func(*spec.Profile, *v1.Pod, *v1.Node, *spec.Snapshot) bool { panic("planted") }
		},
		"Filter.Idle": func(p *modelcheck.Plugin) {
			p.Filter.Idle = func(*spec.Profile, *v1.Pod, []*v1.Pod, *spec.Snapshot) bool { panic("planted") }
		},
		"Score.Raw": func(p *modelcheck.Plugin) {
			p.Score.Raw = func(*spec.Profile, *v1.Pod, *v1.Node, *spec.Snapshot) int64 { panic("planted") }
		},
		"Score.Normalize": func(p *modelcheck.Plugin) {
			p.Score.Normalize = func([]int64) []int64 { panic("planted") }
		},
		"Score.ScoreAll": func(p *modelcheck.Plugin) {
			p.Score.Raw, p.Score.Normalize = nil, nil
			p.Score.ScoreAll = func(*spec.Profile, *v1.Pod, []*v1.Node, *spec.Snapshot) (raw, normalized []int64) {
				panic("planted")
			}
		},
		"Score.Abstains": func(p *modelcheck.Plugin) {
			p.Score.Abstains = func(*spec.Profile, *v1.Pod, []*v1.Node, *spec.Snapshot) bool { panic("planted") }
		},
	} {
		t.Run(field, func(t *testing.T) {
			t.Chdir(t.TempDir()) // rapid keeps failures
			s := odd{}.scheduler()
			plant(&s.Plugins[0])
			want := field + " that is meant by plugin Odd panicked: planted"
			_, err := s.Check(t.Context(), sleepyScope)
			if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "guards_test.go") {
				t.Errorf("error %v, want %q and a stack", err, want)
			}
			said, failed := tell(t, func(t testing.TB) { s.TestRandom(t, nil) })
			if !failed || !strings.Contains(said, want) || strings.Contains(said, "flaky") {
				t.Errorf("TestRandom failed: %v, and said %s, want %q", failed, said, want)
			}
		})
	}
}

// dated is a test that must end.
type dated struct {
	testing.TB
	deadline time.Time
}

func (d dated) Deadline() (time.Time, bool) { return d.deadline, true }

// TestRandomEndsInTime: whatever hangs, TestRandom ends before go test ends everything, and says what hung.
func TestRandomEndsInTime(t *testing.T) {
	hang := make(chan struct{})
	defer close(hang)
	s := &sleepy{at: func(at string) {
		if at == "Filter" {
			<-hang
		}
	}}
	began := time.Now()
	said, failed := tell(t, func(t testing.TB) {
		s.scheduler().TestRandom(dated{t, began.Add(3 * time.Second)}, nil)
	})
	if !failed || !strings.Contains(said, "Filter of plugin Sleepy") || !strings.Contains(said, "no answer about pod ") {
		t.Errorf("it failed: %v, and said %q", failed, said)
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("it took %v to end", took)
	}
}
