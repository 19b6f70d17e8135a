package spec

import v1 "k8s.io/api/core/v1"

// indexed is a question under way that is asked by an index.
type indexed struct {
	m   *Scheduler
	pod *v1.Pod
	x   *Index
	own *ownVolumes
	// asks are the filters, in the order of the model's.
	asks []indexedFilter
	// nodes are what is known of each node as it is.
	nodes []ExpectedOnNode
}

// indexedFilter is a filter that has been told the question.
type indexedFilter struct {
	Filter
	// idle: it holds everywhere.
	idle bool
	// holds is the fast form.
	holds func(at *stage) bool
}

// stage is a node at which filters are asked: as it is, without some pods, and with others that are put there.
type stage struct {
	node      *v1.Node
	n         int
	away, put []*v1.Pod
	// part is what is around, away and put done.
	part *Snapshot
}

// asIs reports whether nobody is away or put there.
func (at *stage) asIs() bool { return len(at.away)+len(at.put) == 0 }

func (m *Scheduler) indexed(pod *v1.Pod, x *Index) *indexed {
	q := &indexed{m: m, pod: pod, x: x, own: x.ownVolumes(pod)}
	for _, f := range m.filters {
		q.asks = append(q.asks, q.prepare(f))
	}
	return q
}

// prepare chooses how a filter is asked: not at all where it is idle, by its fast form if it has one, of what is around
// the node if it does not look across, and else of the whole snapshot.
func (q *indexed) prepare(f Filter) indexedFilter {
	p, pod, x := q.m.Profile, q.pod, q.x
	ask := indexedFilter{Filter: f}
	switch {
	case f.Fails == nil && f.Idle != nil && f.Footprint != ReadsCluster && f.Idle(p, pod, nil, x.Snapshot):
		ask.idle = true
	case f.indexed != nil:
		ask.holds = f.indexed(p, pod, q)
	case f.Footprint.LooksAcross():
		ask.holds = func(at *stage) bool { return f.Holds(p, pod, at.node, at.of(x.Snapshot)) }
	default:
		ask.holds = func(at *stage) bool { return f.Holds(p, pod, at.node, at.part) }
	}
	return ask
}

// of returns the snapshot at that stage.
func (at *stage) of(s *Snapshot) *Snapshot {
	if len(at.away) > 0 {
		s = s.Without(at.away...)
	}
	if len(at.put) > 0 {
		s = s.WithBound(at.node, at.put...)
	}
	return s
}

// at returns the stage of a node without some pods.
func (q *indexed) at(n int, away ...*v1.Pod) *stage {
	at := &stage{node: q.x.Snapshot.Nodes[n], n: n, away: away}
	at.part = at.of(q.x.around(n, q.own))
	return at
}

// with returns the stage with pods put there that are nominated to the node; they stay nobody's else.
func (q *indexed) with(at *stage, nominated []*v1.Pod) *stage {
	more := &stage{node: at.node, n: at.n, away: at.away, put: nominated}
	more.part = at.part.WithBound(at.node, nominated...)
	return more
}

func (ask indexedFilter) ask(at *stage) bool { return ask.idle || ask.holds(at) }

// passes is Passes.
func (q *indexed) passes(at *stage) bool {
	return all(q.asks, func(ask indexedFilter) bool { return ask.ask(at) })
}

// passesWithNominated is PassesWithNominated.
func (q *indexed) passesWithNominated(at *stage) bool {
	respected := q.m.rules.respected(q.pod, at.node, at.part)
	return len(respected) == 0 || q.passes(q.with(at, respected))
}

// feasibleWithout is Feasibility of the node without pods.
func (q *indexed) feasibleWithout(n int, away []*v1.Pod) bool {
	base := q.on(n)
	for i, f := range q.asks {
		if f.Footprint == ReadsNode && !base.Statuses[i].Holds {
			return false
		}
	}
	at := q.at(n, away...)
	return all(q.asks, func(ask indexedFilter) bool { return ask.Footprint == ReadsNode || ask.ask(at) }) &&
		q.passesWithNominated(at)
}

// on returns what is known of a node as it is.
func (q *indexed) on(n int) *ExpectedOnNode {
	if q.nodes == nil {
		q.nodes = make([]ExpectedOnNode, len(q.x.Snapshot.Nodes))
	}
	known := &q.nodes[n]
	if known.Statuses != nil {
		return known
	}
	at := q.at(n)
	var empty *stage
	known.Statuses = make([]AllowedStatuses, len(q.asks))
	passes := true
	for i, ask := range q.asks {
		allowed := AllowedStatuses{Fails: ask.Fails != nil && ask.Fails(q.m.Profile, q.pod, at.node, at.part)}
		allowed.Holds = ask.ask(at)
		allowed.HoldsEmpty = allowed.Holds
		if there := q.x.on[n]; !allowed.Holds && len(there) > 0 && ask.Footprint != ReadsNode {
			if empty == nil {
				empty = q.at(n, there...)
			}
			allowed.HoldsEmpty = ask.ask(empty)
		}
		known.Statuses[i] = allowed
		passes = passes && allowed.Holds
	}
	known.Feasible = passes && q.passesWithNominated(at)
	return known
}

// failsOn is FailsOn, without pods.
func (q *indexed) failsOn(n int, away ...*v1.Pod) bool {
	if !q.m.canFail() {
		return false
	}
	at := q.at(n, away...)
	stages := []*stage{at}
	if respected := q.m.rules.respected(q.pod, at.node, at.part); len(respected) > 0 {
		stages = []*stage{q.with(at, respected), at}
	}
	for _, at := range stages {
		for _, ask := range q.asks {
			switch {
			case ask.Fails != nil && ask.Fails(q.m.Profile, q.pod, at.node, at.part):
				return true
			case !ask.ask(at):
				return false
			}
		}
	}
	return false
}

// feasible is Feasible.
func (q *indexed) feasible() []*v1.Node {
	var feasible []*v1.Node
	for n, node := range q.x.Snapshot.Nodes {
		if q.on(n).Feasible {
			feasible = append(feasible, node)
		}
	}
	return feasible
}

// scores is Scores.
func (q *indexed) scores(feasible []*v1.Node) [][]Score {
	rows := make([][]Score, len(feasible))
	for _, r := range q.m.scorePlugins {
		for i, score := range q.score(r, feasible) {
			rows[i] = append(rows[i], score)
		}
	}
	return rows
}

func (q *indexed) score(r ScorePlugin, feasible []*v1.Node) []Score {
	p, s := q.m.Profile, q.x.Snapshot
	switch {
	case len(feasible) == 0:
		return nil
	case r.indexed != nil:
		scored := r.indexed(p, q.pod, feasible, q)
		switch {
		case scored.abstains:
			return each(feasible, func(*v1.Node) Score { return Score{Skipped: true} })
		case scored.normalized != nil:
			return q.m.weighted(r, scored.raw, scored.normalized)
		default:
			return q.m.Weighted(r, scored.raw)
		}
	case r.Footprint.LooksAcross() || r.ScoreAll != nil:
		return q.m.Score(r, q.pod, feasible, s)
	case r.Abstains != nil && r.Abstains(p, q.pod, feasible, s):
		return each(feasible, func(*v1.Node) Score { return Score{Skipped: true} })
	default:
		return q.m.Weighted(r, each(feasible, func(node *v1.Node) int64 {
			return r.Raw(p, q.pod, node, q.x.around(q.x.number[node.Name], q.own))
		}))
	}
}

// indexedScores are what a score plugin's fast form says of feasible nodes, in their order.
type indexedScores struct {
	abstains bool
	// normalized is nil if it is left to the plugin's Normalize.
	raw, normalized []int64
}

// preemptions searches the nodes for preemptions, those of a shortlist only if there is one.
func (q *indexed) preemptions(shortlist *Search) *Preemptions {
	s := q.x.Snapshot
	monotone, alike, larger := q.isMonotone(), q.m.Alike(q.pod, s), q.m.Larger(q.pod, s)
	var runs []DryRun
	for n := range s.Nodes {
		jeopardy := filter(q.x.on[n], func(other *v1.Pod) bool { return Priority(other) < Priority(q.pod) })
		if len(jeopardy) == 0 || !shortlist.Has(n) || q.unresolvable(n) {
			continue
		}
		runs = append(runs, DryRun{
			Node: n, Jeopardy: jeopardy, Alike: alike(jeopardy), Monotone: monotone, Larger: larger(jeopardy),
			Fits: func(away []*v1.Pod) bool { return q.feasibleWithout(n, away) },
		})
	}
	return q.m.PreemptionsOn(runs, q.pod, s)
}

// unresolvable reports whether a filter that reads the node alone rejects it: then no eviction helps.
func (q *indexed) unresolvable(n int) bool {
	statuses := q.on(n).Statuses
	for i, ask := range q.asks {
		if ask.Footprint == ReadsNode && !statuses[i].Holds {
			return true
		}
	}
	return false
}

func (q *indexed) isMonotone() bool {
	return all(q.asks, func(ask indexedFilter) bool {
		return ask.Footprint == ReadsNode || ask.Footprint == ReadsNodes || ask.idle ||
			ask.Monotone != nil && ask.Monotone(q.m.Profile, q.pod, q.x.Snapshot)
	})
}
