package decisions

import (
	"context"
	"errors"
	goruntime "runtime"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/seed-a3f26817/modelcheck/internal/fields"
	"github.com/seed-a3f26817/modelcheck/internal/patience"
	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// RandomOptions say how to go through drawn questions. Spec, NewDecider, Draw and one of Questions and For are
// needed; the rest may be zero.
type RandomOptions struct {
	// Spec is the formal model that decisions are compared with.
	Spec *spec.Scheduler
	// NewDecider returns the deciders, one per worker.
	NewDecider func() (Decider, error)
	// Draw returns the n-th question, the same one whenever it is asked for n, and how many objects were left out of it,
	// as the release does not admit them; nil leaves n out. It is called by all workers.
	Draw func(n int64) (q *spec.Question, refused int)
	// Valid reports whether an object of a question that was made smaller can be in a cluster; nil means every one can.
	Valid func(object runtime.Object) bool
	// Properties of decisions are checked, the others are left out; nil means invariants.All and invariants.Oracles.
	Properties []invariants.Property
	// Workers is the number of workers; 0 means one per core.
	Workers int
	// Questions is the number of distinct questions to ask; 0 means no bound. For is the time after which no more are
	// drawn; 0 means no bound. What is found is a function of the other options if For does not end the run.
	Questions int64
	For       time.Duration
	// Progress, if set, is called with the number of questions asked so far, every ProgressEvery.
	Progress      func(asked int64, elapsed time.Duration)
	ProgressEvery time.Duration
}

// RandomResult is the part of a result that concerns drawn questions.
type RandomResult struct {
	// Drawn counts the questions that were drawn, of which Repeated had come up before and LeftOut cannot be compared.
	Drawn, Repeated, LeftOut int64
	// Refused counts the objects that were left out of drawn questions, as the release does not admit them.
	Refused int64
}

// batch is how many questions are drawn before any of them is asked. It does not depend on the number of workers,
// so neither does which of equal questions counts.
const batch = 256

// Random asks about drawn questions, each distinct one once as far as it remembers (half a million questions at least),
// and compares as Run does. It follows no outcome. Of
// findings of one sort it keeps the smallest question, and makes that smaller as long as the finding stays the same
// one.
//
// An error means that it could not check. A cancelled context is in the result, which then is not complete.
func Random(ctx context.Context, o RandomOptions) (*Result, error) {
	r := &random{
		options: o,
		kept:    map[string]*drawn{},
		result:  &Result{Complete: true, Random: &RandomResult{}},
		from:    "a drawn cluster",
	}
	if err := r.prepare(); err != nil {
		return nil, err
	}
	defer r.close()
	until, end := patience.Extend(ctx, afterwards)
	defer end()
	r.until = until
	r.goOn(ctx)
	r.conclude(ctx)
	return r.result, nil
}

// random is a run over drawn questions.
type random struct {
	options   RandomOptions
	comparers []*comparer
	totals    *totals
	plugins   plugins
	spent     time.Duration
	seen      recent
	// kept has the smallest question of each sort of finding, by key, in the order in which sorts came up.
	kept   map[string]*drawn
	keys   []string
	result *Result
	// from is what the questions are of, in the words of reports.
	from string
	// until lasts somewhat longer than the run's context: then the run has to end.
	until context.Context
}

// drawn is a question that was drawn, and what is known of it.
type drawn struct {
	question *spec.Question
	key      questionKey
	refused  int

	outcome tally
	size    int
	index   int // among the questions that are made smaller
	// count is how many questions have the finding that this one is kept for.
	count int64
}

func (r *random) prepare() error {
	o := &r.options
	if o.Questions == 0 && o.For == 0 {
		return errors.New("decisions: a random run has no end: set Questions or For")
	}
	if o.Properties == nil {
		o.Properties = slices.Concat(invariants.All(), invariants.Oracles())
	}
	o.Properties = ofDecisions(o.Properties)
	if o.Workers == 0 {
		o.Workers = goruntime.GOMAXPROCS(0)
	}
	r.totals, r.plugins = newTotals(o.Spec, len(o.Properties)), pluginsOf(o.Spec)
	for range o.Workers {
		decider, err := o.NewDecider()
		if err != nil {
			r.close()
			return err
		}
		r.comparers = append(r.comparers, newComparer(&direct{spec: o.Spec, decider: decider}, o.Properties))
	}
	return nil
}

func (r *random) close() {
	for _, c := range r.comparers {
		_ = c.decider.Close() // closing a plugin changes no result any more
	}
}

// goOn asks one batch after the other until there are enough.
func (r *random) goOn(ctx context.Context) {
	began, shown := time.Now(), time.Now()
	for next := int64(0); !r.enough(time.Since(began)); next += batch {
		if ctx.Err() != nil {
			r.result.Complete = false
			return
		}
		questions, ready := r.draw(ctx, next)
		fresh := r.fresh(questions[:ready])
		compared := r.each(ctx, fresh, func(c *comparer, d *drawn) {
			d.outcome, d.size = tallyOf(r.plugins, c.compare(*d.question)), sizeOf(*d.question)
			c.seen.Add(d.question.Snapshot)
			c.forget()
		})
		fresh = fresh[:compared]
		for _, d := range fresh {
			r.count(d)
		}
		if r.options.Progress != nil && time.Since(shown) >= r.options.ProgressEvery {
			shown = time.Now()
			r.options.Progress(r.totals.distinct, time.Since(began))
		}
	}
}

func (r *random) enough(elapsed time.Duration) bool {
	o := r.options
	return o.Questions > 0 && r.totals.distinct >= o.Questions || o.For > 0 && elapsed >= o.For
}

// draw draws a batch, and returns how many of its questions, from the first on, are drawn.
func (r *random) draw(ctx context.Context, first int64) (questions []*drawn, done int) {
	questions = make([]*drawn, batch)
	for i := range questions {
		questions[i] = &drawn{size: i}
	}
	done = r.each(ctx, questions, func(_ *comparer, d *drawn) {
		if d.question, d.refused = r.options.Draw(first + int64(d.size)); d.question != nil {
			d.key = keyOfQuestion(*d.question)
		}
	})
	return questions, done
}

// fresh returns the questions that did not come up before, not more than are to be asked.
func (r *random) fresh(questions []*drawn) []*drawn {
	var fresh []*drawn
	for _, d := range questions {
		if o := r.options; o.Questions > 0 && r.totals.distinct+int64(len(fresh)) >= o.Questions {
			break
		}
		r.result.Random.Drawn++
		r.result.Random.Refused += int64(d.refused)
		switch {
		case d.question == nil:
			r.result.Random.LeftOut++
		case r.seen.add(d.key):
			r.result.Random.Repeated++
		default:
			fresh = append(fresh, d)
		}
	}
	return fresh
}

// each lets the workers share the questions as long as the context lasts, and returns how many of them, from the first
// on, are done. Whoever is still at one of the others when the run has to end is left behind. A panic in do is passed
// on.
func (r *random) each(ctx context.Context, questions []*drawn, do func(*comparer, *drawn)) int {
	var (
		workers sync.WaitGroup
		mu      sync.Mutex
		next    int
		done    = make([]bool, len(questions))
		back    = make([]bool, len(r.comparers))

		panicked = make([]any, len(r.comparers))
	)
	take := func() (int, bool) {
		mu.Lock()
		defer mu.Unlock()
		if next == len(questions) || ctx.Err() != nil {
			return 0, false
		}
		next++
		return next - 1, true
	}
	soon, end := patience.Extend(ctx, afterwards/2)
	defer end()
	for worker, c := range r.comparers {
		workers.Go(func() {
			defer func() { panicked[worker] = recover() }()
			back[worker] = patience.Do(soon, func() {
				for i, more := take(); more; i, more = take() {
					do(c, questions[i])
					mu.Lock()
					done[i] = true
					mu.Unlock()
				}
			})
		})
	}
	workers.Wait()
	for _, value := range panicked {
		if value != nil {
			panic(value)
		}
	}
	r.leave(back)
	mu.Lock()
	defer mu.Unlock()
	if i := slices.Index(done, false); i >= 0 {
		return i
	}
	return len(done)
}

// leave lets go of the workers that are not back, and starts a new one if none is.
func (r *random) leave(back []bool) {
	var still []*comparer
	for i, c := range r.comparers {
		if back[i] {
			still = append(still, c)
		}
	}
	r.comparers = still
	if len(still) > 0 {
		return
	}
	var decider Decider
	var err error
	if patience.Do(r.until, func() { decider, err = r.options.NewDecider() }) && err == nil {
		r.comparers = []*comparer{newComparer(newDirect(r.options.Spec, decider), r.options.Properties)}
	}
}

// tally is what is counted of a comparison. A batch of whole comparisons, with all that decision and model refer to,
// would take hundreds of megabytes.
type tally struct {
	stats    Stats
	scores   [][]int64
	findings []findingKey
	spent    time.Duration
}

func tallyOf(all plugins, of comparison) tally {
	var made statsMaker
	stats, scores := made.of(all, of.compared, of.exercised, nil, of.breaks)
	return tally{stats: *stats, scores: scores, findings: of.findings, spent: of.spent}
}

// count adds a compared question to what the run knows.
func (r *random) count(d *drawn) {
	r.totals.add(&d.outcome.stats, 1)
	for i, values := range d.outcome.scores {
		if values != nil {
			r.totals.addScores(r.plugins.scorePlugins[i], values)
		}
	}
	r.spent += d.outcome.spent
	for _, key := range d.outcome.findings {
		name := key.String()
		before := r.kept[name]
		switch {
		case before == nil:
			r.keys = append(r.keys, name)
			r.kept[name] = &drawn{question: d.question, size: d.size, count: 1}
		case d.size < before.size:
			r.kept[name] = &drawn{question: d.question, size: d.size, count: before.count + 1}
		default:
			before.count++
		}
	}
}

// conclude fills in the result.
func (r *random) conclude(ctx context.Context) {
	r.result.InProduction, r.result.CacheHits = r.spent, r.result.Random.Repeated
	r.totals.cover(r.result)
	var seen fields.Coverage
	for _, c := range r.comparers {
		seen.Merge(c.seen.Seen())
	}
	r.result.Fields = fields.List(seen.Seen())
	for _, name := range r.keys {
		r.result.Findings = append(r.result.Findings, findingOf(r.options.Spec, r.options.Properties, parseKey(name),
			r.kept[name].count))
	}
	bySize := func(a, b Finding) int {
		return cmpFindings(a, b, r.kept[a.key.String()].size, r.kept[b.key.String()].size)
	}
	slices.SortFunc(r.result.Findings, bySize)
	r.result.Properties = propertyResults(r.options.Spec, r.options.Properties, r.totals, r.totals.exercised,
		r.result.Findings)
	r.result.Findings = folded(r.result.Findings)
	r.shrink(ctx)
	found := r.result.Findings
	r.result.Findings = nil
	for _, f := range found {
		if r.tell(&f) {
			r.result.Findings = append(r.result.Findings, f)
		} else {
			r.result.Untold = append(r.result.Untold, f)
		}
	}
	slices.SortFunc(r.result.Findings, bySize)
}

// shrink makes the question of every finding smaller, as long as there is time.
func (r *random) shrink(ctx context.Context) {
	var kept []*drawn
	wanted := map[*drawn]findingKey{}
	for _, f := range r.result.Findings {
		d := r.kept[f.key.String()]
		kept = append(kept, d)
		wanted[d] = f.key
	}
	smaller := make([]*spec.Question, len(kept))
	for i := range kept {
		kept[i].index = i
	}
	done := r.each(ctx, kept, func(c *comparer, d *drawn) {
		key := wanted[d]
		shows := func(q spec.Question) bool { return ctx.Err() == nil && c.shows(q, key) }
		q := *d.question
		if first := asking(q, r.options.Spec.Profile.SchedulerName); shows(first) {
			q = first
		}
		q = Smallest(q, r.options.Valid, shows)
		c.forget()
		smaller[d.index] = &q
	})
	for i, d := range kept[:done] {
		d.question, d.size = smaller[i], sizeOf(*smaller[i])
	}
}

// tell makes the example of a finding, and reports whether there was time for it.
func (r *random) tell(f *Finding) bool {
	if r.until.Err() != nil || len(r.comparers) == 0 {
		return false
	}
	var example Example
	finding, c, question := *f, r.comparers[0], *r.kept[f.key.String()].question
	finished := patience.Do(r.until, func() {
		asked, _ := c.ask(question)
		example = exampleOf(finding, r.from, asked)
	})
	if !finished {
		r.comparers = r.comparers[1:] // it is still at work
		return false
	}
	f.Example = example
	return true
}
