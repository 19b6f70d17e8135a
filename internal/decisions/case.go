package decisions

import (
	"slices"

	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// direct asks production and the model the whole of a question, in the names at hand: no cache, no tables, but the
// index of the snapshot that was asked about last. It is for one worker.
type direct struct {
	spec    *spec.Scheduler
	decider Decider
	index   *spec.Index
}

func newDirect(s *spec.Scheduler, decider Decider) *direct { return &direct{spec: s, decider: decider} }

// decide returns production's decision beside what the model says.
func (d *direct) decide(q spec.Question) *invariants.Case {
	return d.caseOf(q, d.decider.Decide(q))
}

// caseOf puts a decision beside what the model, under the profile that the pod asks for, says of the whole question.
func (d *direct) caseOf(q spec.Question, decision *spec.Decision) *invariants.Case {
	return caseOf(d.spec.For(q.Pod), q, decision, d.indexOf(q.Snapshot))
}

func (d *direct) indexOf(s *spec.Snapshot) *spec.Index {
	switch {
	case d.index == nil:
		d.index = spec.NewIndex(s)
	case d.index.Snapshot != s:
		d.index = d.index.After(s)
	}
	return d.index
}

// caseOf puts a decision beside what the model says of the whole question. index is that of the question's snapshot.
//
// Where kube-scheduler looked at a sample of the nodes, the model says what follows from that sample.
func caseOf(s *spec.Scheduler, q spec.Question, decision *spec.Decision, index *spec.Index) *invariants.Case {
	q.Sample, q.Shortlist = decision.Sample, decision.Shortlist
	expected, feasibleWithout := s.ExpectIndexed(q, index)
	return &invariants.Case{
		Question: q, Decision: decision, Expected: expected, Spec: s, Unmodelled: unmodelled(decision, expected),
		FeasibleWithout: feasibleWithout,
		Documented: func() *spec.Expected {
			expected, _ := s.Documented().ExpectIndexed(q, index)
			return expected
		},
	}
}

// caseFrom puts a decision beside an evaluation from tables. documented are the tables of what Kubernetes documents;
// nil if the evaluation is from these.
func caseFrom(q *model.CanonicalQuestion, a *model.Evaluation, decision *spec.Decision,
	documented *model.Tables) *invariants.Case {
	if decision.Sample != nil || decision.Shortlist != nil {
		a = ofSearches(q, a, decision)
	}
	return &invariants.Case{
		Question: a.Question, Decision: decision, Expected: a.Expected, Spec: a.Spec(),
		Unmodelled: unmodelled(decision, a.Expected), FeasibleWithout: a.FeasibleWithout,
		Overcommitted: a.Overcommitted,
		Documented: func() *spec.Expected {
			if documented == nil {
				return a.Expected
			}
			other := documented.Evaluate(q)
			normalize(q, other)
			return other.Expected
		},
	}
}

// ofSearches returns the normalized evaluation of what follows from the searches that the decision tells of, which no
// table knows.
func ofSearches(q *model.CanonicalQuestion, a *model.Evaluation, decision *spec.Decision) *model.Evaluation {
	of := *a
	of.Question.Sample, of.Question.Shortlist = decision.Sample, decision.Shortlist
	of.Expected, _ = a.Spec().ExpectIndexed(of.Question, spec.NewIndex(of.Question.Snapshot))
	normalize(q, &of)
	return &of
}

// normalized returns the decision so that, of victims that are alike, it names those that a normalized
// evaluation names.
func normalized(q *model.CanonicalQuestion, a *model.Evaluation, decision *spec.Decision) *spec.Decision {
	if len(decision.Outcomes) == 1 && decision.Outcomes[0].Type != spec.Preempt && len(decision.Candidates) == 0 {
		return decision // nobody is a victim
	}
	normal := *decision
	normal.Outcomes = distinctOutcomes(q, a, decision.Outcomes)
	if len(decision.Outcomes) == 1 {
		normal.Writes = a.NormalWrites(q, decision.Outcomes[0], decision.Writes)
	}
	normal.Candidates = nil
	for _, candidate := range decision.Candidates {
		normal.Candidates = append(normal.Candidates, a.NormalCandidate(q, candidate))
	}
	return &normal
}

// normalize brings the outcomes of an evaluation into the form in which they are compared.
func normalize(q *model.CanonicalQuestion, a *model.Evaluation) {
	a.Expected.Outcomes = distinctOutcomes(q, a, a.Expected.Outcomes)
	for i, candidate := range a.Expected.Ideal {
		a.Expected.Ideal[i] = a.NormalCandidate(q, candidate)
	}
}

func distinctOutcomes(q *model.CanonicalQuestion, a *model.Evaluation, outcomes []spec.Outcome) []spec.Outcome {
	if len(outcomes) == 1 && outcomes[0].Type != spec.Preempt {
		return outcomes
	}
	distinct := slices.Grow([]spec.Outcome(nil), len(outcomes))
	for _, o := range outcomes {
		if o = a.Normal(q, o); !slices.ContainsFunc(distinct, o.Equal) {
			distinct = append(distinct, o)
		}
	}
	return distinct
}

// unmodelled names the plugins that had a say in the decision, by rejecting a node or score two nodes
// differently, and that the spec has no predicate for.
func unmodelled(d *spec.Decision, e *spec.Expected) []string {
	var plugins []string
	known := 0 // those that the spec knows are in the same order, most likely
	for f, plugin := range d.Filters {
		if known < len(e.Filters) && e.Filters[known] == plugin {
			known++
		} else if !slices.Contains(e.Filters, plugin) && slices.ContainsFunc(d.Nodes, func(n spec.NodeDecision) bool {
			return n.Statuses[f] != spec.Fits
		}) {
			plugins = append(plugins, plugin)
		}
	}
	known = 0
	for r, plugin := range d.ScorePlugins {
		if known < len(e.ScorePlugins) && e.ScorePlugins[known] == plugin {
			known++
			continue
		}
		if slices.Contains(e.ScorePlugins, plugin) || slices.Contains(plugins, plugin) {
			continue
		}
		var values []int64
		for _, n := range d.Nodes {
			if n.Scores != nil {
				values = append(values, n.Scores[r].Value)
			}
		}
		if len(values) > 0 && slices.Min(values) != slices.Max(values) {
			plugins = append(plugins, plugin)
		}
	}
	return plugins
}
