package spec

import (
	"slices"

	v1 "k8s.io/api/core/v1"
)

// ExpectIndexed is Expect by an index of the question's snapshot, with what it takes to ask about evictions. The text
// as first written has no fast form: there it is Expect.
func (m *Scheduler) ExpectIndexed(q Question, x *Index) (*Expected, func(node int, away []*v1.Pod) bool) {
	if m.text != nil || len(x.Snapshot.gone) > 0 {
		return m.Expect(q), func(node int, away []*v1.Pod) bool {
			return m.Feasibility(q.Pod, q.Snapshot.Nodes[node], q.Snapshot.Without(away...))
		}
	}
	asked := m.indexed(q.Pod, x)
	return asked.expect(q), asked.feasibleWithout
}

// FeasibleIndexed is Feasible by an index of the snapshot. The text as first written has no fast form.
func (m *Scheduler) FeasibleIndexed(pod *v1.Pod, x *Index) []*v1.Node {
	if m.text != nil || len(x.Snapshot.gone) > 0 {
		return m.Feasible(pod, x.Snapshot)
	}
	return m.indexed(pod, x).feasible()
}

func (q *indexed) expect(question Question) *Expected {
	s := q.x.Snapshot
	e := q.m.NewExpected()
	feasible := q.feasible()
	found := question.Sample.Of(feasible, s)
	scores := q.scores(found)
	e.Nodes = make([]ExpectedOnNode, len(s.Nodes))
	for n := range s.Nodes {
		e.Nodes[n] = *q.on(n)
	}
	for i, node := range found {
		e.Nodes[q.x.number[node.Name]].Scores = scores[i]
	}
	if e.NoDecision = !q.decides(question, feasible, found); e.NoDecision {
		return e
	}
	q.outcomes(e, question, found, scores)
	return e
}

// decides is that of Scheduler.
func (q *indexed) decides(question Question, feasible, found []*v1.Node) bool {
	return !q.m.Crashes(q.pod, q.x.Snapshot) && (question.Sample != nil || q.filtersDecide(feasible)) &&
		!q.scoringFails(found)
}

func (q *indexed) filtersDecide(feasible []*v1.Node) bool {
	if !q.canFail() || q.m.TurnsAway(q.pod, q.x.Snapshot) {
		return true
	}
	fails := filter(q.x.Snapshot.Nodes, func(node *v1.Node) bool { return q.failsOn(q.x.number[node.Name]) })
	return len(fails) == 0 || exists(minus(nominatedNodes(q.pod, q.x.Snapshot), fails), func(node *v1.Node) bool {
		return contains(feasible, node)
	})
}

func (q *indexed) scoringFails(found []*v1.Node) bool {
	return len(found) > 1 &&
		exists(q.m.quirks, func(quirk Quirk) bool { return quirk.ScoringFails != nil }) &&
		!q.m.TurnsAway(q.pod, q.x.Snapshot) && len(q.m.rules.unscored(q.pod, found)) == 0 &&
		exists(found, func(node *v1.Node) bool {
			return q.m.ScoringFailsOn(q.pod, node, q.x.around(q.x.number[node.Name], q.own, q.uses))
		})
}

// outcomes adds Outcomes, and candidates of preemption.
func (q *indexed) outcomes(e *Expected, question Question, found []*v1.Node, scores [][]Score) {
	m, pod, s := q.m, q.pod, q.x.Snapshot
	stays, goes := wait(pod, true), wait(pod, !m.rules.clears)
	switch {
	case len(found) > 0:
		e.Outcomes = each(q.best(found, scores), func(node *v1.Node) Outcome {
			return Outcome{Type: Bind, Node: q.x.number[node.Name]}
		})
	case len(s.Nodes) == 0 || !m.Profile.Preempts:
		e.Outcomes = distinct([]Outcome{stays, goes}, Outcome.Equal)
	case !m.rules.preempts(pod), q.keepsNomination(question):
		e.Outcomes = []Outcome{stays}
	case !q.awaits():
		q.preempt(e, question)
	case q.mayForsakeNomination():
		q.preempt(e, question)
		e.Outcomes = distinct(append([]Outcome{stays}, e.Outcomes...), Outcome.Equal)
	default:
		e.Outcomes = []Outcome{stays}
	}
}

// best is Scheduling, of the nodes that were found.
func (q *indexed) best(found []*v1.Node, scores [][]Score) []*v1.Node {
	if unscored := q.m.rules.unscored(q.pod, found); len(unscored) > 0 {
		return unscored
	}
	totals := each(scores, Total)
	most := slices.Max(totals)
	var best []*v1.Node
	for i, node := range found {
		if totals[i] == most {
			best = append(best, node)
		}
	}
	return best
}

// preempt adds what becomes of a pod that may preempt now.
func (q *indexed) preempt(e *Expected, question Question) {
	shortlist := question.Shortlist
	if shortlist != nil && (len(shortlist.Found) == 0 ||
		!q.preemptions(shortlist).keepsBudgets() && q.preemptions(nil).keepsBudgets()) { // see leastRivals
		shortlist = nil
	}
	q.preemptions(shortlist).Add(e)
	if shortlist == nil || !exists(e.Outcomes, func(o Outcome) bool { return o.Type == Preempt }) {
		return
	}
	// What is documented of a node, and least damage, is about all nodes.
	var everywhere Expected
	q.preemptions(nil).Add(&everywhere)
	e.Candidates, e.Ideal, e.NotWeighed = everywhere.Candidates, everywhere.Ideal, everywhere.NotWeighed
	if e.Unlisted != nil || everywhere.Unlisted != nil {
		e.Unlisted = shortlisted{chosen: orListed(e.Unlisted), everywhere: orListed(everywhere.Unlisted)}
	}
}

// awaits is that of the rules.
func (q *indexed) awaits() bool {
	return q.m.rules.awaits(q.pod, q.nominatedPart())
}

// nominatedPart is what is around the node that the pod is nominated to, if there is one.
func (q *indexed) nominatedPart() *Snapshot {
	if n, ok := q.x.number[q.pod.Status.NominatedNodeName]; ok {
		return q.x.part(n)
	}
	return &Snapshot{}
}

func (q *indexed) mayForsakeNomination() bool {
	n, ok := q.x.number[q.pod.Status.NominatedNodeName]
	return ok && !q.on(n).Feasible && !q.passes(q.at(n, q.x.on[n]...))
}

func (q *indexed) keepsNomination(question Question) bool {
	return q.dryRunFails(question) || exists(q.m.quirks, func(quirk Quirk) bool {
		return quirk.KeepsNomination != nil && quirk.KeepsNomination(q.m.Profile, q.pod, q.x.Snapshot)
	})
}

func (q *indexed) dryRunFails(question Question) bool {
	if !q.canFail() || q.m.TurnsAway(q.pod, q.x.Snapshot) || AwaitsVictims(q.pod, q.nominatedPart()) {
		return false
	}
	failing := exists(q.x.Snapshot.Nodes, func(node *v1.Node) bool {
		n := q.x.number[node.Name]
		jeopardy := Jeopardy(q.pod, node, q.x.part(n))
		return len(jeopardy) > 0 && q.failsOn(n, jeopardy...)
	})
	if !failing {
		return false
	}
	var e Expected
	q.preemptions(nil).Add(&e)
	return !exists(e.Outcomes, func(o Outcome) bool { return o.Type == Preempt })
}

// shortlisted answers for preemptions chosen from a shortlist of nodes.
type shortlisted struct{ chosen, everywhere Unlisted }

func (u shortlisted) Allows(c Candidate) (allowed, decided bool) { return u.chosen.Allows(c) }
func (u shortlisted) Documents(c Candidate) (documented, decided bool) {
	return u.everywhere.Documents(c)
}
func (u shortlisted) Ideal(c Candidate) bool { return u.everywhere.Ideal(c) }

// listed has nothing to add to the lists.
type listed struct{}

func (listed) Allows(Candidate) (allowed, decided bool)       { return false, true }
func (listed) Documents(Candidate) (documented, decided bool) { return false, true }
func (listed) Ideal(Candidate) bool                           { return false }

func orListed(u Unlisted) Unlisted {
	if u == nil {
		return listed{}
	}
	return u
}
