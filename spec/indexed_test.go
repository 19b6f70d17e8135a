package spec

import (
	"testing"

	"pgregory.net/rapid"
)

// TestIndexedCrowds holds the fast forms to the predicates where pods are many and alike. That they agree on
// everything else is tested in internal/conformance.
func TestIndexedCrowds(t *testing.T) {
	models := crowdModels()
	rapid.Check(t, func(t *rapid.T) {
		q := crowd(t)
		m := rapid.SampledFrom(models).Draw(t, "model")
		want := m.Expect(q)
		got, feasibleWithout := m.ExpectIndexed(q, NewIndex(q.Snapshot))
		for n, node := range q.Snapshot.Nodes {
			for f := range want.Filters {
				if want.Nodes[n].Statuses[f] != got.Nodes[n].Statuses[f] {
					t.Fatalf("%s of %s: want %+v", want.Filters[f], node.Name, want.Nodes[n].Statuses[f])
				}
			}
			for r, score := range want.Nodes[n].Scores {
				if got.Nodes[n].Scores[r] != score {
					t.Fatalf("score %s of %s: want %+v", want.ScorePlugins[r], node.Name, score)
				}
			}
			sets := subsets(Jeopardy(q.Pod, node, q.Snapshot))
			for range min(len(sets), 8) {
				away := rapid.SampledFrom(sets).Draw(t, "away")
				if want := m.Feasibility(q.Pod, node, q.Snapshot.Without(away...)); feasibleWithout(n, away) != want {
					t.Fatalf("%s without %s: want feasible %v", node.Name, names(away), want)
				}
			}
		}
		outcomes := func(e *Expected) []Candidate { return each(e.Outcomes, Outcome.candidate) }
		sameSets(t, q.Snapshot, "outcomes", outcomes(want), outcomes(got))
		sameSets(t, q.Snapshot, "documented", want.Candidates, got.Candidates)
		sameSets(t, q.Snapshot, "ideal", want.Ideal, got.Ideal)
	})
}

// TestWidePredicatesAreIndexed: what looks across nodes has a fast form, with every quirk. Own plugins have none.
func TestWidePredicatesAreIndexed(t *testing.T) {
	for _, quirk := range append(Quirks(), Quirk{Name: "none"}) {
		m := New(DefaultProfile()).With(quirk)
		for _, f := range m.filters {
			if f.Footprint.LooksAcross() && f.indexed == nil {
				t.Errorf("%s: the filter of %s is asked of the whole snapshot", quirk.Name, f.Plugin)
			}
		}
		for _, r := range m.scorePlugins {
			if r.Footprint.LooksAcross() && r.indexed == nil {
				t.Errorf("%s: the score of %s is asked of the whole snapshot", quirk.Name, r.Plugin)
			}
		}
	}
}
