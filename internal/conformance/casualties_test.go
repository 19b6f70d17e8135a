package conformance

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"

	"github.com/seed-a3f26817/modelcheck/internal/generate"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestCasualtiesAreCasualtyOf holds the fast form to the predicate, for victims in any order, also those that are none.
func TestCasualtiesAreCasualtyOf(t *testing.T) {
	m := spec.New(spec.DefaultProfile())
	models := []*spec.Scheduler{m, m.With(spec.BudgetSpentOnSpared()), m.With(spec.EmptySelectorProtectsNobody()),
		m.With(spec.CountedToFirst()), m.With(spec.CountedToFirst(), spec.BudgetSpentOnSpared()), m.With(defects()...)}
	questions := generate.DrawQuestion(generate.Scope{Nodes: 2, Pods: 9})
	rapid.Check(t, func(t *rapid.T) {
		q := questions.Draw(t, "question")
		m := rapid.SampledFrom(models).Draw(t, "model")
		fast := m.Casualties(q.Pod, q.Snapshot)
		for n, node := range q.Snapshot.Nodes {
			there := spec.PodsOn(node, q.Snapshot)
			if rapid.Bool().Draw(t, "may be evicted") {
				there = spec.Jeopardy(q.Pod, node, q.Snapshot)
			}
			if len(there) == 0 {
				continue
			}
			victims := rapid.SliceOfNDistinct(rapid.SampledFrom(there), 0, len(there),
				func(pod *v1.Pod) string { return pod.Namespace + "/" + pod.Name }).Draw(t, "victims")
			c := spec.Candidate{Node: n, Victims: victims}
			if got, want := fast(c), m.CasualtyOf(q.Pod, c, q.Snapshot); got != want {
				t.Fatalf("%+v, want %+v", got, want)
			}
		}
	})
}
