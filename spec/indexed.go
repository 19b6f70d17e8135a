package spec

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
)

// indexed is a question under way that is asked by an index.
type indexed struct {
	m   *Scheduler
	pod *v1.Pod
	x   *Index
	own *ownVolumes
	// uses are the pod's claims of devices.
	uses []*resourcev1.ResourceClaim
	// asks are the filters, in the order of the model's.
	asks []indexedFilter
	// nodes are what is known of each node as it is.
	nodes []ExpectedOnNode
	// base is the same question as the model without quirks was asked it; nil if this is that model, or if that was
	// not asked. What the quirks do not change is taken over: filters unless they are changed, whether a node is
	// feasible if all filters and the nominated pods that count are the same, and scores of the same nodes.
	base         *indexed
	changed      []bool
	sameFeasible bool
	found        []*v1.Node
	scored       [][]Score // by node found
	searches     map[searchKey]*Preemptions
	runs         map[string][]DryRun // by the names of quirks
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
	q         *indexed
	part      *Snapshot
}

// around is what is around the node, with away and put done.
func (at *stage) around() *Snapshot {
	if at.part == nil {
		at.part = at.of(at.q.x.around(at.n, at.q.own, at.q.uses))
	}
	return at.part
}

// asIs reports whether nobody is away or put there.
func (at *stage) asIs() bool { return len(at.away)+len(at.put) == 0 }

func (m *Scheduler) indexed(pod *v1.Pod, x *Index) *indexed {
	q := &indexed{m: m, pod: pod, x: x, own: x.ownVolumes(pod), uses: ownResourceClaims(pod, x.Snapshot),
		searches: map[searchKey]*Preemptions{}, runs: map[string][]DryRun{}}
	if x.plain != nil && x.plain.pod == pod && x.plain.m == m.plain {
		q.base = x.plain
		q.sameFeasible = !exists(m.quirks, func(quirk Quirk) bool { return quirk.Overlooks != nil })
	}
	q.changed = each(m.filters, func(f Filter) bool { return q.base == nil || m.ChangesFilter(f.Plugin) })
	q.sameFeasible = q.sameFeasible && !contains(q.changed, true)
	for i, f := range m.filters {
		if q.changed[i] {
			q.asks = append(q.asks, q.prepare(f))
		} else {
			q.asks = append(q.asks, q.base.asks[i])
		}
	}
	if m.plain == nil {
		x.plain = q
	}
	return q
}

// prepare chooses how a filter is asked: not at all where it is idle, by its fast form if it has one, of what is around
// the node if it does not look across, and else of the whole snapshot.
func (q *indexed) prepare(f Filter) indexedFilter {
	p, pod, x := q.m.Profile, q.pod, q.x
	ask := indexedFilter{Filter: f}
	switch {
	case f.Idle != nil && f.Footprint != ReadsCluster && f.Idle(p, pod, nil, x.Snapshot):
		ask.idle, ask.Fails = true, nil
	case f.indexed != nil:
		ask.holds = f.indexed(p, pod, q)
	case f.Footprint.LooksAcross():
		ask.holds = func(at *stage) bool { return f.Holds(p, pod, at.node, at.of(x.Snapshot)) }
	default:
		ask.holds = func(at *stage) bool { return f.Holds(p, pod, at.node, at.around()) }
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
	return &stage{node: q.x.Snapshot.Nodes[n], n: n, away: away, q: q}
}

// withRespected returns the stage with the pods put there to which the pod must leave their room; nil if there are
// none.
func (q *indexed) withRespected(at *stage) *stage {
	if len(q.x.nominated[at.node.Name]) == 0 {
		return nil
	}
	respected := q.m.rules.respected(q.pod, at.node, at.around())
	if len(respected) == 0 {
		return nil
	}
	return &stage{node: at.node, n: at.n, away: at.away, put: respected, q: q}
}

func (ask indexedFilter) ask(at *stage) bool { return ask.idle || ask.holds(at) }

// passes is Passes.
func (q *indexed) passes(at *stage) bool {
	return all(q.asks, func(ask indexedFilter) bool { return ask.ask(at) })
}

// passesWithNominated is PassesWithNominated.
func (q *indexed) passesWithNominated(at *stage) bool {
	more := q.withRespected(at)
	return more == nil || q.passes(more)
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
	if q.sameFeasible {
		*known = *q.base.on(n)
		return known
	}
	at := q.at(n)
	var empty *stage
	known.Statuses = make([]AllowedStatuses, len(q.asks))
	passes := true
	for i, ask := range q.asks {
		if !q.changed[i] {
			known.Statuses[i] = q.base.on(n).Statuses[i]
			passes = passes && known.Statuses[i].Holds
			continue
		}
		allowed := AllowedStatuses{Holds: ask.ask(at)}
		allowed.Fails = !allowed.Holds && ask.Fails != nil && ask.Fails(q.m.Profile, q.pod, at.node, at.around())
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

// canFail is that of Scheduler.
func (q *indexed) canFail() bool {
	return exists(q.asks, func(ask indexedFilter) bool { return ask.Fails != nil })
}

// failsOn is FailsOn, without pods.
func (q *indexed) failsOn(n int, away ...*v1.Pod) bool {
	if !q.canFail() {
		return false
	}
	at := q.at(n, away...)
	stages := []*stage{at}
	if more := q.withRespected(at); more != nil {
		stages = []*stage{more, at}
	}
	for _, at := range stages {
		for _, ask := range q.asks {
			switch {
			case ask.Fails != nil && ask.Fails(q.m.Profile, q.pod, at.node, at.around()):
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
	same := q.base != nil && slices.Equal(q.base.found, feasible)
	for c, r := range q.m.scorePlugins {
		if same && !q.m.ChangesScore(r.Plugin) {
			for i := range rows {
				rows[i] = append(rows[i], q.base.scored[i][c])
			}
			continue
		}
		for i, score := range q.score(r, feasible) {
			rows[i] = append(rows[i], score)
		}
	}
	q.found, q.scored = feasible, rows
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
			return q.m.appendWeighted(nil, r, scored.raw, scored.normalized)
		default:
			return q.m.Weighted(r, scored.raw)
		}
	case r.Footprint.LooksAcross() || r.ScoreAll != nil:
		return q.m.Score(r, q.pod, feasible, s)
	case r.Abstains != nil && r.Abstains(p, q.pod, feasible, s):
		return each(feasible, func(*v1.Node) Score { return Score{Skipped: true} })
	default:
		return q.m.Weighted(r, each(feasible, func(node *v1.Node) int64 {
			return r.Raw(p, q.pod, node, q.x.around(q.x.number[node.Name], q.own, q.uses))
		}))
	}
}

// indexedScores are what a score plugin's fast form says of feasible nodes, in their order.
type indexedScores struct {
	abstains bool
	// normalized is nil if it is left to the plugin's Normalize.
	raw, normalized []int64
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
