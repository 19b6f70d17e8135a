package production

import (
	"fmt"
	"testing"
	"time"

	"github.com/seed-a3f26817/modelcheck/internal/provider"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// pending returns the question about the pod of the provider's namespace.
func pending(s *spec.Snapshot, name string) spec.Question {
	for i := len(s.Pods) - 1; i >= 0; i-- {
		if s.Pods[i].Name == name && s.Pods[i].Namespace == provider.Namespace {
			return spec.Question{Pod: s.Pods[i], Snapshot: s}
		}
	}
	panic("no pod " + name)
}

// TestLarge: of clusters like those of cloud providers each pod gets the answer it is meant to get.
func TestLarge(t *testing.T) {
	for _, row := range []struct {
		options provider.Options
		pods    map[string]spec.OutcomeType
	}{
		{provider.Options{Nodes: 300, Pods: 5000}, map[string]spec.OutcomeType{provider.Fits: spec.Bind,
			provider.Preempts: spec.Preempt, provider.Never: spec.Wait}},
		{provider.Options{Nodes: 150, Dense: true}, map[string]spec.OutcomeType{provider.Preempts: spec.Preempt,
			provider.Never: spec.Wait}},
	} {
		snapshot := &provider.New(row.options).Snapshot
		s := newScheduler(t, Options{Starts: &Starts{}})
		for name, want := range row.pods {
			d := s.Decide(pending(snapshot, name))
			if d.Failure != "" || d.Outcomes[0].Type != want {
				t.Errorf("%+v, pod %s: failure %q, outcomes %v; want %v", row.options, name, d.Failure, outcomes(d), want)
			}
			if row.options.Dense && want == spec.Preempt && (d.Shortlist == nil || len(d.Shortlist.Found) != 100) {
				t.Errorf("%+v, pod %s: shortlist %+v; want 100 candidates", row.options, name, d.Shortlist)
			}
		}
	}
}

// BenchmarkLarge measures the first decision about a snapshot, which is loaded with it, and further ones.
func BenchmarkLarge(b *testing.B) {
	for _, o := range []provider.Options{{Nodes: 50, Pods: 800}, {Nodes: 300, Pods: 5000}, {Nodes: 1000, Pods: 10000},
		{Nodes: 5000, Pods: 50000}, {Nodes: 1000, Dense: true}} {
		snapshot := &provider.New(o).Snapshot
		for _, name := range []string{provider.Fits, provider.Preempts, provider.Never} {
			if o.Dense && name == provider.Fits {
				continue
			}
			b.Run(fmt.Sprintf("%d-%d/%s", o.Nodes, len(snapshot.Pods), name), func(b *testing.B) {
				q := pending(snapshot, name)
				b.ReportAllocs()
				s := newScheduler(b, Options{Starts: &Starts{}, Messages: true})
				began := time.Now()
				s.Decide(q)
				first := time.Since(began)
				for b.Loop() {
					if d := s.Decide(q); d.Failure != "" {
						b.Fatal(d.Failure)
					}
				}
				b.ReportMetric(float64(first.Milliseconds()), "ms-first")
			})
		}
	}
}
