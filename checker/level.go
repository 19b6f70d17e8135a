package checker

import (
	"context"
	"slices"
)

// level is a level of states: in each shard a range of indices. Its order is that of the package
// doc: by shard, then by index.
type level struct {
	begin, end [shardCount]uint32
}

// next is the level that was found while l was expanded.
func (e *explorer) next(l level) level {
	n := level{begin: l.end}
	for i, s := range e.shards {
		n.end[i] = s.count
	}
	return n
}

func (l *level) size() int64 {
	var sum int64
	for i := range l.begin {
		sum += int64(l.end[i] - l.begin[i])
	}
	return sum
}

// expandLevel expands what is left of the level, in batches. All states of a batch are expanded, by all workers,
// while nobody adds; then their successors are added, each shard by one worker, in the order of the level. So
// neither the division into batches and chunks nor the number of workers shows in the result.
func (e *explorer) expandLevel(ctx context.Context) error {
	size := e.level.size()
	for e.position < size {
		to := min(size, e.position+e.batchSize())
		if e.result.Stopped = e.enough(ctx); e.result.Stopped != NotStopped {
			return nil
		}
		if e.store != nil && e.store.due() {
			if err := e.save(); err != nil {
				return &diskError{err}
			}
		}
		if err := e.expandBatch(ctx, e.position, to); err != nil || e.result.Stopped != NotStopped {
			return err
		}
		e.position = to
		if e.crowded() {
			if err := e.settle(); err != nil || e.result.Stopped != NotStopped {
				return onDisk(err)
			}
		}
	}
	return onDisk(e.settle())
}

// batchSize is the number of states for the next batch. It depends on what was found before,
// and not on the number of workers: limits are looked at between batches.
func (e *explorer) batchSize() int64 {
	if e.degree == 0 {
		return min(firstBatch, int64(e.batchSteps))
	}
	return max(1, min(batchStates, int64(e.batchSteps)/e.degree))
}

// expandBatch expands the states from, ... to-1 of the level and adds their successors.
//
// If the context is cancelled meanwhile, the chunks before the first unfinished one count, or nothing of the batch
// if the run keeps checkpoints, which lie between batches. If a limit would be exceeded, nothing of the batch does.
func (e *explorer) expandBatch(ctx context.Context, from, to int64) error {
	size := e.chunkSize(to - from)
	chunks := e.buffers(int((to - from + size - 1) / size))
	left := parallelOn(ctx, e.workers, len(chunks), func(worker, i int) {
		begin := from + int64(i)*size
		e.expandChunk(ctx, worker, begin, min(begin+size, to), chunks[i])
	})
	if i := slices.Index(left, false); i >= 0 {
		e.leave()
		chunks = chunks[:i]
		e.result.Stopped = Cancelled
	}
	for i, c := range chunks {
		if c.err != nil {
			return &diskError{c.err}
		}
		if !c.complete {
			chunks = chunks[:i]
			e.result.Stopped = Cancelled
			break
		}
		if c.brokenRule != nil {
			return c.brokenRule
		}
	}
	if e.result.Stopped == Cancelled && e.store != nil {
		return nil
	}
	if reason, err := e.room(chunks); err != nil || reason != NotStopped {
		e.result.Stopped = reason
		return err
	}
	return e.insert(chunks)
}

// leave lets go of the workers, one of which at least is still at work, and takes new ones for the traces.
func (e *explorer) leave() {
	e.result.Left = true
	for i := range e.workers {
		e.workers[i] = e.model.Worker()
	}
}

// chunkSize spreads the states evenly enough over the workers, also where some take long.
func (e *explorer) chunkSize(states int64) int64 {
	const chunksPerWorker = 8
	most := int64(chunkStates)
	if _, is := e.workers[0].(Preparer); is {
		most = preparedStates
	}
	return max(1, min(most, states/int64(chunksPerWorker*len(e.workers))))
}

// buffers returns so many empty chunks.
func (e *explorer) buffers(n int) []*Steps {
	for len(e.chunks) < n {
		e.chunks = append(e.chunks, e.newSteps())
	}
	for _, c := range e.chunks[:n] {
		c.reset()
	}
	return e.chunks[:n]
}

func (e *explorer) newSteps() *Steps {
	return newSteps(e.width, len(e.result.Coverage), e.class, e.label, e.size)
}

// expandChunk expands the states from, ... to-1 of the level, unless the context is cancelled.
func (e *explorer) expandChunk(ctx context.Context, worker int, from, to int64, out *Steps) {
	w, done := e.workers[worker], ctx.Done()
	out.borrow(&e.scratch[worker])
	defer out.giveBack(&e.scratch[worker])
	if out.err = e.gather(from, to, out); out.err != nil {
		return
	}
	if p, is := w.(Preparer); is {
		p.Prepare(ctx, out.states)
	}
	for i, state := range out.states {
		select {
		case <-done:
			return
		default:
		}
		out.enter(out.ids[i], state)
		w.Expand(state, out)
		out.leave()
	}
	out.finish()
	e.meter.expanded.Add(out.expanded)
	e.meter.generated.Add(int64(len(out.sorted.steps)))
}

// gather finds the states from, ... to-1 of the level.
func (e *explorer) gather(from, to int64, out *Steps) error {
	out.ids, out.states = out.ids[:0], out.states[:0]
	l, block := &e.level, out.block[:0]
	for i, s := range e.shards {
		in := int64(l.end[i] - l.begin[i])
		if from < min(to, in) && s.onDisk {
			var err error
			if block, err = s.file.read(int64(l.begin[i])+from, int(min(to, in)-from), block[len(block):]); err != nil {
				return err
			}
			if cap(block) > cap(out.block) {
				out.block = block
			}
		}
		for records := block; from < min(to, in); from++ {
			index := l.begin[i] + uint32(from)
			out.ids = append(out.ids, idOf(i, index))
			if s.onDisk {
				out.states, records = append(out.states, records[:e.width:e.width]), records[s.file.width:]
			} else {
				out.states = append(out.states, s.state(index))
			}
		}
		if to <= in {
			break
		}
		// Count from the next shard's first state on.
		from, to = from-in, to-in
	}
	return nil
}

// room makes room for the successors, were they all new, if need be on disk. The reason tells that there is none.
func (e *explorer) room(chunks []*Steps) (Reason, error) {
	for {
		reason := e.lacking(chunks)
		if reason != MemoryLimit {
			return reason, nil
		}
		if more, err := e.evict(); err != nil {
			return DiskFailed, &diskError{err}
		} else if !more {
			return reason, nil
		}
	}
}

// lacking reports whether there is no room for the successors, were they all new.
func (e *explorer) lacking(chunks []*Steps) Reason {
	var bytes, most int64
	for _, c := range chunks {
		bytes += c.bytes()
	}
	for i, s := range e.shards {
		if s.onDisk {
			bytes += e.shardBytes(s)
			continue
		}
		states := int64(s.count)
		for _, c := range chunks {
			from, to := c.of(i)
			states += int64(to - from)
		}
		bytes += shardBytes(e.width, states)
		most = max(most, states)
	}
	return e.full(bytes, most)
}

// insert adds the successors and counts what the chunks found.
func (e *explorer) insert(chunks []*Steps) error {
	states, steps := e.expanded, e.steps
	for _, c := range chunks {
		e.count(c)
	}
	states, steps = e.expanded-states, e.steps-steps
	e.degree = max(1, (steps+states-1)/max(1, states))

	// To start a goroutine costs as much as to add some dozens of states.
	const stepsPerWorker = 1000
	workers := min(len(e.workers), 1+int(steps)/stepsPerWorker)
	errs := make([]error, shardCount)
	parallel(workers, shardCount, func(_, shard int) { errs[shard] = e.insertInto(shard, chunks) })
	e.countKnown()
	for _, err := range errs {
		if err != nil {
			return &diskError{err}
		}
	}
	return nil
}

// countKnown counts the states that came into the shards.
func (e *explorer) countKnown() {
	var known int64
	for _, s := range e.shards {
		known += int64(s.count)
	}
	e.countNew(e.depth+1, known-e.result.Distinct)
}

// ahead is the number of steps whose states are looked for at the same time: their places in the table are read
// before any of them is needed, so that the processor waits for memory once and not once for each.
const ahead = 16

// insertInto adds the successors that belong to the shard, in the order of the level.
func (e *explorer) insertInto(shard int, chunks []*Steps) error {
	s := e.shards[shard]
	var room [ahead]uint64
	for _, c := range chunks {
		from, to := c.of(shard)
		if s.onDisk {
			if err := e.delay(s, c, from, to); err != nil {
				return err
			}
			continue
		}
		for ; from < to; from += ahead {
			hashes := c.sorted.hashesOf(from, min(from+ahead, to), s.narrow, e.width, &room)
			s.touch(hashes)
			for i, h := range hashes {
				step := &c.sorted.steps[from+i]
				var added bool
				if s.narrow {
					added = s.addWord(h, c.sorted.words[from+i], step.from)
				} else {
					added = s.add(h, c.sorted.at(from+i, e.width), step.from)
				}
				if added && len(s.first) > 0 {
					s.first[e.class(step.action)]++
				}
			}
		}
	}
	return nil
}
