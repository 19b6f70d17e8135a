package model

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	v1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestTablesAnswerAsTheSpec: the tables say what the spec says when it is asked about the whole question, but for
// which of pods that are alike is named, and for scores on which no choice hangs, if these are not wanted. One set of
// tables answers many questions, so that entries are used again.
func TestTablesAnswerAsTheSpec(t *testing.T) {
	templates, unscored := [3]int{}, 0
	rapid.Check(t, func(t *rapid.T) {
		m, scheduler := newMachine(t, drawScenario(t))
		tables, builder := NewTables(m.Catalog, scheduler), m.NewQuestionBuilder()
		for range 3 {
			a := drawArrangement(t, m.Scenario)
			a.Canonical()
			for _, pending := range a.PendingPods(m.Scenario, nil) {
				builder.Enter(a)
				builder.Build(pending)
				q := builder.Question(pending)
				evaluation := tables.Evaluate(q)
				want := scheduler.Expect(evaluation.Question)
				normalize(q, evaluation, want)
				normalize(q, evaluation, evaluation.Expected)
				if diff := gocmp.Diff(want, evaluation.Expected, byName, cmpopts.EquateEmpty()); diff != "" {
					t.Fatalf("%s asks (-spec +tables):\n%s", evaluation.Question.Pod.Name, diff)
				}
				chosen := tables.EvaluateObjects(q, evaluation.Question, evaluation.PodsOf, false).Expected
				normalize(q, evaluation, chosen)
				for i := range want.Nodes {
					if left := want.Nodes[i].Scores != nil && chosen.Nodes[i].Scores == nil; left {
						unscored, want.Nodes[i].Scores = unscored+1, nil
					}
				}
				if diff := gocmp.Diff(want, chosen, byName, cmpopts.EquateEmpty()); diff != "" {
					t.Fatalf("%s asks, and need not be scored (-spec +tables):\n%s", evaluation.Question.Pod.Name, diff)
				}
				templates[want.Outcomes[0].Type]++
			}
		}
	})
	if slices.Contains(templates[:], 0) {
		t.Errorf("%d questions led to waiting, %d to a binding, %d to a preemption; all are wanted", templates[0],
			templates[1], templates[2])
	}
	if unscored == 0 {
		t.Error("all feasible nodes were scored, though some were the only ones")
	}
}

// TestTablesFeasibleWithout: whoever is taken away, the tables say what the spec says.
func TestTablesFeasibleWithout(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, scheduler := newMachine(t, drawScenario(t))
		a := drawArrangement(t, m.Scenario)
		a.Canonical()
		builder := m.NewQuestionBuilder()
		for _, pending := range a.PendingPods(m.Scenario, nil) {
			builder.Enter(a)
			builder.Build(pending)
			evaluation := NewTables(m.Catalog, scheduler).Evaluate(builder.Question(pending))
			s := evaluation.Question.Snapshot
			for node, pods := range evaluation.PodsOf {
				away := rapid.SliceOfNDistinct(rapid.SampledFrom(append(pods, evaluation.Question.Pod)), 0, -1,
					rapid.ID).Draw(t, "away")
				away = slices.DeleteFunc(away, func(p *v1.Pod) bool { return p == evaluation.Question.Pod })
				want := scheduler.Feasibility(evaluation.Question.Pod, s.Nodes[node], s.Without(away...))
				if got := evaluation.FeasibleWithout(node, away); got != want {
					t.Fatalf("%s without %d pods is feasible: %v, the spec says %v", s.Nodes[node].Name, len(away), got,
						want)
				}
			}
		}
	})
}

// byName compares pods by name: they are objects of one question.
var byName = gocmp.Comparer(func(a, b *v1.Pod) bool { return a.Name == b.Name })

// normalize replaces pods by the first that are alike, and brings what are sets into order.
func normalize(q *CanonicalQuestion, a *Evaluation, e *spec.Expected) {
	for i := range e.Outcomes {
		e.Outcomes[i] = a.Normal(q, e.Outcomes[i])
	}
	for _, candidates := range []*[]spec.Candidate{&e.Candidates, &e.Ideal} {
		for i := range *candidates {
			(*candidates)[i] = a.NormalCandidate(q, (*candidates)[i])
		}
		*candidates = asSet(
			*candidates,
			func(c spec.Candidate) string { return fmt.Sprintf("%d%s", c.Node, named(c.Victims)) },
		)
	}
	e.Outcomes = asSet(e.Outcomes, func(o spec.Outcome) string {
		return fmt.Sprintf("%d %d %v%s", o.Type, o.Node, o.KeepsNomination, named(o.Victims))
	})
}

func named(pods []*v1.Pod) string {
	var text strings.Builder
	for _, pod := range pods {
		text.WriteString(" " + pod.Name)
	}
	return text.String()
}

// asSet sorts by key and keeps one of each.
func asSet[T any](elements []T, key func(T) string) []T {
	slices.SortFunc(elements, func(a, b T) int { return cmp.Compare(key(a), key(b)) })
	return slices.CompactFunc(elements, func(a, b T) bool { return key(a) == key(b) })
}
