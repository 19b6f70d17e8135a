package model

import (
	"math"
	"slices"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// Answer is an expectation with the question it belongs to.
type Answer struct {
	Question    spec.Question
	Expectation *spec.Expectation
	// PodsOf has for every node of the question its bound pods, in the order of the place.
	PodsOf [][]*v1.Pod

	tables  *Tables
	asked   *Question
	company uint32
	nodes   []*facts
	idle    idle
	// wide is the spec with the filters that look across nodes and are not idle; nil if there are none.
	wide *spec.Scheduler
	// base is the answer of the tables' base; nil if there is none.
	base *Answer
	// without is whether a filter that looks across nodes lets a node pass without pods, with nominated pods and without; by filter, node
	// and the pods' indexes.
	without map[string]bool
}

// begin answers as far as filters go; in the literal reading it answers all.
func (a *Answer) begin() {
	t := a.tables
	if t.spec.Reading() == spec.Literal {
		a.Expectation = t.spec.Expect(a.Question)
		return
	}
	a.nodes = a.factsOfPlaces()
	a.idle = t.idleIn(a)
	a.wide = t.wideSpec(t.looksWide &^ a.idle.filters)
	a.Expectation = &spec.Expectation{Filters: t.names.Filters, Raters: t.names.Raters, NoDecision: !a.answers()}
	a.filter()
}

func (a *Answer) factsOfPlaces() []*facts {
	if a.base != nil && a.tables.sharesFacts {
		return a.base.nodes
	}
	nodes := make([]*facts, len(a.asked.Places))
	for i, content := range a.asked.Places {
		nodes[i] = a.tables.factsOf(a.asked.Asker, content)
	}
	return nodes
}

// answers tells whether there is a decision, as spec.Scheduler.Answers does.
func (a *Answer) answers() bool {
	t, pod, s := a.tables, a.Question.Pod, a.Question.Snapshot
	switch mayFail := func(f *facts) bool { return f.fails || f.misrated }; {
	case t.wideFails:
		return t.spec.Answers(pod, s)
	case !slices.ContainsFunc(a.nodes, mayFail):
		return true
	default:
		// A filter that looks across nodes may reject a node before another one fails on it.
		return t.spec.AnswersWhere(pod, s, func(node *v1.Node) bool {
			return a.nodes[slices.Index(s.Nodes, node)].fails && (a.wide == nil || t.spec.FailsOn(pod, node, s))
		})
	}
}

// Spec is the model that the answer comes from.
func (a *Answer) Spec() *spec.Scheduler { return a.tables.spec }

// Company numbers who asks, beside which kinds of pod and in which surroundings, within a run: Tables.Idle depends on nothing else.
func (a *Answer) Company() uint32 { return a.company }

// FeasibleWithout tells whether the pod would be feasible on the node if the victims were gone.
func (a *Answer) FeasibleWithout(node int, victims []*v1.Pod) bool {
	if t := a.tables; t.spec.Reading() == spec.Literal {
		s := a.Question.Snapshot
		return t.spec.Feasibility(a.Question.Pod, s.Nodes[node], s.Without(victims...))
	}
	var indexes []int
	for _, victim := range victims {
		if i := slices.Index(a.PodsOf[node], victim); i >= 0 {
			indexes = append(indexes, i)
		}
	}
	first := firstAlike(a.asked.Places[node].Bound, indexes)
	if len(indexes) == len(victims) && slices.Equal(slices.Sorted(slices.Values(indexes)), first) {
		return a.fits(node, first)
	}
	s := a.Question.Snapshot
	return a.nodes[node].feasibleWithout(first) &&
		(a.wide == nil || a.wide.Feasibility(a.Question.Pod, s.Nodes[node], s.Without(victims...)))
}

// fits tells whether the pod is feasible on the node without the pods at the indexes, of alike pods the first ones.
func (a *Answer) fits(node int, indexes []int) bool {
	if !a.nodes[node].feasibleWithout(indexes) {
		return false
	}
	for i := range a.tables.filters {
		if a.active(i) && !a.holdsWithout(i, node, indexes) {
			return false
		}
	}
	return true
}

// active tells whether a filter looks across nodes and is not idle.
func (a *Answer) active(filter int) bool { return a.tables.looksWide&^a.idle.filters&(1<<filter) != 0 }

// holdsWithout tells whether an active filter lets the node pass without the pods at the indexes, with nominated pods and without.
func (a *Answer) holdsWithout(filter, node int, indexes []int) bool {
	t := a.tables
	if a.base != nil && !t.overlooks && t.changed.filters&(1<<filter) == 0 {
		return a.base.holdsWithout(filter, node, indexes)
	}
	key := append(make([]byte, 0, 32), byte(filter), byte(node))
	for _, index := range indexes {
		key = append(key, byte(index))
	}
	holds, known := a.without[string(key)]
	if !known {
		s, victims := a.Question.Snapshot, make([]*v1.Pod, len(indexes))
		for i, index := range indexes {
			victims[i] = a.PodsOf[node][index]
		}
		holds = t.wideSpec(1<<filter).Feasibility(a.Question.Pod, s.Nodes[node], s.Without(victims...))
		if a.without == nil {
			a.without = map[string]bool{}
		}
		a.without[string(key)] = holds
	}
	return holds
}

// Overcommitted gives the resources in which the node would be overcommitted with the pod on it.
func (a *Answer) Overcommitted(node int) []v1.ResourceName {
	if a.tables.spec.Reading() == spec.Literal {
		return a.tables.spec.Overcommitted(a.Question.Snapshot.Nodes[node], append(slices.Clone(a.PodsOf[node]), a.Question.Pod))
	}
	return a.nodes[node].exceeded()
}

// filter puts the verdicts of single filters together, as spec.Scheduler.Expect does. What the tables' quirks do not change is taken
// over from the base.
func (a *Answer) filter() {
	a.Expectation.Nodes = make([]spec.NodeExpectation, len(a.nodes))
	for i := range a.nodes {
		if a.asked.twins(i-1, i) {
			a.Expectation.Nodes[i] = a.Expectation.Nodes[i-1]
			continue
		}
		verdicts := a.verdicts(i)
		a.Expectation.Nodes[i] = spec.NodeExpectation{Verdicts: verdicts, Feasible: a.feasible(i, verdicts)}
	}
}

// Complete adds the ratings and the outcomes to an answer that AnswerFilters gave. It must not be called twice.
func (a *Answer) Complete() {
	if a.tables.spec.Reading() == spec.Literal {
		return
	}
	t, q, e := a.tables, a.asked, a.Expectation
	var feasible []int
	for i := range e.Nodes {
		if e.Nodes[i].Feasible {
			feasible = append(feasible, i)
		}
	}
	base := a.base
	if base != nil && !slices.EqualFunc(e.Nodes, base.Expectation.Nodes, func(a, b spec.NodeExpectation) bool { return a.Feasible == b.Feasible }) {
		base = nil // other nodes are rated
	}
	a.rate(feasible, base)
	switch {
	case e.NoDecision:
	case len(feasible) > 0:
		for _, i := range a.viable(q, feasible) {
			e.Outcomes = append(e.Outcomes, spec.Outcome{Kind: spec.Bind, Node: i})
		}
	case len(a.nodes) == 0 || !t.spec.Profile.Preempts:
		e.Outcomes = waits(q, true, false)
	case base != nil && t.sharesPreemption && !t.spec.KeepsNomination(a.Question.Pod, a.Question.Snapshot):
		of := base.Expectation
		e.Outcomes, e.Candidates, e.Ideal = slices.Clone(of.Outcomes), of.Candidates, slices.Clone(of.Ideal)
	case !spec.Preempts(a.Question.Pod), t.spec.KeepsNomination(a.Question.Pod, a.Question.Snapshot):
		e.Outcomes = waits(q, true)
	case q.Nomination >= 0 && a.nodes[q.Nomination].awaits:
		e.Outcomes = waits(q, true)
		if a.forGood(q.Nomination) {
			a.preempt(q)
		}
	default:
		a.preempt(q)
	}
}

// verdicts gives the allowed verdicts of all filters on a node.
func (a *Answer) verdicts(node int) []spec.AllowedVerdicts {
	if a.base != nil && a.tables.changed.filters == 0 {
		return a.base.Expectation.Nodes[node].Verdicts
	}
	verdicts := a.nodes[node].verdicts
	if a.wide == nil {
		return verdicts
	}
	verdicts = slices.Clone(verdicts)
	for i, f := range a.tables.filters {
		switch s := a.Question.Snapshot; {
		case !a.active(i):
		case a.base != nil && a.tables.changed.filters&(1<<i) == 0:
			verdicts[i] = a.base.Expectation.Nodes[node].Verdicts[i]
		default:
			verdicts[i] = a.tables.spec.Allowed(f, a.Question.Pod, s.Nodes[node], s)
		}
	}
	return verdicts
}

// feasible tells whether a node is feasible, on which these are the allowed verdicts.
func (a *Answer) feasible(node int, verdicts []spec.AllowedVerdicts) bool {
	t, s := a.tables, a.Question.Snapshot
	switch {
	case a.base != nil && !t.overlooks && t.changed.filters == 0:
		return a.base.Expectation.Nodes[node].Feasible
	case !a.nodes[node].feasible, slices.ContainsFunc(verdicts, func(v spec.AllowedVerdicts) bool { return !v.Holds }):
		return false
	default:
		return a.wide == nil || a.wide.PassesWithNominated(a.Question.Pod, s.Nodes[node], s)
	}
}

// forGood tells whether an infeasible node may be rejected for good.
func (a *Answer) forGood(node int) bool {
	s := a.Question.Snapshot
	return !a.nodes[node].fitsEmpty() ||
		a.wide != nil && !a.wide.Passes(a.Question.Pod, s.Nodes[node], s.Without(a.PodsOf[node]...))
}

// waits gives the outcomes that leave the pod pending: a nomination it does not hold cannot stay.
func waits(q *Question, keeps ...bool) []spec.Outcome {
	var outcomes []spec.Outcome
	for _, keep := range keeps {
		o := spec.Outcome{Kind: spec.Wait, Node: -1, KeepsNomination: keep && q.Nomination >= 0}
		if !slices.ContainsFunc(outcomes, o.Equal) {
			outcomes = append(outcomes, o)
		}
	}
	return outcomes
}

// rate fills in the ratings of the feasible nodes. The base, if there is one, rates the same nodes.
func (a *Answer) rate(feasible []int, base *Answer) {
	if len(feasible) == 0 {
		return
	}
	t, q, e := a.tables, a.Question, a.Expectation
	nodes := make([]*v1.Node, len(feasible))
	all := make([]spec.Rating, len(feasible)*len(t.raters))
	for i, n := range feasible {
		nodes[i] = q.Snapshot.Nodes[n]
		e.Nodes[n].Ratings, all = all[:len(t.raters):len(t.raters)], all[len(t.raters):]
	}
	raw := make([]int64, len(feasible))
	for r := range t.raters {
		if base != nil && t.changed.raters&(1<<r) == 0 {
			for _, n := range feasible {
				e.Nodes[n].Ratings[r] = base.Expectation.Nodes[n].Ratings[r]
			}
			continue
		}
		a.rateBy(r, nodes, feasible, raw)
	}
}

// rateBy fills in the ratings of one rater for the feasible nodes, of which there are some. raw is scratch space for each of them.
func (a *Answer) rateBy(r int, nodes []*v1.Node, feasible []int, raw []int64) {
	t, q, rater := a.tables, a.Question, &a.tables.raters[r]
	wide := rater.Footprint.LooksAcross()
	var ratings []spec.Rating
	switch {
	case wide && a.idle.raters&(1<<r) != 0, !wide && a.nodes[feasible[0]].abstains&(1<<r) != 0:
		for _, n := range feasible {
			a.Expectation.Nodes[n].Ratings[r].Skipped = true
		}
		return
	case rater.Footprint == spec.ReadsNodes && rater.Raw != nil && rater.Abstains == nil:
		all := t.rawOfNodes(r, a)
		for i, n := range feasible {
			raw[i] = all[n]
		}
		ratings = t.spec.Weighted(*rater, raw)
	case wide || rater.Raw == nil:
		ratings = t.spec.Rate(*rater, q.Pod, nodes, q.Snapshot)
	default:
		for i, n := range feasible {
			raw[i] = a.nodes[n].raw[r]
		}
		ratings = t.spec.Weighted(*rater, raw)
	}
	for i, n := range feasible {
		a.Expectation.Nodes[n].Ratings[r] = ratings[i]
	}
}

// viable gives the nodes the pod may be bound to.
func (a *Answer) viable(q *Question, feasible []int) []int {
	if q.Nomination >= 0 && slices.Contains(feasible, q.Nomination) {
		return []int{q.Nomination}
	}
	most := int64(math.MinInt64)
	var viable []int
	for _, n := range feasible {
		total := spec.Total(a.Expectation.Nodes[n].Ratings)
		if total > most {
			most, viable = total, nil
		}
		if total == most {
			viable = append(viable, n)
		}
	}
	return viable
}

// preempt adds the preemptions, or the wait if there are none.
func (a *Answer) preempt(q *Question) {
	e := a.Expectation
	var documented, ideal [][]spec.Candidate
	var documentedSets, idealSets [][]int
	for i := range a.nodes {
		if !q.twins(i-1, i) {
			documentedSets, idealSets = a.victims(i)
		}
		documented = append(documented, a.candidates(i, documentedSets))
		ideal = append(ideal, a.candidates(i, idealSets))
	}
	chosen := slices.Concat(documented...)
	if len(chosen) > 1 {
		chosen = a.tables.spec.LeastCasualty(a.Question.Pod, documented, a.Question.Snapshot)
	}
	if len(chosen) == 0 {
		for _, o := range waits(q, false) {
			if !slices.ContainsFunc(e.Outcomes, o.Equal) {
				e.Outcomes = append(e.Outcomes, o)
			}
		}
		return
	}
	for _, c := range chosen {
		e.Outcomes = append(e.Outcomes, spec.Outcome{Kind: spec.Nominate, Node: c.Node, Victims: c.Victims})
	}
	e.Candidates = slices.Concat(documented...)
	e.Ideal = a.leastOf(slices.Concat(ideal...))
}

// victims gives the documented and the ideal sets of victims on a node.
func (a *Answer) victims(node int) (documented, ideal [][]int) {
	f := a.nodes[node]
	if a.wide == nil {
		return f.victims()
	}
	fits := func(indexes []int) bool { return a.fits(node, indexes) }
	return dryRun{a.tables.spec, a.Question.Snapshot, node, a.Question.Pod, a.PodsOf[node], f.bound, fits}.victims()
}

// leastOf gives the candidates of least casualty.
func (a *Answer) leastOf(candidates []spec.Candidate) []spec.Candidate {
	if len(candidates) == 1 {
		return candidates
	}
	var least []spec.Candidate
	var casualty spec.Casualty
	for _, c := range candidates {
		damage, order := a.tables.spec.CasualtyOf(a.Question.Pod, c, a.Question.Snapshot), -1
		if len(least) > 0 {
			order = damage.Compare(casualty)
		}
		if order < 0 {
			least, casualty = nil, damage
		}
		if order <= 0 {
			least = append(least, c)
		}
	}
	return least
}

// candidates gives sets of victims on a node in the question's objects.
func (a *Answer) candidates(node int, sets [][]int) []spec.Candidate {
	var candidates []spec.Candidate
	for _, set := range sets {
		victims := make([]*v1.Pod, len(set))
		for i, index := range set {
			victims[i] = a.PodsOf[node][index]
		}
		candidates = append(candidates, spec.Candidate{Node: node, Victims: victims})
	}
	return candidates
}
