package decisions_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestEndsWhileAQuestionHangs: a run that is cancelled while a question hangs ends all the same. What it found before
// has its example, unless kube-scheduler cannot be asked again; it is violated either way.
func TestEndsWhileAQuestionHangs(t *testing.T) {
	const wanted = "answered/new"
	for _, again := range []bool{true, false} {
		ctx, cancel := context.WithCancel(t.Context())
		never := make(chan struct{})
		defer close(never)
		var cancelled time.Time
		o := lying(t, func(q spec.Question, d *spec.Decision) {
			if d.Failure = "planted"; hasBound(q.Snapshot) && ctx.Err() == nil {
				cancelled = time.Now()
				cancel()
				<-never
			}
		})
		start := o.NewDecider
		o.NewDecider = func() (decisions.Decider, error) {
			if ctx.Err() != nil && !again {
				<-never
			}
			return start()
		}
		o.Workers = 1
		result, err := decisions.Run(ctx, []*model.Scenario{
			clusters(t, 1, model.Actions{Arrivals: 2}, node("n", "2"), pod("low", "1", 0)),
		}, o)
		if err != nil {
			t.Fatal(err)
		}
		if took := time.Since(cancelled); took > 5*time.Second {
			t.Errorf("it took %v to end", took)
		}
		if result.Complete || result.Verdict(nil) != decisions.Violated || len(result.Hanging) != 1 ||
			!strings.Contains(result.Hanging[0].String(), "kube-scheduler, on where pod ") {
			t.Errorf("complete %v, %s, hanging %v", result.Complete, result.Verdict(nil), result.Hanging)
		}
		told, untold := ids(result.Findings), ids(result.Untold)
		if again != slices.Equal(told, []string{wanted}) || again == slices.Equal(untold, []string{wanted}) {
			t.Errorf("again %v: findings %v, and without example %v", again, told, untold)
		}
	}
}

func ids(findings []decisions.Finding) []string {
	var all []string
	for _, f := range findings {
		all = append(all, f.ID)
	}
	return all
}

func hasBound(s *spec.Snapshot) bool {
	return slices.ContainsFunc(s.Pods, func(pod *v1.Pod) bool { return pod.Spec.NodeName != "" })
}
