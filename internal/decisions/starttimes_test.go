package decisions_test

import (
	"context"
	"testing"

	v1 "k8s.io/api/core/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"

	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// earliestStart is DefaultPreemption that prefers the node whose most important victim started first.
type earliestStart struct{ preemption.Interface }

func (p earliestStart) OrderedScoreFuncs(_ context.Context,
	candidates map[string]*extenderv1.Victims) []func(string) int64 {
	return []func(string) int64{
		func(node string) int64 { return -int64(spec.Priority(candidates[node].Pods[0])) },
		func(node string) int64 { return -int64(len(candidates[node].Pods)) },
		func(node string) int64 { return -candidates[node].Pods[0].Status.StartTime.Unix() },
	}
}

// longestFirst is DefaultPreemption to which, of two pods of one priority on a node, the one that started last is
// the more important.
func longestFirst(p *defaultpreemption.DefaultPreemption) fwk.Plugin {
	rank(p, func(important moreImportant, a, b *v1.Pod) bool {
		if spec.Priority(a) == spec.Priority(b) {
			return b.Status.StartTime.Before(a.Status.StartTime)
		}
		return important(a, b)
	})
	return p
}

// TestStartTimes: who started first is told apart only if pods start in the order of binding, and then a scheduler
// that goes by it the wrong way round is caught.
func TestStartTimes(t *testing.T) {
	tests := []struct {
		reason  string
		planted production.Options
		nodes   int
		cpu     string
		steps   int
	}{
		{
			"of two nodes, the one whose victim started first is preempted on",
			plant(defaultpreemption.Name, func(p *defaultpreemption.DefaultPreemption) fwk.Plugin {
				p.Evaluator.Interface = earliestStart{p.Evaluator.Interface}
				return p
			}), 2, "1", 5,
		},
		{"of two pods on a node, the one that started first dies", plant(defaultpreemption.Name, longestFirst), 1, "2",
			5},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			for _, inOrder := range []bool{false, true} {
				s := clusters(t, tt.nodes, model.Actions{Arrivals: 3, Preempt: true, VictimGone: true,
					StartInOrder: inOrder}, node("n", tt.cpu), pod("low", "1", 0), pod("high", "1", 10))
				for _, f := range run(t, kubeScheduler(t, production.Options{}), s).Findings {
					t.Errorf("not planted, but found:\n%s", describe(f))
				}
				result := run(t, kubeScheduler(t, tt.planted), s)
				if !inOrder {
					for _, f := range result.Findings {
						t.Errorf("the pods are equal, but found:\n%s", describe(f))
					}
					continue
				}
				f := finding(t, result, "outcome-conforms/new")
				if steps := len(f.Example.Stages) - 1; steps != tt.steps {
					t.Errorf("the counterexample has %d steps, want %d:\n%s", steps, tt.steps, describe(f))
				}
			}
		})
	}
}
