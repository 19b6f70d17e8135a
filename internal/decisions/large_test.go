package decisions_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/provider"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// asking returns a session, and a function that returns how long kube-scheduler was at work.
func asking(t testing.TB) (*decisions.Session, func() time.Duration) {
	o := kubeScheduler(t, production.Options{Messages: true, Starts: &production.Starts{}})
	decider, err := o.NewDecider()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = decider.Close() })
	return decisions.NewSession(o.Spec, nil, decider), decider.(decisions.Timed).Spent
}

// pendingPod returns the question about a pending pod of a provider's cluster; false if it has none of the name.
func pendingPod(s *spec.Snapshot, name string) (spec.Question, bool) {
	i := slices.IndexFunc(s.Pods, func(pod *v1.Pod) bool {
		return pod.Namespace == provider.Namespace && pod.Name == name
	})
	if i < 0 {
		return spec.Question{}, false
	}
	return spec.Question{Pod: s.Pods[i], Snapshot: s}, true
}

// TestAskLarge: of clusters like those of cloud providers each decision is one that the model explains, with all that
// a cluster of their size has to it: a sample of nodes, a shortlist of candidates, many victims that are alike.
func TestAskLarge(t *testing.T) {
	for _, o := range []provider.Options{{Nodes: 50, Pods: 800}, {Nodes: 300, Pods: 3000}} {
		snapshot := &provider.New(o).Snapshot
		session, _ := asking(t)
		for name, want := range map[string]spec.OutcomeType{
			provider.Fits: spec.Bind, provider.Preempts: spec.Preempt, provider.Never: spec.Wait,
		} {
			q, there := pendingPod(snapshot, name)
			if !there {
				continue
			}
			answer, findings := session.Ask(q)
			if got := answer.Decision.Outcomes[0].Type; got != want {
				t.Errorf("%+v, pod %s: outcome %v, want %v", o, name, got, want)
			}
			for _, f := range findings {
				if f.Class == decisions.New {
					t.Errorf("%+v, pod %s: %s", o, name, f.ID)
				}
			}
		}
	}
}

// BenchmarkAsk asks about clusters of growing size, by one index: what production and model are asked, and what
// properties make of it, with the search for known defects where it comes to that. others/production is all of it but
// production, by production.
//
//	go test ./internal/decisions -run '^$' -bench Ask -benchtime 5x
func BenchmarkAsk(b *testing.B) {
	for _, o := range []provider.Options{{Nodes: 10, Pods: 160}, {Nodes: 50, Pods: 800}, {Nodes: 300, Pods: 5000},
		{Nodes: 1000, Pods: 10_000}, {Nodes: 5000, Pods: 50_000}, {Nodes: 20, Dense: true}, {Nodes: 1000, Dense: true}} {
		snapshot := &provider.New(o).Snapshot
		for _, name := range []string{provider.Fits, provider.Preempts, provider.Never} {
			q, there := pendingPod(snapshot, name)
			if !there {
				continue
			}
			b.Run(fmt.Sprintf("%d-%d/%s", o.Nodes, len(snapshot.Pods), name), func(b *testing.B) {
				session, spent := asking(b)
				began := time.Now()
				session.Ask(q)
				first, before := time.Since(began), spent()
				for b.Loop() {
					session.Ask(q)
				}
				production := spent() - before
				b.ReportMetric(float64(first.Milliseconds()), "ms-first")
				b.ReportMetric(float64(production.Milliseconds())/float64(b.N), "ms-production")
				b.ReportMetric(float64(b.Elapsed()-production)/float64(production), "others/production")
			})
		}
	}
}
