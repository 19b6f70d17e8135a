package checker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
)

const (
	// batchSteps is the number of steps a batch is meant to have. The more, the better the tables stay in the
	// caches while they are filled; the fewer, the less memory and the sooner limits are noticed. With 2^19 instead of
	// 2^17, H6 took 13% less processor time.
	batchSteps = 1 << 20
	// batchStates is the largest number of states in a batch, firstBatch that of the first, whose steps nobody
	// can foresee.
	batchStates = 1 << 16
	firstBatch  = 64
	// chunkStates is the largest number of states that a worker takes at a time.
	chunkStates = 256
	// preparedStates is that of a Preparer: what it prepares together is worth more than what stays in a core's cache.
	preparedStates = 4 * chunkStates
)

// explorer is one run.
type explorer struct {
	model   Model
	options Options
	width   int
	workers []Worker
	shards  [shardCount]*shard
	class   func(action uint32) int
	label   func(state []byte) string
	size    func(state []byte) int
	meter   meter

	// batchSteps, maxShard and lookupCosts are the constants, except in tests.
	batchSteps  int
	maxShard    int64
	lookupCosts int64

	// chunks are the buffers of a batch, used again for the next.
	chunks []*Steps
	// scratch is where the workers' chunks take their steps, before they are sorted: small enough to stay in a
	// core's cache.
	scratch []targets
	// degree is the mean out-degree in the last batch, rounded up; 0 before the first.
	degree int64
	depth  int // of the level being expanded, 0 for the initial states
	// level is the one being expanded, and position the number of its states that were.
	level    level
	position int64
	// store is where checkpoints go; nil if there are none.
	store *store

	expanded, steps int64
	ends            map[string]int64
	found           map[string]*found
	result          Result
}

func newExplorer(m Model, o Options) (*explorer, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	e := &explorer{
		model: m, options: o, width: m.Width(),
		label:      func([]byte) string { return "" },
		batchSteps: batchSteps, maxShard: maxShard, lookupCosts: lookupCosts,
		ends:  make(map[string]int64),
		found: make(map[string]*found),
	}
	if e.width < 1 {
		return nil, fmt.Errorf("model has states of %d bytes: want at least 1", e.width)
	}
	if limit := o.Memory; limit > 0 {
		// A quarter of the memory at most for the steps of a batch.
		e.batchSteps = max(1, min(e.batchSteps, int(min(limit/4/stepsBytes(1, e.width), batchSteps))))
	}
	if c, ok := m.(ActionClasser); ok {
		e.class = c.ActionClass
		for _, class := range c.ActionClasses() {
			e.result.Coverage = append(e.result.Coverage, Coverage{Class: class})
		}
	}
	if z, ok := m.(Sizer); ok {
		e.size = z.Size
	}
	if l, ok := m.(EndLabeler); ok {
		e.label = l.End
	}
	for i := range e.shards {
		e.shards[i] = newShard(e.width, len(e.result.Coverage))
	}
	for range o.workers() {
		e.workers = append(e.workers, m.Worker())
	}
	e.scratch = make([]targets, len(e.workers))
	return e, nil
}

func (e *explorer) check(ctx context.Context) (*Result, error) {
	begun, err := e.begin()
	defer e.close()
	if err != nil {
		return nil, err
	}
	defer e.meter.report(e.options)()
	if err := e.run(ctx, begun); err != nil {
		return nil, err
	}
	findings, err := e.findings()
	if err != nil {
		return nil, err
	}
	r := e.result // a copy: a pointer into the explorer would keep its states, and the model's decisions, in memory
	r.Findings = findings
	r.Complete = r.Stopped == NotStopped
	r.Depth = len(r.Levels)
	if r.Depth > 0 {
		r.Initial = r.Levels[0]
	}
	r.Queue = r.Distinct - e.expanded
	r.OutDegree.Mean = float64(e.steps) / float64(max(e.expanded, 1))
	for class := range r.Coverage {
		for _, s := range e.shards {
			r.Coverage[class].Distinct += s.first[class]
		}
	}
	for _, label := range slices.Sorted(maps.Keys(e.ends)) {
		r.Ends = append(r.Ends, EndCount{label, e.ends[label]})
	}
	r.Bytes = e.bytes()
	return &r, nil
}

// begin prepares for checkpoints. It reports whether the run was begun by another process.
func (e *explorer) begin() (begun bool, err error) {
	if e.options.Checkpoint == nil {
		return false, nil
	}
	var m *manifest
	if e.store, m, err = openStore(*e.options.Checkpoint, e.width); err != nil {
		return false, err
	}
	for i, s := range e.shards {
		s.file = e.store.states(i)
	}
	if m == nil {
		return false, nil
	}
	if err := e.resume(m); err != nil {
		return false, err
	}
	if resumed := e.store.Resumed; resumed != nil {
		resumed(e.result.Distinct)
	}
	return true, nil
}

// close closes the files, and then lets others use them.
func (e *explorer) close() {
	if e.store != nil {
		defer e.store.close()
	}
	for _, s := range e.shards {
		for _, f := range []*recordFile{s.file, s.delayed} {
			if f != nil {
				_ = f.close() // what counts was synced
			}
		}
		_ = s.index.remove() // the next run does, else
	}
}

// run explores, and makes a last checkpoint. A disk that fails ends the run; what it found so far holds, and so
// does the last checkpoint.
func (e *explorer) run(ctx context.Context, begun bool) error {
	err := e.explore(ctx, begun)
	if err == nil && e.store != nil && e.level.end != [shardCount]uint32{} && e.result.Stopped != IndexLimit {
		if err = e.save(); err != nil {
			err = &diskError{err}
		}
	}
	if failed, ok := errors.AsType[*diskError](err); ok {
		e.result.Stopped, e.result.Failure = DiskFailed, failed.Error()
		return nil
	}
	return err
}

// diskError is the error of a disk that has no room or fails.
type diskError struct{ error }

// onDisk is a diskError of what went wrong, if anything did.
func onDisk(err error) error {
	if err == nil {
		return nil
	}
	return &diskError{err}
}

// explore goes through the levels until there is no new state or a reason to stop.
func (e *explorer) explore(ctx context.Context, begun bool) error {
	if !begun {
		if err := e.initial(ctx); err != nil || e.result.Stopped != NotStopped {
			return err
		}
		e.level = e.next(level{})
	}
	for e.level.size() > 0 {
		if e.options.MaxDepth > 0 && e.depth+1 >= e.options.MaxDepth {
			e.result.Stopped = DepthLimit
			return nil
		}
		e.meter.depth.Store(int64(e.depth) + 2)
		if err := e.expandLevel(ctx); err != nil || e.result.Stopped != NotStopped {
			return err
		}
		e.level, e.position = e.next(e.level), 0
		e.depth++
	}
	return nil
}

// initial adds the initial states. The model cannot be stopped on the way, but what it emits after a limit is
// reached is left aside.
func (e *explorer) initial(ctx context.Context) error {
	e.meter.depth.Store(1)
	var err error
	used := e.bytes()
	e.model.Initial(func(state []byte) {
		if err != nil || e.result.Stopped != NotStopped {
			return
		}
		if len(state) != e.width {
			err = fmt.Errorf("initial state %x has %d bytes: want %d, as Width says", state, len(state), e.width)
			return
		}
		h := hash(state)
		s := e.shards[shardOf(h)]
		after := used - s.bytes() + shardBytes(e.width, int64(s.count)+1)
		e.result.Stopped = cmp.Or(e.enough(ctx), e.full(after, int64(s.count)+1))
		if e.result.Stopped != NotStopped {
			return
		}
		e.result.Generated++
		if s.add(h, state, noParent) {
			used = after
			e.countNew(0, 1)
		}
		e.meter.generated.Store(e.result.Generated)
	})
	if e.result.Stopped == NotStopped && ctx.Err() != nil {
		e.result.Stopped = Cancelled // the model may have emitted no more for that
	}
	return err
}

// enough reports whether to stop here.
func (e *explorer) enough(ctx context.Context) Reason {
	switch limit := e.options.MaxStates; {
	case ctx.Err() != nil:
		return Cancelled
	case limit > 0 && e.result.Distinct > limit:
		return StateLimit
	}
	return NotStopped
}

// full reports whether to stop before the engine takes so many bytes and a shard holds so many states.
func (e *explorer) full(bytes, inShard int64) Reason {
	limit := e.options.Memory
	if e.result.DiskShards > 0 {
		limit -= limit / settleShare
	}
	switch {
	case inShard > e.maxShard:
		return IndexLimit
	case limit > 0 && bytes > limit:
		return MemoryLimit
	}
	return NotStopped
}

// countNew counts new states of a level.
func (e *explorer) countNew(depth int, states int64) {
	if states == 0 {
		return
	}
	r := &e.result
	if depth == len(r.Levels) {
		r.Levels = append(r.Levels, 0)
	}
	r.Levels[depth] += states
	r.Distinct += states
	e.meter.distinct.Store(r.Distinct)
}

// count adds what a chunk found, besides new states. Chunks come in their order.
func (e *explorer) count(c *Steps) {
	r := &e.result
	if c.expanded > 0 && (e.expanded == 0 || c.least < r.OutDegree.Min) {
		r.OutDegree.Min = c.least
	}
	r.OutDegree.Max = max(r.OutDegree.Max, c.most)
	e.expanded += c.expanded
	e.steps += int64(len(c.sorted.steps))
	r.Generated += int64(len(c.sorted.steps))
	for label, n := range c.endStates {
		e.ends[label] += n
	}
	if more := len(c.counters) - len(r.Counters); more > 0 {
		r.Counters = append(r.Counters, make([]int64, more)...)
	}
	for counter, n := range c.counters {
		r.Counters[counter] += n
	}
	for class, n := range c.generated {
		r.Coverage[class].Generated += n
	}
	for _, f := range c.found {
		e.countFound(f)
	}
}

// countFound adds the reports of a chunk under one key.
func (e *explorer) countFound(f found) {
	f.depth = e.depth
	if f.step != OnState {
		f.depth++
	}
	known := e.found[f.key]
	if known == nil {
		e.found[f.key] = &f
		return
	}
	f.count += known.count
	if f.depth < known.depth || f.depth == known.depth && f.size < known.size {
		*known = f
	}
	known.count = f.count
}

// findings returns what was found, each with its trace.
func (e *explorer) findings() ([]Finding, error) {
	all := slices.SortedFunc(maps.Values(e.found), func(a, b *found) int {
		return cmp.Or(cmp.Compare(a.depth, b.depth), cmp.Compare(a.key, b.key))
	})
	findings := make([]Finding, len(all))
	errs := make([]error, len(all))
	parallel(len(e.workers), len(all), func(worker, i int) {
		f := all[i]
		var trace Trace
		trace, errs[i] = e.trace(e.workers[worker], f.state, f.step)
		findings[i] = Finding{f.key, f.count, f.depth, f.step != OnState, trace}
	})
	for i, err := range errs {
		if err != nil {
			return nil, fmt.Errorf("trace to finding %q: %w", all[i].key, err)
		}
	}
	if len(findings) == 0 {
		return nil, nil
	}
	return findings, nil
}

// bytes is the memory that states, parents and tables take.
func (e *explorer) bytes() int64 {
	var sum int64
	for _, s := range e.shards {
		sum += e.shardBytes(s)
	}
	return sum
}

func (e *explorer) shardBytes(s *shard) int64 {
	if s.onDisk {
		return e.delayedBytes()
	}
	return s.bytes()
}
