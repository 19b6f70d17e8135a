package production

import (
	"testing"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// BenchmarkDecide asks about three nodes and five pods, turn by turn in two arrangements, so that the
// objects change from question to question as they do in an exploration.
func BenchmarkDecide(b *testing.B) {
	benchmarkDecide(b, func(b *testing.B) func(spec.Question) *spec.Decision {
		return newScheduler(b, Options{}).Decide
	})
}

// BenchmarkGuarded is BenchmarkDecide with what finds out changes of plugins.
func BenchmarkGuarded(b *testing.B) {
	benchmarkDecide(b, func(b *testing.B) func(spec.Question) *spec.Decision {
		cfg, err := DefaultConfig()
		if err != nil {
			b.Fatal(err)
		}
		guarded, err := NewGuarded(b.Context(), cfg, v1.DefaultSchedulerName, Options{}, nil)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = guarded.Close() })
		return guarded.Decide
	})
}

func benchmarkDecide(b *testing.B, start func(b *testing.B) func(spec.Question) *spec.Decision) {
	nodes := []*v1.Node{node("a", 4).Obj(), node("b", 4).Obj(), node("c", 4).Obj()}
	low := func(name, node string) *v1.Pod { return on(node, 0, pod(name, 2)) }
	q, r, s, t := low("q", "a"), low("r", "b"), low("s", "c"), low("t", "a")
	q2, r2 := low("q", "b"), low("r", "c")
	tests := []struct {
		name string
		pod  *v1.Pod
		rest [2][]*v1.Pod
	}{
		{"bind", pod("p", 1).Obj(), [2][]*v1.Pod{{q, r, s, t}, {q2, r2, s, t}}},
		{"infeasible", pod("p", 5).Obj(), [2][]*v1.Pod{{q, r, s, t}, {q2, r2, s, t}}},
		{"preempt", pod("p", 4).Priority(10).Obj(), [2][]*v1.Pod{{q, r, s, t}, {q2, r2, s, t}}},
	}
	for _, tt := range tests {
		b.Run(tt.name, func(b *testing.B) {
			decide := start(b)
			var questions []spec.Question
			for _, rest := range tt.rest {
				questions = append(questions, ask(nodes, append([]*v1.Pod{tt.pod}, rest...)...))
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if d := decide(questions[i%2]); d.Failure != "" {
					b.Fatal(d.Failure)
				}
			}
		})
	}
}
