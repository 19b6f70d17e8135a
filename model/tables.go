package model

import (
	"encoding/binary"
	"slices"
	"sync"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// Tables answers questions as the spec does, but asks it once per footprint: what a predicate reads that looks at
// one node only is a pod template and the content of a node, so that is what its answer is kept for. A predicate
// that looks across nodes is asked about the whole question, unless it is idle there. Every entry is made by
// calling the spec. Tables are safe for concurrent use.
//
// They know the rules of the reading of Kubernetes. The literal reading is asked about each question as a whole.
type Tables struct {
	catalog      *Catalog
	spec         *spec.Scheduler
	filters      []spec.Filter
	scorePlugins []spec.ScorePlugin
	// names has the plugins, and nothing else that an expectation says.
	names *spec.Expected
	// narrow is the spec with only the filters that look at one node, counting with those of them that read its
	// pods; looksWide are the others, as a set of indexes.
	narrow    *spec.Scheduler
	counting  *spec.Scheduler
	looksWide uint64
	// wideFails: one of the others may end in an error.
	wideFails bool

	// base are the tables of the model without the quirks of this one; nil if it has none, or nothing can be taken
	// over. changed are the filters and score plugins, as sets of indexes, that are others there. sharesFacts: the
	// facts are the same. sharesPreemption: so is what becomes of a pod without a feasible node, unless it keeps
	// its nomination.
	base             *Tables
	changed          idle
	sharesFacts      bool
	sharesPreemption bool
	// overlooks: other nominated pods are respected there.
	overlooks bool

	mu    sync.RWMutex
	facts map[uint64]*facts // by the template that asks and the number of the content
	// templates are the facts that are the same for all contents with one template of node.
	templates map[templateKey]*templateFacts
	idle      map[uint32]idle // by the number of the set of pods
	// nodes has what score plugins that read nodes alone say of those of a question, by score plugin, pod template
	// and the node templates in order.
	nodes map[string][]int64
	// wide has the spec with only some filters that look across nodes, by their indexes.
	wide map[uint64]*spec.Scheduler
}

// idle are filters and score plugins that have nothing to say, as sets of indexes.
type idle struct{ filters, scorePlugins uint64 }

// NewTables returns empty tables.
func NewTables(c *Catalog, s *spec.Scheduler) *Tables {
	t := &Tables{
		catalog: c, spec: s, filters: s.Filters(), scorePlugins: s.ScorePlugins(), names: s.NewExpected(),
		facts: map[uint64]*facts{}, templates: map[templateKey]*templateFacts{}, idle: map[uint32]idle{},
		nodes: map[string][]int64{}, wide: map[uint64]*spec.Scheduler{},
	}
	t.narrow = s.Only(func(f spec.Filter) bool { return !f.Footprint.LooksAcross() })
	t.counting = t.narrow.Only(func(f spec.Filter) bool { return !readsNoPods(f.Footprint) })
	for i, f := range t.filters {
		if f.Footprint.LooksAcross() {
			t.looksWide |= 1 << i
			t.wideFails = t.wideFails || f.Fails != nil
		}
	}
	return t
}

// With returns tables of the model with quirks. They take over what the quirks do not change.
func (t *Tables) With(quirks ...spec.Quirk) *Tables {
	odd := NewTables(t.catalog, t.spec.With(quirks...))
	mends := slices.ContainsFunc(quirks, func(q spec.Quirk) bool { return q.Erratum != nil })
	if mends || t.spec.Reading() == spec.Literal {
		return odd // an erratum may change anything
	}
	odd.base = t
	odd.overlooks = slices.ContainsFunc(quirks, func(q spec.Quirk) bool { return q.Overlooks != nil })
	odd.sharesFacts = !odd.overlooks && !slices.ContainsFunc(quirks, func(q spec.Quirk) bool {
		return q.Budgets != nil || q.Amounts != nil || q.ScoringFails != nil
	})
	odd.sharesPreemption = odd.sharesFacts
	for i, f := range odd.filters {
		if odd.spec.ChangesFilter(f.Plugin) {
			odd.changed.filters |= 1 << i
			odd.sharesFacts = odd.sharesFacts && f.Footprint.LooksAcross()
		}
	}
	for i, r := range odd.scorePlugins {
		if odd.spec.ChangesScore(r.Plugin) {
			odd.changed.scorePlugins |= 1 << i
			odd.sharesFacts = odd.sharesFacts && r.Footprint.LooksAcross()
		}
	}
	odd.sharesPreemption = odd.sharesPreemption && odd.changed.filters == 0
	return odd
}

// sharesFilter reports whether facts take over from the base what a filter says.
func (t *Tables) sharesFilter(i int) bool {
	return t.base != nil && !t.overlooks && t.changed.filters&(1<<i) == 0
}

// Size is the number of entries made.
func (t *Tables) Size() int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return len(t.facts)
}

// Evaluate returns what the spec says to the question.
func (t *Tables) Evaluate(q *CanonicalQuestion) *Evaluation {
	objects, podsOf := t.catalog.Objects(q)
	return t.EvaluateObjects(q, objects, podsOf, true)
}

// EvaluateObjects is Evaluate for who has the objects of the question, as Catalog.Objects gives them. If it need not be
// scored, scores are left out where the choice of a node does not hang on them.
func (t *Tables) EvaluateObjects(q *CanonicalQuestion, objects spec.Question, podsOf [][]*v1.Pod,
	scored bool) *Evaluation {
	a := &Evaluation{Question: objects, PodsOf: podsOf, tables: t, canonical: q, podSet: t.catalog.podSetOf(q),
		choice: !scored}
	a.begin()
	a.Complete()
	return a
}

// EvaluateFilters returns what the spec says to the question of an answer of other tables, about the same objects,
// as far as filters go: the statuses, which nodes are feasible, and whether there is a decision at all.
func (t *Tables) EvaluateFilters(other *Evaluation) *Evaluation {
	a := &Evaluation{
		Question:  other.Question,
		PodsOf:    other.PodsOf,
		tables:    t,
		canonical: other.canonical,
		podSet:    other.podSet,
		choice:    other.choice,
	}
	if t.base != nil && t.base == other.tables {
		a.base = other
	}
	a.begin()
	return a
}

// Allowed returns the allowed statuses of one filter on a node of the question, given by index, without those of
// the others.
func (t *Tables) Allowed(a *Evaluation, plugin string, node int) spec.AllowedStatuses {
	i := slices.IndexFunc(t.filters, func(f spec.Filter) bool { return f.Plugin == plugin })
	if t.looksWide&(1<<i) == 0 && t.spec.Reading() != spec.Literal {
		return t.factsOf(a.canonical.Pending, a.canonical.Nodes[node]).statuses[i]
	}
	q := a.Question
	return t.spec.Allowed(t.filters[i], q.Pod, q.Snapshot.Nodes[node], q.Snapshot)
}

// Idle reports whether the plugin has nothing to say to the question, as filter or score plugin, whichever pods
// were gone.
func (t *Tables) Idle(a *Evaluation, plugin string) bool {
	idle, any := t.idleIn(a), false
	for i, f := range t.filters {
		if f.Plugin == plugin {
			if any = true; idle.filters&(1<<i) == 0 {
				return false
			}
		}
	}
	for i, r := range t.scorePlugins {
		if r.Plugin == plugin {
			if any = true; idle.scorePlugins&(1<<i) == 0 {
				return false
			}
		}
	}
	return any
}

// idleIn returns the predicates that are idle in the question. They depend on its set of pods alone.
func (t *Tables) idleIn(a *Evaluation) idle {
	t.mu.RLock()
	found, known := t.idle[a.podSet]
	t.mu.RUnlock()
	if known {
		return found
	}
	changed := idle{filters: ^uint64(0), scorePlugins: ^uint64(0)}
	if t.base != nil { // what is as it is there is idle where it is there
		changed, found = t.changed, t.base.idleIn(a)
		found.filters &^= changed.filters
		found.scorePlugins &^= changed.scorePlugins
	}
	type says = func(*spec.Profile, *v1.Pod, []*v1.Pod, *spec.Snapshot) bool
	silent := func(idle says) bool {
		return idle != nil && idle(t.spec.Profile, a.Question.Pod, a.Question.Snapshot.Pods, a.Question.Snapshot)
	}
	for i, f := range t.filters {
		if changed.filters&(1<<i) != 0 && silent(f.Idle) {
			found.filters |= 1 << i
		}
	}
	for i, r := range t.scorePlugins {
		if changed.scorePlugins&(1<<i) != 0 && silent(r.Idle) {
			found.scorePlugins |= 1 << i
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.idle[a.podSet] = found
	return found
}

// rawOfNodes returns what a score plugin that reads nodes alone says of the nodes of the question.
func (t *Tables) rawOfNodes(scorePlugin int, a *Evaluation) []int64 {
	if t.base != nil && t.changed.scorePlugins&(1<<scorePlugin) == 0 {
		return t.base.rawOfNodes(scorePlugin, a)
	}
	key := append(make([]byte, 0, 64), byte(scorePlugin))
	key = binary.LittleEndian.AppendUint32(key, uint32(a.canonical.Pending))
	for _, content := range a.canonical.Nodes {
		key = append(key, byte(content.Template), byte(content.Template>>8))
	}
	t.mu.RLock()
	raw, known := t.nodes[string(key)]
	t.mu.RUnlock()
	if known {
		return raw
	}
	q := a.Question
	for _, node := range q.Snapshot.Nodes {
		raw = append(raw, t.scorePlugins[scorePlugin].Raw(t.spec.Profile, q.Pod, node, q.Snapshot))
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.nodes[string(key)] = raw
	return raw
}

// wideSpec returns the spec with only the filters of the set; nil for the empty set.
func (t *Tables) wideSpec(filters uint64) *spec.Scheduler {
	if filters == 0 {
		return nil
	}
	t.mu.RLock()
	known := t.wide[filters]
	t.mu.RUnlock()
	if known != nil {
		return known
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
