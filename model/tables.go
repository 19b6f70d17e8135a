package model

import (
	"encoding/binary"
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
	// names has the plugins, and nothing else that an expectation says.
	names *spec.Expectation
	// narrow is the spec with only the filters that look at one node, counting with those of them that read its pods; looksWide are the
	// others, as a set of indexes.
	narrow    *spec.Scheduler
	counting  *spec.Scheduler
	looksWide uint64
	// wideFails: one of the others may end in an error.
	wideFails bool

	// base are the tables of the model without the quirks of this one; nil if it has none, or nothing can be taken over. changed are the
	// filters and raters, as sets of indexes, that are others there. sharesFacts: the facts are the same. sharesPreemption: so is what
	// becomes of a pod without a feasible node, unless it keeps its nomination.
	base             *Tables
	changed          idle
	sharesFacts      bool
	sharesPreemption bool
	// overlooks: other nominated pods are respected there.
	overlooks bool

	mu    sync.RWMutex
	facts map[uint64]*facts // by the kind that asks and the number of the content
	idle  map[uint32]idle   // by the number of the company
	// nodes has what raters that read nodes alone say of those of a question, by rater, kind of pod and the kinds of node in order.
	nodes map[string][]int64
	// wide has the spec with only some filters that look across nodes, by their indexes.
	wide map[uint64]*spec.Scheduler
}

// idle are filters and raters that have nothing to say, as sets of indexes.
type idle struct{ filters, raters uint64 }

// NewTables gives empty tables.
func NewTables(c *Catalog, s *spec.Scheduler) *Tables {
	t := &Tables{
		catalog: c, spec: s, filters: s.Filters(), raters: s.Raters(), names: s.NewExpectation(),
		facts: map[uint64]*facts{}, idle: map[uint32]idle{}, nodes: map[string][]int64{}, wide: map[uint64]*spec.Scheduler{},
	}
	t.narrow = s.Only(func(f spec.Filter) bool { return !f.Footprint.LooksAcross() })
	t.counting = t.narrow.Only(func(f spec.Filter) bool { return f.Footprint != spec.ReadsNode })
	for i, f := range t.filters {
		if f.Footprint.LooksAcross() {
			t.looksWide |= 1 << i
			t.wideFails = t.wideFails || f.Fails != nil
		}
	}
	return t
}

// With gives tables of the model with quirks. They take over what the quirks do not change.
func (t *Tables) With(quirks ...spec.Quirk) *Tables {
	odd := NewTables(t.catalog, t.spec.With(quirks...))
	mends := slices.ContainsFunc(quirks, func(q spec.Quirk) bool { return q.Erratum != nil })
	if mends || t.spec.Reading() == spec.Literal {
		return odd // an erratum may change anything
	}
	odd.base = t
	odd.overlooks = slices.ContainsFunc(quirks, func(q spec.Quirk) bool { return q.Overlooks != nil })
	odd.sharesFacts = !odd.overlooks && !slices.ContainsFunc(quirks, func(q spec.Quirk) bool {
		return q.Budgets != nil || q.Amounts != nil || q.Misrates != nil
	})
	odd.sharesPreemption = odd.sharesFacts
	for i, f := range odd.filters {
		if odd.spec.ChangesFilter(f.Plugin) {
			odd.changed.filters |= 1 << i
			odd.sharesFacts = odd.sharesFacts && f.Footprint.LooksAcross()
		}
	}
	for i, r := range odd.raters {
		if odd.spec.ChangesRater(r.Plugin) {
			odd.changed.raters |= 1 << i
			odd.sharesFacts = odd.sharesFacts && r.Footprint.LooksAcross()
		}
	}
	odd.sharesPreemption = odd.sharesPreemption && odd.changed.filters == 0
	return odd
}

// Size is the number of entries made.
func (t *Tables) Size() int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return len(t.facts)
}

// Answer gives what the spec says to the question.
func (t *Tables) Answer(q *Question) *Answer {
	objects, podsOf := t.catalog.Objects(q)
	return t.AnswerAbout(q, objects, podsOf)
}

// AnswerAbout is Answer for who has the objects of the question, as Catalog.Objects gives them.
func (t *Tables) AnswerAbout(q *Question, objects spec.Question, podsOf [][]*v1.Pod) *Answer {
	a := &Answer{Question: objects, PodsOf: podsOf, tables: t, asked: q, company: t.catalog.companyOf(q)}
	a.begin()
	a.Complete()
	return a
}

// AnswerFilters gives what the spec says to the question of an answer of other tables, about the same objects, as far as filters go:
// the verdicts, which nodes are feasible, and whether there is a decision at all.
func (t *Tables) AnswerFilters(other *Answer) *Answer {
	a := &Answer{Question: other.Question, PodsOf: other.PodsOf, tables: t, asked: other.asked, company: other.company}
	if t.base != nil && t.base == other.tables {
		a.base = other
	}
	a.begin()
	return a
}

// Allowed gives the allowed verdicts of one filter on a node of the question, given by index, without those of the others.
func (t *Tables) Allowed(a *Answer, plugin string, node int) spec.AllowedVerdicts {
	i := slices.IndexFunc(t.filters, func(f spec.Filter) bool { return f.Plugin == plugin })
	if t.looksWide&(1<<i) == 0 && t.spec.Reading() != spec.Literal {
		return t.factsOf(a.asked.Asker, a.asked.Places[node]).verdicts[i]
	}
	q := a.Question
	return t.spec.Allowed(t.filters[i], q.Pod, q.Snapshot.Nodes[node], q.Snapshot)
}

// Idle tells whether the plugin has nothing to say to the question, as filter or rater, whichever pods were gone.
func (t *Tables) Idle(a *Answer, plugin string) bool {
	idle, any := t.idleIn(a), false
	for i, f := range t.filters {
		if f.Plugin == plugin {
			if any = true; idle.filters&(1<<i) == 0 {
				return false
			}
		}
	}
	for i, r := range t.raters {
		if r.Plugin == plugin {
			if any = true; idle.raters&(1<<i) == 0 {
				return false
			}
		}
	}
	return any
}

// idleIn gives the predicates that are idle in the question. They depend on its company alone.
func (t *Tables) idleIn(a *Answer) idle {
	t.mu.RLock()
	found, known := t.idle[a.company]
	t.mu.RUnlock()
	if known {
		return found
	}
	type says = func(*spec.Profile, *v1.Pod, []*v1.Pod, *spec.Snapshot) bool
	silent := func(idle says) bool {
		return idle != nil && idle(t.spec.Profile, a.Question.Pod, a.Question.Snapshot.Pods, a.Question.Snapshot)
	}
	for i, f := range t.filters {
		if silent(f.Idle) {
			found.filters |= 1 << i
		}
	}
	for i, r := range t.raters {
		if silent(r.Idle) {
			found.raters |= 1 << i
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.idle[a.company] = found
	return found
}

// rawOfNodes gives what a rater that reads nodes alone says of the nodes of the question.
func (t *Tables) rawOfNodes(rater int, a *Answer) []int64 {
	if t.base != nil && t.changed.raters&(1<<rater) == 0 {
		return t.base.rawOfNodes(rater, a)
	}
	key := append(make([]byte, 0, 64), byte(rater))
	key = binary.LittleEndian.AppendUint32(key, uint32(a.asked.Asker))
	for _, content := range a.asked.Places {
		key = append(key, byte(content.Kind), byte(content.Kind>>8))
	}
	t.mu.RLock()
	raw, known := t.nodes[string(key)]
	t.mu.RUnlock()
	if known {
		return raw
	}
	q := a.Question
	for _, node := range q.Snapshot.Nodes {
		raw = append(raw, t.raters[rater].Raw(t.spec.Profile, q.Pod, node, q.Snapshot))
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.nodes[string(key)] = raw
	return raw
}

// wideSpec gives the spec with only the filters of the set; nil for the empty set.
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
