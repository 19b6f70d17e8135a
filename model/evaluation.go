package model

import (
	"math"
	"slices"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// Evaluation is an expectation with the question it belongs to.
type Evaluation struct {
	Question spec.Question
	Expected *spec.Expected
	// PodsOf has for every node of the question its bound pods, in the order of the place.
	PodsOf [][]*v1.Pod

	tables    *Tables
	canonical *CanonicalQuestion
	podSet    uint32
	nodes     []*facts
	idle      idle
	// wide is the spec with the filters that look across nodes and are not idle; nil if there are none.
	wide *spec.Scheduler
	// base is the answer of the tables' base; nil if there is none.
	base *Evaluation
	// choice: scores are left out where the choice of a node does not hang on them.
	choice bool
	// without is whether a filter that looks across nodes lets a node pass without pods, with nominated pods and
	// without; by filter, node and the pods' indexes.
	without map[string]bool
}

// begin answers as far as filters go; in the literal reading it answers all.
func (a *Evaluation) begin() {
	t := a.tables
	if t.spec.Reading() == spec.Literal {
		a.Expected = t.spec.Expect(a.Question)
		return
	}
	a.nodes = a.factsOfNodes()
	a.idle = t.idleIn(a)
	a.wide = t.wideSpec(t.looksWide &^ a.idle.filters)
	a.Expected = &spec.Expected{Filters: t.names.Filters, ScorePlugins: t.names.ScorePlugins, NoDecision: !a.decides()}
	a.filter()
}

func (a *Evaluation) factsOfNodes() []*facts {
	if a.base != nil && a.tables.sharesFacts {
		return a.base.nodes
	}
	nodes := make([]*facts, len(a.canonical.Nodes))
	for i, content := range a.canonical.Nodes {
		nodes[i] = a.tables.factsOf(a.canonical.Pending, content)
	}
	return nodes
}

// decides reports whether there is a decision, as spec.Scheduler.Answers does.
func (a *Evaluation) decides() bool {
	t, pod, s := a.tables, a.Question.Pod, a.Question.Snapshot
	switch mayFail := func(f *facts) bool { return f.fails || f.scoringFails }; {
	case t.spec.Crashes(pod, s):
		return false
	case t.wideFails:
		return t.spec.Decides(pod, s)
	case !slices.ContainsFunc(a.nodes, mayFail):
		return true
	default:
		// A filter that looks across nodes may reject a node before another one fails on it.
		return t.spec.DecidesWhere(pod, s, func(node *v1.Node) bool {
			return a.nodes[slices.Index(s.Nodes, node)].fails && (a.wide == nil || t.spec.FailsOn(pod, node, s))
		})
	}
}

// Spec is the model that the answer comes from.
func (a *Evaluation) Spec() *spec.Scheduler { return a.tables.spec }

// PodSet numbers who asks, beside which pod templates and in which surroundings, within a run: Tables.Idle depends
// on nothing else.
func (a *Evaluation) PodSet() uint32 { return a.podSet }

// FeasibleWithout reports whether the pod would be feasible on the node if the victims were gone.
func (a *Evaluation) FeasibleWithout(node int, victims []*v1.Pod) bool {
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
	first := firstAlike(a.canonical.Nodes[node].Bound, indexes)
	if len(indexes) == len(victims) && slices.Equal(slices.Sorted(slices.Values(indexes)), first) {
		return a.fits(node, first)
	}
	s := a.Question.Snapshot
	return a.nodes[node].feasibleWithout(first) &&
		(a.wide == nil || a.wide.Feasibility(a.Question.Pod, s.Nodes[node], s.Without(victims...)))
}

// fits reports whether the pod is feasible on the node without the pods at the indexes, of alike pods the first ones.
func (a *Evaluation) fits(node int, indexes []int) bool {
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

// active reports whether a filter looks across nodes and is not idle.
func (a *Evaluation) active(filter int) bool {
	return a.tables.looksWide&^a.idle.filters&(1<<filter) != 0
}

// holdsWithout reports whether an active filter lets the node pass without the pods at the indexes, with nominated
// pods and without.
func (a *Evaluation) holdsWithout(filter, node int, indexes []int) bool {
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

// Overcommitted returns the resources in which the node would be overcommitted with the pod on it.
func (a *Evaluation) Overcommitted(node int) []v1.ResourceName {
	if a.tables.spec.Reading() == spec.Literal {
		return a.tables.spec.Overcommitted(a.Question.Snapshot.Nodes[node],
			append(slices.Clone(a.PodsOf[node]), a.Question.Pod), a.Question.Snapshot)
	}
	return a.nodes[node].exceeded()
}

// filter puts the statuses of single filters together, as spec.Scheduler.Expect does. What the tables' quirks do
// not change is taken over from the base.
func (a *Evaluation) filter() {
	a.Expected.Nodes = make([]spec.ExpectedOnNode, len(a.nodes))
	for i := range a.nodes {
		if a.canonical.twins(i-1, i) {
			a.Expected.Nodes[i] = a.Expected.Nodes[i-1]
			continue
		}
		statuses := a.statuses(i)
		a.Expected.Nodes[i] = spec.ExpectedOnNode{Statuses: statuses, Feasible: a.feasible(i, statuses)}
	}
}

// Complete adds the scores and the outcomes to an answer that AnswerFilters gave. It must not be called twice.
func (a *Evaluation) Complete() {
	if a.tables.spec.Reading() == spec.Literal {
		return
	}
	t, q, e := a.tables, a.canonical, a.Expected
	feasible := make([]int, 0, len(e.Nodes))
	for i := range e.Nodes {
		if e.Nodes[i].Feasible {
			feasible = append(feasible, i)
		}
	}
	base := a.base
	if base != nil &&
		!slices.EqualFunc(
			e.Nodes,
			base.Expected.Nodes,
			func(a, b spec.ExpectedOnNode) bool { return a.Feasible == b.Feasible },
		) {
		base = nil // other nodes are scored
	}
	if !a.choice || a.chooses(feasible) {
		a.score(feasible, base)
	}
	switch {
	case e.NoDecision:
	case len(feasible) > 0:
		viable := a.viable(q, feasible)
		e.Outcomes = make([]spec.Outcome, 0, len(viable))
		for _, i := range viable {
			e.Outcomes = append(e.Outcomes, spec.Outcome{Type: spec.Bind, Node: i})
		}
	case len(a.nodes) == 0 || !t.spec.Profile.Preempts:
		e.Outcomes = waits(q, true, false)
	case base != nil && t.sharesPreemption && !t.spec.KeepsNomination(a.Question.Pod, a.Question.Snapshot):
		of := base.Expected
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

// statuses returns the allowed statuses of all filters on a node.
func (a *Evaluation) statuses(node int) []spec.AllowedStatuses {
	if a.base != nil && a.tables.changed.filters == 0 {
		return a.base.Expected.Nodes[node].Statuses
	}
	statuses := a.nodes[node].statuses
	if a.wide == nil {
		return statuses
	}
	statuses = slices.Clone(statuses)
	for i, f := range a.tables.filters {
		switch s := a.Question.Snapshot; {
		case !a.active(i):
		case a.base != nil && a.tables.changed.filters&(1<<i) == 0:
			statuses[i] = a.base.Expected.Nodes[node].Statuses[i]
		default:
			statuses[i] = a.tables.spec.Allowed(f, a.Question.Pod, s.Nodes[node], s)
		}
	}
	return statuses
}

// feasible reports whether a node is feasible, on which these are the allowed statuses.
func (a *Evaluation) feasible(node int, statuses []spec.AllowedStatuses) bool {
	t, s := a.tables, a.Question.Snapshot
	switch {
	case a.base != nil && !t.overlooks && t.changed.filters == 0:
		return a.base.Expected.Nodes[node].Feasible
	case !a.nodes[node].feasible, slices.ContainsFunc(statuses, func(v spec.AllowedStatuses) bool { return !v.Holds }):
		return false
	default:
		return a.wide == nil || a.wide.PassesWithNominated(a.Question.Pod, s.Nodes[node], s)
	}
}

// forGood reports whether an infeasible node may be unresolvable.
func (a *Evaluation) forGood(node int) bool {
	s := a.Question.Snapshot
	return !a.nodes[node].fitsEmpty() ||
		a.wide != nil && !a.wide.Passes(a.Question.Pod, s.Nodes[node], s.Without(a.PodsOf[node]...))
}

// waits returns the outcomes that leave the pod pending: a nomination it does not hold cannot stay.
func waits(q *CanonicalQuestion, keeps ...bool) []spec.Outcome {
	var outcomes []spec.Outcome
	for _, keep := range keeps {
		o := spec.Outcome{Type: spec.Wait, Node: -1, KeepsNomination: keep && q.Nomination >= 0}
		if !slices.ContainsFunc(outcomes, o.Equal) {
			outcomes = append(outcomes, o)
		}
	}
	return outcomes
}

// score fills in the scores of the feasible nodes. The base, if there is one, scores the same nodes.
func (a *Evaluation) score(feasible []int, base *Evaluation) {
	if len(feasible) == 0 {
		return
	}
	t, q, e := a.tables, a.Question, a.Expected
	nodes := make([]*v1.Node, len(feasible))
	all := make([]spec.Score, len(feasible)*len(t.scorePlugins))
	for i, n := range feasible {
		nodes[i] = q.Snapshot.Nodes[n]
		e.Nodes[n].Scores, all = all[:len(t.scorePlugins):len(t.scorePlugins)], all[len(t.scorePlugins):]
	}
	raw, scores := make([]int64, len(feasible)), make([]spec.Score, 0, len(feasible))
	for r := range t.scorePlugins {
		if base != nil && t.changed.scorePlugins&(1<<r) == 0 {
			for _, n := range feasible {
				e.Nodes[n].Scores[r] = base.Expected.Nodes[n].Scores[r]
			}
			continue
		}
		a.scoreBy(r, nodes, feasible, raw, scores)
	}
}

// scoreBy fills in the scores of one score plugin for the feasible nodes, of which there are some. raw and scores are
// scratch space for each of them.
func (a *Evaluation) scoreBy(r int, nodes []*v1.Node, feasible []int, raw []int64, scores []spec.Score) {
	t, q, scorePlugin := a.tables, a.Question, &a.tables.scorePlugins[r]
	wide := scorePlugin.Footprint.LooksAcross()
	switch {
	case wide && a.idle.scorePlugins&(1<<r) != 0, !wide && a.nodes[feasible[0]].scores().abstains&(1<<r) != 0:
		for _, n := range feasible {
			a.Expected.Nodes[n].Scores[r].Skipped = true
		}
		return
	case scorePlugin.Footprint == spec.ReadsNodes && scorePlugin.Raw != nil && scorePlugin.Abstains == nil:
		all := t.rawOfNodes(r, a)
		for i, n := range feasible {
			raw[i] = all[n]
		}
		scores = t.spec.AppendWeighted(scores, *scorePlugin, raw)
	case wide || scorePlugin.Raw == nil:
		scores = t.spec.Score(*scorePlugin, q.Pod, nodes, q.Snapshot)
	default:
		for i, n := range feasible {
			raw[i] = a.nodes[n].scores().raw[r]
		}
		scores = t.spec.AppendWeighted(scores, *scorePlugin, raw)
	}
	for i, n := range feasible {
		a.Expected.Nodes[n].Scores[r] = scores[i]
	}
}

// chooses reports whether the pod goes to one of several nodes, so that scores count.
func (a *Evaluation) chooses(feasible []int) bool {
	return len(feasible) > 1 && !slices.Contains(feasible, a.canonical.Nomination)
}

// viable returns the nodes the pod may be bound to.
func (a *Evaluation) viable(q *CanonicalQuestion, feasible []int) []int {
	if !a.chooses(feasible) {
		if len(feasible) == 1 {
			return feasible
		}
		return []int{q.Nomination}
	}
	most := int64(math.MinInt64)
	viable := make([]int, 0, len(feasible))
	for _, n := range feasible {
		total := spec.Total(a.Expected.Nodes[n].Scores)
		if total > most {
			most, viable = total, viable[:0]
		}
		if total == most {
			viable = append(viable, n)
		}
	}
	return viable
}

// mostWeighed is how many sets of victims of a question are compared one by one.
const mostWeighed = 32

// preempt adds the preemptions, or the wait if there are none.
func (a *Evaluation) preempt(q *CanonicalQuestion) {
	e, all := a.Expected, true
	var documented, ideal [][]spec.Candidate
	var sets victimSets
	for i := range a.nodes {
		if !q.twins(i-1, i) {
			sets = a.victims(i)
		}
		all = all && sets.all
		documented = append(documented, a.candidates(i, sets.documented))
		ideal = append(ideal, a.candidates(i, sets.ideal))
	}
	chosen := slices.Concat(documented...)
	if !all || len(chosen) > mostWeighed {
		a.preemptTogether()
		return
	}
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
		e.Outcomes = append(e.Outcomes, spec.Outcome{Type: spec.Preempt, Node: c.Node, Victims: c.Victims})
	}
	e.Candidates = slices.Concat(documented...)
	e.Ideal = a.leastOf(slices.Concat(ideal...))
}

// preemptTogether does the same where there are many sets: all nodes are searched at once.
func (a *Evaluation) preemptTogether() {
	var runs []spec.DryRun
	for i := range a.nodes {
		runs = append(runs, a.dryRun(i).run())
	}
	a.tables.spec.PreemptionsOn(runs, a.Question.Pod, a.Question.Snapshot).AddOneOfEach(a.Expected)
}

// victims returns the sets of victims on a node.
func (a *Evaluation) victims(node int) victimSets {
	if a.wide == nil {
		return a.nodes[node].victims()
	}
	return a.dryRun(node).victims()
}

func (a *Evaluation) dryRun(node int) dryRun {
	return dryRun{a.tables.spec, a.Question.Snapshot, node, a.Question.Pod, a.PodsOf[node], a.nodes[node].bound,
		func(indexes []int) bool { return a.fits(node, indexes) }}
}

// leastOf returns the candidates of least casualty.
func (a *Evaluation) leastOf(candidates []spec.Candidate) []spec.Candidate {
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

// candidates returns sets of victims on a node in the question's objects.
func (a *Evaluation) candidates(node int, sets [][]int) []spec.Candidate {
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
