package model

import (
	"slices"
	"sync"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// Tables answers questions as the spec does, but asks it once per footprint: what a predicate reads that looks at
// one node only is a pod kind and the content of a node, so that is what its answer is kept for. A predicate that looks across
// nodes is asked about the whole question, unless it is idle there. Every entry is made by calling the spec. Tables
// are safe for concurrent use.
//
// They know the rules of the reading of Kubernetes. The literal reading is asked about each question as a whole.
type Tables struct {
	catalog *Catalog
	spec    *spec.Scheduler
	filters []spec.Filter
	raters  []spec.Rater
	// narrow is the spec with only the filters that look at one node.
	narrow *spec.Scheduler

	mu    sync.RWMutex
	facts map[factsKey]*facts
	// wide has the spec with only some filters that look across nodes, by their indexes.
	wide map[uint64]*spec.Scheduler
}

type factsKey struct {
	asker   int
	content uint32
}

// NewTables gives empty tables.
func NewTables(c *Catalog, s *spec.Scheduler) *Tables {
	t := &Tables{
		catalog: c, spec: s, filters: s.Filters(), raters: s.Raters(),
		facts: map[factsKey]*facts{}, wide: map[uint64]*spec.Scheduler{},
	}
	t.narrow = s.Only(func(f spec.Filter) bool { return f.Footprint != spec.ReadsCluster })
	return t
}

// Size is the number of entries made.
func (t *Tables) Size() int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return len(t.facts)
}

// Answer is an expectation with the question it belongs to.
type Answer struct {
	Question    spec.Question
	Expectation *spec.Expectation
	// PodsOf has for every node of the question its bound pods, in the order of the place.
	PodsOf [][]*v1.Pod

	tables *Tables
	places []*Content
	nodes  []*facts
	// wide is the spec with the filters that look across nodes and are not idle; nil if there are none.
	wide *spec.Scheduler
}

// Answer gives what the spec says to the question.
func (t *Tables) Answer(q *Question) *Answer {
	a := &Answer{tables: t, places: q.Places, nodes: make([]*facts, len(q.Places))}
	a.Question, a.PodsOf = t.catalog.Objects(q)
	if t.spec.Reading() == spec.Literal {
		a.Expectation = t.spec.Expect(a.Question)
		return a
	}
	for i, content := range q.Places {
		a.nodes[i] = t.factsOf(q.Asker, content)
	}
	active := t.activeFilters(a.Question)
	a.wide = t.wideSpec(active)
	a.Expectation = t.spec.NewExpectation()
	a.Expectation.NoDecision = !t.Answers(a.Question)
	a.compose(q, active)
	return a
}

// Allowed gives the allowed verdicts of one filter on a node, given by index, without those of the others.
func (t *Tables) Allowed(q spec.Question, plugin string, node int) spec.AllowedVerdicts {
	i := slices.IndexFunc(t.filters, func(f spec.Filter) bool { return f.Plugin == plugin })
	return t.spec.Allowed(t.filters[i], q.Pod, q.Snapshot.Nodes[node], q.Snapshot)
}

// Answers tells whether there is a decision, as spec.Scheduler.Answers does.
func (t *Tables) Answers(q spec.Question) bool { return t.spec.Answers(q.Pod, q.Snapshot) }

// Idle tells whether the plugin has nothing to say to the question, as filter or rater, whichever pods were gone.
func (t *Tables) Idle(q spec.Question, plugin string) bool {
	type idle = func(*spec.Profile, *v1.Pod, []*v1.Pod, *spec.Snapshot) bool
	var says []idle
	for _, f := range t.filters {
		if f.Plugin == plugin {
			says = append(says, f.Idle)
		}
	}
	for _, r := range t.raters {
		if r.Plugin == plugin {
			says = append(says, r.Idle)
		}
	}
	speaks := func(idle idle) bool { return idle == nil || !idle(t.spec.Profile, q.Pod, q.Snapshot.Pods, q.Snapshot) }
	return len(says) > 0 && !slices.ContainsFunc(says, speaks)
}

// activeFilters gives the filters that look across nodes and are not idle, as a set of indexes.
func (t *Tables) activeFilters(q spec.Question) uint64 {
	var active uint64
	for i, f := range t.filters {
		if f.Footprint == spec.ReadsCluster && (f.Idle == nil || !f.Idle(t.spec.Profile, q.Pod, q.Snapshot.Pods, q.Snapshot)) {
			active |= 1 << i
		}
	}
	return active
}

// wideSpec gives the spec with only the filters of the set; nil for the empty set.
func (t *Tables) wideSpec(filters uint64) *spec.Scheduler {
	if filters == 0 {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.wide[filters] == nil {
		t.wide[filters] = t.spec.Only(func(f spec.Filter) bool {
			i := slices.IndexFunc(t.filters, func(other spec.Filter) bool { return other.Plugin == f.Plugin })
			return filters&(1<<i) != 0
		})
	}
	return t.wide[filters]
}

// Spec is the model that the answer comes from.
func (a *Answer) Spec() *spec.Scheduler { return a.tables.spec }

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
	indexes = firstAlike(a.places[node].Bound, indexes)
	return a.fits(node, indexes, victims)
}

// fits tells whether the pod is feasible on the node without the pods at the indexes, which are victims.
func (a *Answer) fits(node int, indexes []int, victims []*v1.Pod) bool {
	s := a.Question.Snapshot
	return a.nodes[node].feasibleWithout(indexes) &&
		(a.wide == nil || a.wide.Feasibility(a.Question.Pod, s.Nodes[node], s.Without(victims...)))
}

// compose puts the answers of single predicates together, as spec.Scheduler.Expect does.
func (a *Answer) compose(q *Question, active uint64) {
	e := a.Expectation
	e.Nodes = make([]spec.NodeExpectation, len(a.nodes))
	var feasible []int
	for i, f := range a.nodes {
		e.Nodes[i] = spec.NodeExpectation{Verdicts: a.verdicts(i, active), Feasible: f.feasible}
		if a.wide != nil && f.feasible {
			e.Nodes[i].Feasible = a.wide.Feasibility(a.Question.Pod, a.Question.Snapshot.Nodes[i], a.Question.Snapshot)
		}
		if e.Nodes[i].Feasible {
			feasible = append(feasible, i)
		}
	}
	a.rate(feasible)
	switch {
	case e.NoDecision:
	case len(feasible) > 0:
		for _, i := range a.viable(q, feasible) {
			e.Outcomes = append(e.Outcomes, spec.Outcome{Kind: spec.Bind, Node: i})
		}
	case len(a.nodes) == 0 || !a.tables.spec.Profile.Preempts:
		e.Outcomes = waits(q, true, false)
	case !spec.Preempts(a.Question.Pod), a.tables.spec.KeepsNomination(a.Question.Pod, a.Question.Snapshot):
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
func (a *Answer) verdicts(node int, active uint64) []spec.AllowedVerdicts {
	verdicts := a.nodes[node].verdicts
	if active == 0 {
		return verdicts
	}
	verdicts = slices.Clone(verdicts)
	for i, f := range a.tables.filters {
		if active&(1<<i) != 0 {
			s := a.Question.Snapshot
			verdicts[i] = a.tables.spec.Allowed(f, a.Question.Pod, s.Nodes[node], s)
		}
	}
	return verdicts
}

// forGood tells whether an infeasible node may be rejected for good.
func (a *Answer) forGood(node int) bool {
	s := a.Question.Snapshot
	return !a.nodes[node].passesEmpty ||
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

// rate fills in the ratings of the feasible nodes.
func (a *Answer) rate(feasible []int) {
	t, q, e := a.tables, a.Question, a.Expectation
	nodes := make([]*v1.Node, len(feasible))
	for i, n := range feasible {
		nodes[i] = q.Snapshot.Nodes[n]
		e.Nodes[n].Ratings = make([]spec.Rating, len(t.raters))
	}
	for r, rater := range t.raters {
		for i, rating := range a.ratings(rater, r, nodes, feasible) {
			e.Nodes[feasible[i]].Ratings[r] = rating
		}
	}
}

// ratings gives the ratings of one rater for the feasible nodes.
func (a *Answer) ratings(rater spec.Rater, r int, nodes []*v1.Node, feasible []int) []spec.Rating {
	t, q := a.tables, a.Question
	ratings := make([]spec.Rating, len(feasible))
	wide := rater.Footprint == spec.ReadsCluster
	if wide && rater.Idle != nil && rater.Idle(t.spec.Profile, q.Pod, q.Snapshot.Pods, q.Snapshot) ||
		!wide && rater.Abstains != nil && rater.Abstains(t.spec.Profile, q.Pod, nodes, q.Snapshot) {
		for i := range ratings {
			ratings[i].Skipped = true
		}
		return ratings
	}
	if wide || rater.Raw == nil {
		return t.spec.Rate(rater, q.Pod, nodes, q.Snapshot)
	}
	raw := make([]int64, len(feasible))
	for i, n := range feasible {
		raw[i] = a.nodes[n].raw[r]
	}
	return t.spec.Weighted(rater, raw)
}

// viable gives the nodes the pod may be bound to.
func (a *Answer) viable(q *Question, feasible []int) []int {
	if q.Nomination >= 0 && slices.Contains(feasible, q.Nomination) {
		return []int{q.Nomination}
	}
	most := int64(-1)
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
	for i := range a.nodes {
		documentedSets, idealSets := a.victims(i)
		documented = append(documented, a.candidates(i, documentedSets))
		ideal = append(ideal, a.candidates(i, idealSets))
	}
	chosen := a.tables.spec.LeastCasualty(a.Question.Pod, documented, a.Question.Snapshot)
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
	fits := func(indexes []int) bool {
		var victims []*v1.Pod
		for _, i := range indexes {
			victims = append(victims, a.PodsOf[node][i])
		}
		return a.fits(node, indexes, victims)
	}
	return dryRun{a.tables.spec, a.Question.Snapshot, node, a.Question.Pod, a.PodsOf[node], f.bound, fits}.victims()
}

// leastOf gives the candidates of least casualty.
func (a *Answer) leastOf(candidates []spec.Candidate) []spec.Candidate {
	var least []spec.Candidate
	for _, c := range candidates {
		order := -1
		if len(least) > 0 {
			order = a.casualty(c).Compare(a.casualty(least[0]))
		}
		if order < 0 {
			least = nil
		}
		if order <= 0 {
			least = append(least, c)
		}
	}
	return least
}

func (a *Answer) casualty(c spec.Candidate) spec.Casualty {
	return a.tables.spec.CasualtyOf(a.Question.Pod, c, a.Question.Snapshot)
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

// Normal replaces the victims of an outcome of the question by the first pods that are like them: which of several
// pods that are alike dies makes no difference. Victims that are not bound to the node stay as they are.
func (a *Answer) Normal(q *Question, o spec.Outcome) spec.Outcome {
	if o.Kind == spec.Nominate {
		o.Victims = a.normal(q, o.Node, o.Victims)
	}
	return o
}

// NormalCandidate does the same for a candidate.
func (a *Answer) NormalCandidate(q *Question, c spec.Candidate) spec.Candidate {
	return spec.Candidate{Node: c.Node, Victims: a.normal(q, c.Node, c.Victims)}
}

// NormalWrites does the same for what was written for the sake of an outcome: of victims that are alike, those are written to that Normal
// names.
func (a *Answer) NormalWrites(q *Question, o spec.Outcome, writes []spec.Write) []spec.Write {
	if o.Kind != spec.Nominate {
		return writes
	}
	instead := map[*v1.Pod]*v1.Pod{}
	free := slices.DeleteFunc(a.normal(q, o.Node, o.Victims), func(p *v1.Pod) bool { return slices.Contains(o.Victims, p) })
	kept := a.normal(q, o.Node, o.Victims)
	code := func(p *v1.Pod) uint16 { return q.Places[o.Node].Bound[slices.Index(a.PodsOf[o.Node], p)].code() }
	for _, victim := range o.Victims {
		if slices.Contains(kept, victim) {
			continue
		}
		i := slices.IndexFunc(free, func(p *v1.Pod) bool { return code(p) == code(victim) })
		instead[victim] = free[i]
		free = slices.Delete(free, i, i+1)
	}
	normal := slices.Clone(writes)
	for i := range normal {
		if other := instead[normal[i].Pod]; other != nil {
			normal[i].Pod = other
		}
	}
	return normal
}

func (a *Answer) normal(q *Question, node int, victims []*v1.Pod) []*v1.Pod {
	var here []int
	var elsewhere []*v1.Pod
	for _, victim := range victims {
		if i := slices.Index(a.PodsOf[node], victim); i >= 0 {
			here = append(here, i)
		} else {
			elsewhere = append(elsewhere, victim)
		}
	}
	var normal []*v1.Pod
	for _, i := range firstAlike(q.Places[node].Bound, here) {
		normal = append(normal, a.PodsOf[node][i])
	}
	return append(normal, elsewhere...)
}
