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

// decisions holds what became of every distinct question of a scenario. It is safe for concurrent use.
type decisions struct {
	catalog    *model.Catalog
	spec       *spec.Scheduler
	properties []invariants.Property
	sides      map[string]*side // by the name of the scheduler that pods ask
	records    table
	// notice is told of every finding.
	notice func(key string)

	mu        sync.Mutex
	collected *collector
	spent     time.Duration // inside production
}

// side is the model under one profile.
type side struct {
	tables    *model.Tables
	explainer *explainer
	// documented are the tables of what Kubernetes documents, if those are other ones; nil otherwise.
	documented *model.Tables
}

func newDecisions(c *model.Catalog, s *spec.Scheduler, properties []invariants.Property) *decisions {
	d := &decisions{
		catalog:    c,
		spec:       s,
		properties: properties,
		sides:      map[string]*side{},
		collected:  newCollector(pluginsOf(s)),
	}
	for _, s := range slices.Concat([]*spec.Scheduler{s}, s.Others) {
		one := &side{tables: model.NewTables(c, s)}
		one.explainer = newExplainer(one.tables, s, d.agrees)
		if s.Reading() != spec.Kubernetes {
			one.documented = model.NewTables(c, s.Documented())
		}
		d.sides[s.Profile.SchedulerName] = one
	}
	return d
}

// side returns the model under the profile that the pod asks for.
func (d *decisions) side(pod *v1.Pod) *side { return d.sides[d.spec.For(pod).Profile.SchedulerName] }

func (d *decisions) asked() int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.collected.asked()
}

// fill fills in what the piece says of decisions.
func (d *decisions) fill(p *ChunkResult) {
	d.collected.close(p)
	var seen fields.Coverage
	seen.Add(d.catalog.Seen())
	p.Fields = seen.Seen()
	for _, one := range d.sides {
		tried, facts := one.explainer.work()
		p.Tried += tried
		p.Facts += facts + int64(one.tables.Size())
	}
}

// get returns the record of a question, settled. build and decider are used if the question is new.
func (d *decisions) get(key []byte, build func() *model.CanonicalQuestion, decider Decider) *cacheEntry {
	r := d.records.get(hashOf(key), key)
	if !r.settled.Load() {
		d.wait(r, build, decider)
	}
	return r
}

// wait sees to it that the record is settled, by another worker or by the caller.
func (d *decisions) wait(r *cacheEntry, build func() *model.CanonicalQuestion, decider Decider) {
	r.mu.Lock()
	if r.settled.Load() {
		r.mu.Unlock()
		return
	}
	d.settle(context.Background(), []lockedEntry{{entry: r, question: build()}}, decider)
}

// lockedEntry is a question that one worker asks.
type lockedEntry struct {
	entry    *cacheEntry
	question *model.CanonicalQuestion
	objects  spec.Question
	podsOf   [][]*v1.Pod
	decision *spec.Decision
	spent    time.Duration // inside production
}

// settle asks production, then the spec, and compares, unless the context is cancelled: then questions are left to
// others.
func (d *decisions) settle(ctx context.Context, locked []lockedEntry, decider Decider) {
	asked, settled := 0, 0
	defer func() {
		for _, left := range locked[settled:] {
			left.entry.mu.Unlock()
		}
		clear(locked)
	}()
	for ; asked < len(locked) && ctx.Err() == nil; asked++ {
		c := &locked[asked]
		c.objects, c.podsOf = d.catalog.Objects(c.question)
		c.decision, c.spent = timed(decider, c.objects)
	}
	for ; settled < asked; settled++ {
		d.compare(&locked[settled])
		locked[settled].entry.settled.Store(true)
		locked[settled].entry.mu.Unlock()
	}
}

// compare compares what production decided with what the spec says.
func (d *decisions) compare(claimed *lockedEntry) {
	r, q := claimed.entry, claimed.question
	evaluation := d.side(d.catalog.PendingTemplate(q)).tables.EvaluateObjects(q, claimed.objects, claimed.podsOf)
	normalize(q, evaluation)
	c := d.newCase(q, evaluation, normalized(q, evaluation, claimed.decision))
	d.follow(r, q, evaluation, c)
	exercised, broken := d.check(c)
	findings, breaks := d.sort(q, evaluation, c.Decision, broken)
	r.findings = findings
	for _, key := range r.findings {
		d.notice(key)
	}

	digest := d.catalog.Digest(q)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.spent += claimed.spent
	d.collected.enter(digest, c, exercised, r.findings, breaks)
}

// agrees reports whether the decision breaks no property under the answer, but by design.
func (d *decisions) agrees(q *model.CanonicalQuestion, a *model.Evaluation, decision *spec.Decision) bool {
	c := d.newCase(q, a, decision)
	for i := range d.properties { // most differences show in the first properties
		p := &d.properties[i]
		if p.Decision == nil || p.Own {
			continue
		}
		_, breaches := p.Decision(c)
		if slices.ContainsFunc(breaches, func(b invariants.Breach) bool { return !b.ByDesign }) {
			return false
		}
	}
	return true
}

// broken is a property that a decision breaks, and how.
type broken struct {
	property *invariants.Property
	breach   invariants.Breach
}

// check asks every property of decisions. It gives the properties that had something to say, and those that are broken.
func (d *decisions) check(c *invariants.Case) (exercised []int, all []broken) {
	return checkAll(d.properties, c)
}

func checkAll(properties []invariants.Property, c *invariants.Case) (exercised []int, all []broken) {
	applying := make([]int, 0, 32) // of many properties few apply
	for i := range properties {
		property := &properties[i]
		if property.Decision == nil {
			continue
		}
		applies, breaches := property.Decision(c)
		if applies {
			applying = append(applying, i)
		}
		for _, breach := range breaches {
			all = append(all, broken{property, breach})
		}
	}
	return slices.Clone(applying), all
}

// sort returns the sorts of findings that broken properties of one decision belong to, and what it breaks. If
// quirks explain the whole decision, that is one known defect, found by the first property it breaks.
func (d *decisions) sort(q *model.CanonicalQuestion, a *model.Evaluation, decision *spec.Decision,
	all []broken) (keys, breaks []string) {
	var unexplained []broken
	add := func(key findingKey) {
		if key := key.String(); !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	for _, b := range all {
		if b.breach.ByDesign || b.property.Own {
			add(keyOf(b.property, b.breach))
		} else {
			unexplained = append(unexplained, b)
		}
	}
	if len(unexplained) == 0 {
		return keys, breaksOf(all, nil)
	}
	if quirks := d.side(a.Question.Pod).explainer.explain(q, a, decision); quirks != nil {
		first := unexplained[0]
		add(findingKey{first.property.Name, pluginOf(quirks), Known, nameOf(quirks)})
		return keys, breaksOf(all, quirks)
	}
	for _, b := range unexplained {
		add(findingKey{b.property.Name, b.breach.Plugin, New, ""})
	}
	return keys, breaksOf(all, nil)
}

// needsNone reports whether a broken property needs no explanation: it is documented, it is an erratum itself, or
// it is a user's own.
func needsNone(b broken) bool { return b.breach.ByDesign || b.property.Erratum != "" || b.property.Own }

// newCase puts question, decision and expectation together.
func (d *decisions) newCase(q *model.CanonicalQuestion, a *model.Evaluation, decision *spec.Decision) *invariants.Case {
	return &invariants.Case{
		Question: a.Question, Decision: decision, Expected: a.Expected, Spec: a.Spec(),
		Unmodelled: unmodelled(decision, a.Expected), FeasibleWithout: a.FeasibleWithout,
		Overcommitted: a.Overcommitted,
		Documented: func() []spec.Outcome {
			tables := d.side(a.Question.Pod).documented
			if tables == nil {
				return a.Expected.Outcomes
			}
			documented := tables.Evaluate(q)
			return distinctOutcomes(q, documented, documented.Expected.Outcomes)
		},
	}
}

// normalized returns the decision so that, of victims that are alike, it names those that a normalized answer names.
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

// normalize brings the outcomes of an answer into the form in which they are compared.
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

// again asks production and the spec a question outside the run's count, in the names at hand.
func (r *run) again(q spec.Question) *invariants.Case {
	return caseOf(r.options.Spec.For(q.Pod), q, r.deciders[0].Decide(q))
}

// caseOf puts a decision beside what the model, under the profile that the pod asks for, says, asked as a whole.
func caseOf(s *spec.Scheduler, q spec.Question, decision *spec.Decision) *invariants.Case {
	expected := s.Expect(q)
	return &invariants.Case{
		Question: q, Decision: decision, Expected: expected, Spec: s, Unmodelled: unmodelled(decision, expected),
		FeasibleWithout: func(node int, victims []*v1.Pod) bool {
			return s.Feasibility(q.Pod, q.Snapshot.Nodes[node], q.Snapshot.Without(victims...))
		},
		Documented: func() []spec.Outcome { return s.Documented().Outcomes(q.Pod, q.Snapshot) },
	}
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

// follow sets the moves to follow: what the spec allows, unless it cannot tell, and what production takes. The
// model as first written allows what no scheduler does, such as to fill a node over and over; there production
// alone is followed.
func (d *decisions) follow(r *cacheEntry, q *model.CanonicalQuestion, a *model.Evaluation, c *invariants.Case) {
	outcomes := c.Decision.Outcomes // distinct, as those expected are
	if len(c.Unmodelled) == 0 && d.spec.Reading() == spec.Kubernetes {
		outcomes = slices.Clip(c.Expected.Outcomes)
		for _, outcome := range c.Decision.Outcomes {
			if !slices.ContainsFunc(outcomes, outcome.Equal) {
				outcomes = append(outcomes, outcome)
			}
		}
	}
	r.moves = r.first[:0]
	if len(outcomes) > len(r.first) {
		r.moves = make([]followed, 0, len(outcomes))
	}
	for _, outcome := range outcomes {
		// An outcome that cannot be carried out, because a victim is not on the node, breaks a property; it is not
		// followed.
		move, err := q.Move(outcome, a.PodsOf)
		if err != nil {
			continue
		}
		r.moves = append(r.moves, followed{
			Move:    move,
			taken:   slices.ContainsFunc(c.Decision.Outcomes, outcome.Equal),
			allowed: len(c.Unmodelled) > 0 || slices.ContainsFunc(c.Expected.Outcomes, outcome.Equal),
		})
	}
}
