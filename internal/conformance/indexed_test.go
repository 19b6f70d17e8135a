package conformance

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"

	"github.com/seed-a3f26817/modelcheck/internal/generate"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// indexedModels are the model as documented, with each quirk, and with all that change a rule together.
func indexedModels() []*spec.Scheduler {
	profile := spec.DefaultProfile()
	m := spec.New(profile)
	models := []*spec.Scheduler{m, m.With(defects()...)}
	for _, quirk := range spec.Quirks() {
		models = append(models, m.With(quirk))
	}
	ratio := *profile
	ratio.Fit.Strategy = "RequestedToCapacityRatio"
	ratio.Fit.Shape = []spec.ShapePoint{{Utilization: 0, Score: 0}, {Utilization: 100, Score: 10}}
	ratio.PodAffinity.IgnorePreferredTermsOfExistingPods = true
	return append(models, spec.New(&ratio), spec.New(&ratio).With(defects()...))
}

// TestIndexedIsExpect holds the fast forms to the predicates, with and without each quirk. A million clusters take
// half an hour: go test ./internal/conformance -run TestIndexedIsExpect -rapid.checks=1000000 -timeout 2h.
func TestIndexedIsExpect(t *testing.T) {
	models := indexedModels()
	questions := generate.DrawQuestion(generate.Scope{Nodes: 5, Pods: 9})
	rapid.Check(t, func(t *rapid.T) {
		q := questions.Draw(t, "question")
		m := rapid.SampledFrom(models).Draw(t, "model")
		x := spec.NewIndex(q.Snapshot)
		if rapid.IntRange(0, 3).Draw(t, "after another") == 0 {
			x = afterAnother(t, m, q)
		}
		if rapid.IntRange(0, 3).Draw(t, "sample") == 0 {
			q.Sample = search(t, m.Feasible(q.Pod, q.Snapshot), q.Snapshot)
			q.Shortlist = search(t, q.Snapshot.Nodes, q.Snapshot)
		}
		// What was asked before by the same index makes no difference: of the model without quirks, from which those
		// with quirks take over what these do not change, and of others.
		for _, before := range rapid.SliceOfN(rapid.SampledFrom(models), 0, 2).Draw(t, "before") {
			before.ExpectIndexed(q, x)
		}
		if rapid.Bool().Draw(t, "plain first") {
			models[0].ExpectIndexed(q, x)
			rapid.SampledFrom(models).Draw(t, "beside").ExpectIndexed(q, x)
		}
		want := m.Expect(q)
		got, feasibleWithout := m.ExpectIndexed(q, x)
		sameExpectation(t, q, want, got)
		if want, got := m.Feasible(q.Pod, q.Snapshot), m.FeasibleIndexed(q.Pod, x); !slices.Equal(want, got) {
			t.Fatalf("%d nodes are feasible by the index, want %d", len(got), len(want))
		}
		for n, node := range q.Snapshot.Nodes {
			there := spec.PodsOn(node, q.Snapshot)
			away := rapid.SliceOfNDistinct(rapid.IntRange(0, max(0, len(there)-1)), 0, len(there), rapid.ID).
				Draw(t, "away")
			var pods []*v1.Pod
			for _, i := range away {
				pods = append(pods, there[i])
			}
			if want := m.Feasibility(q.Pod, node, q.Snapshot.Without(pods...)); feasibleWithout(n, pods) != want {
				t.Fatalf("%s without %d pods: want %v", node.Name, len(pods), want)
			}
		}
	})
}

// afterAnother returns the index of the question's snapshot, made from that of one in which some pods are elsewhere.
func afterAnother(t *rapid.T, m *spec.Scheduler, q spec.Question) *spec.Index {
	before := *q.Snapshot
	before.Pods = nil
	for _, pod := range q.Snapshot.Pods {
		if pod != q.Pod && rapid.IntRange(0, 2).Draw(t, "elsewhere") == 0 {
			pod = pod.DeepCopy()
			pod.Spec.NodeName = rapid.SampledFrom(append([]*v1.Node{{}}, before.Nodes...)).Draw(t, "there").Name
		}
		before.Pods = append(before.Pods, pod)
	}
	x := spec.NewIndex(&before)
	m.ExpectIndexed(spec.Question{Pod: q.Pod, Snapshot: &before}, x)
	return x.After(q.Snapshot)
}

// search draws which of the nodes are found.
func search(t *rapid.T, nodes []*v1.Node, s *spec.Snapshot) *spec.Search {
	found := &spec.Search{Nodes: len(s.Nodes)}
	for i, node := range s.Nodes {
		for _, of := range nodes {
			if of == node && rapid.Bool().Draw(t, "found") {
				found.Found = append(found.Found, i)
			}
		}
	}
	found.Enough = len(found.Found)
	return found
}

func sameExpectation(t *rapid.T, q spec.Question, want, got *spec.Expected) {
	for n, node := range q.Snapshot.Nodes {
		for f, plugin := range want.Filters {
			if want.Nodes[n].Statuses[f] != got.Nodes[n].Statuses[f] {
				t.Fatalf("%s of %s: want %+v, got %+v", plugin, node.Name, want.Nodes[n].Statuses[f],
					got.Nodes[n].Statuses[f])
			}
		}
		for i, plugin := range want.ScorePlugins {
			if len(want.Nodes[n].Scores) != len(got.Nodes[n].Scores) {
				t.Fatalf("%s is scored: want %v", node.Name, want.Nodes[n].Scores != nil)
			}
			if want.Nodes[n].Scores != nil && want.Nodes[n].Scores[i] != got.Nodes[n].Scores[i] {
				t.Fatalf("score %s of %s: want %+v, got %+v", plugin, node.Name, want.Nodes[n].Scores[i],
					got.Nodes[n].Scores[i])
			}
		}
		if want.Nodes[n].Feasible != got.Nodes[n].Feasible {
			t.Fatalf("%s: want feasible %v", node.Name, want.Nodes[n].Feasible)
		}
	}
	if want.NoDecision != got.NoDecision || got.Unlisted != nil || got.NotWeighed > 0 {
		t.Fatalf("no decision %v, got %v, unlisted %v", want.NoDecision, got.NoDecision, got.Unlisted)
	}
	sameLists(t, "outcomes", want.Outcomes, got.Outcomes, spec.Outcome.Equal)
	sameLists(t, "candidates", want.Candidates, got.Candidates, spec.Candidate.Equal)
	sameLists(t, "ideal", want.Ideal, got.Ideal, spec.Candidate.Equal)
}

func sameLists[T any](t *rapid.T, what string, want, got []T, equal func(a, b T) bool) {
	in := func(x T, list []T) bool {
		for _, y := range list {
			if equal(x, y) {
				return true
			}
		}
		return false
	}
	same := len(want) == len(got)
	for i := range want {
		same = same && in(want[i], got)
	}
	if !same {
		t.Fatalf("%s (-want +got):\n%s", what, cmp.Diff(want, got))
	}
}
