package decisions

import (
	"context"
	"slices"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/internal/fields"
	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// decisionCache has the decision about every distinct question of a scenario, compared with the model. One that is
// not there yet is taken. It is safe for concurrent use.
type decisionCache struct {
	catalog    *model.Catalog
	spec       *spec.Scheduler
	properties []invariants.Property
	profiles   map[string]*profileModel // by the name of the scheduler that pods name
	entries    table
	// found is told of every finding.
	found func(key string)

	mu        sync.Mutex
	collected *collector
	spent     time.Duration // inside production
	underway  map[*underway]bool
}

// profileModel is the model under one profile.
type profileModel struct {
	tables    *model.Tables
	explainer *explainer
	// documented are the tables of what Kubernetes documents, if those are other ones; nil otherwise.
	documented *model.Tables
}

func newDecisionCache(c *model.Catalog, s *spec.Scheduler, properties []invariants.Property,
	found func(key string)) *decisionCache {
	d := &decisionCache{
		catalog:    c,
		spec:       s,
		properties: properties,
		profiles:   map[string]*profileModel{},
		found:      found,
		collected:  newCollector(pluginsOf(s)),
		underway:   map[*underway]bool{},
	}
	for _, s := range slices.Concat([]*spec.Scheduler{s}, s.Others) {
		m := &profileModel{tables: model.NewTables(c, s)}
		if s.Reading() != spec.Kubernetes {
			m.documented = model.NewTables(c, s.Documented())
		}
		m.explainer = newExplainer(m.tables, s,
			func(q *model.CanonicalQuestion, a *model.Evaluation, decision *spec.Decision) bool {
				return agrees(properties, caseFrom(q, a, decision, m.documented))
			})
		d.profiles[s.Profile.SchedulerName] = m
	}
	return d
}

// profile returns the model under the profile that the pod names.
func (d *decisionCache) profile(pod *v1.Pod) *profileModel {
	return d.profiles[d.spec.For(pod).Profile.SchedulerName]
}

// asked is the number of distinct questions that were asked.
func (d *decisionCache) asked() int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.collected.asked()
}

// inside is the time inside production.
func (d *decisionCache) inside() time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.spent
}

// fill fills in what a chunk result says of decisions.
func (d *decisionCache) fill(c *ChunkResult) {
	d.mu.Lock()
	d.collected.fill(c) // somebody who was left behind may enter more
	d.mu.Unlock()
	var seen fields.Coverage
	seen.Add(d.catalog.Seen())
	c.Fields = seen.Seen()
	for _, m := range d.profiles {
		tried, facts := m.explainer.work()
		c.Tried += tried
		c.Facts += facts + int64(m.tables.Size())
	}
}

// get returns the settled entry of a question. build and decider are used if the question is new.
func (d *decisionCache) get(key []byte, build func() *model.CanonicalQuestion, decider Decider) *cacheEntry {
	e := d.entries.get(hashOf(key), key)
	if !e.settled.Load() {
		d.wait(e, build, decider)
	}
	return e
}

// wait sees to it that the entry is settled, by another worker or by the caller.
func (d *decisionCache) wait(e *cacheEntry, build func() *model.CanonicalQuestion, decider Decider) {
	e.mu.Lock()
	if e.settled.Load() {
		e.mu.Unlock()
		return
	}
	d.settle(context.Background(), []lockedEntry{{entry: e, question: build()}}, decider)
}

// lockedEntry is an entry that one worker settles.
type lockedEntry struct {
	entry    *cacheEntry
	question *model.CanonicalQuestion
	objects  spec.Question
	podsOf   [][]*v1.Pod
	decision *spec.Decision
	spent    time.Duration // inside production
}

// settle asks production, then the spec, and compares, unless the context is cancelled: then entries are left to
// others.
func (d *decisionCache) settle(ctx context.Context, locked []lockedEntry, decider Decider) {
	at := d.begin()
	defer d.end(at)
	asked, settled := 0, 0
	defer func() {
		for _, left := range locked[settled:] {
			left.entry.mu.Unlock()
		}
		clear(locked)
	}()
	for ; asked < len(locked) && ctx.Err() == nil; asked++ {
		l := &locked[asked]
		l.objects, l.podsOf = d.catalog.Objects(l.question)
		at.enter(l.objects, false)
		l.decision, l.spent = timed(decider, l.objects)
	}
	for ; settled < asked && ctx.Err() == nil; settled++ {
		at.enter(locked[settled].objects, true)
		d.compare(&locked[settled])
		locked[settled].entry.settled.Store(true)
		locked[settled].entry.mu.Unlock()
	}
}

// compare compares what production decided with what the spec says.
func (d *decisionCache) compare(l *lockedEntry) {
	e, q := l.entry, l.question
	m := d.profile(d.catalog.PendingTemplate(q))
	evaluation := m.tables.EvaluateObjects(q, l.objects, l.podsOf, isScored(l.decision))
	normalize(q, evaluation)
	c := caseFrom(q, evaluation, normalized(q, evaluation, l.decision), m.documented)
	d.follow(e, q, evaluation.PodsOf, c)
	exercised, all := checkAll(d.properties, c)
	keys, breaks := classify(all, func([]broken) []spec.Quirk {
		return m.explainer.explain(q, evaluation, c.Decision)
	})
	for _, key := range keys {
		e.findings = append(e.findings, key.String())
	}
	for _, key := range e.findings {
		d.found(key)
	}

	digest := d.catalog.Digest(q)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.spent += l.spent
	d.collected.enter(digest, c, exercised, e.findings, breaks)
}

// follow sets the moves to follow: what the spec allows, unless it cannot tell, and what production takes. The
// model as first written allows what no scheduler does, such as to fill a node over and over; there production
// alone is followed.
func (d *decisionCache) follow(e *cacheEntry, q *model.CanonicalQuestion, podsOf [][]*v1.Pod, c *invariants.Case) {
	outcomes := c.Decision.Outcomes // distinct, as those expected are
	if len(c.Unmodelled) == 0 && d.spec.Reading() == spec.Kubernetes {
		outcomes = slices.Clip(c.Expected.Outcomes)
		for _, outcome := range c.Decision.Outcomes {
			if !slices.ContainsFunc(outcomes, outcome.Equal) {
				outcomes = append(outcomes, outcome)
			}
		}
	}
	e.moves = e.first[:0]
	if len(outcomes) > len(e.first) {
		e.moves = make([]followed, 0, len(outcomes))
	}
	for _, outcome := range outcomes {
		// An outcome that cannot be carried out, because a victim is not on the node, breaks a property; it is not
		// followed.
		move, err := q.Move(outcome, podsOf)
		if err != nil {
			continue
		}
		e.moves = append(e.moves, followed{
			Move:    move,
			taken:   slices.ContainsFunc(c.Decision.Outcomes, outcome.Equal),
			allowed: len(c.Unmodelled) > 0 || c.Expected.Allows(outcome),
		})
	}
}
