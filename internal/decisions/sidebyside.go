package decisions

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/internal/lanes"
)

// The workers that share a chunk wait for each other at the end of every level, which in a small chunk is most of the
// time. So each worker has a chunk of its own, the largest first, of those that are no more than its part of the whole;
// larger ones, and those of unknown size, the workers share, one after the other.

// lane is a worker, or several, that explore one chunk at a time.
type lane struct {
	deciders []Decider
	// memory is what a chunk may take, in bytes; 0 means no bound.
	memory int64
}

// chunkResults calls done with the result of each of the chunks, by index, as they come: one at a time, but in no
// order. Those that were not begun, as the context was cancelled, or are left out, it leaves aside.
func (r *run) chunkResults(ctx context.Context, chunks []int, done func(i int, c *ChunkResult)) error {
	unknown, err := r.keptResults(ctx, chunks, r.counted(done))
	if err != nil || r.options.KeptOnly {
		return err
	}
	alone, beside := r.split(unknown)
	again, err := r.exploreBeside(ctx, beside, r.counted(done))
	if err != nil {
		return err
	}
	alone = append(alone, again...)
	slices.Sort(alone)
	for _, i := range alone {
		if ctx.Err() != nil {
			break
		}
		result, err := r.exploreAndKeep(ctx, i, lane{r.deciders, r.options.Memory})
		if err != nil {
			return err
		}
		if result.Explored.Left {
			r.leave(r.until)
		}
		r.counted(done)(i, result)
	}
	return nil
}

// keptResults takes the results of an earlier run, and returns the chunks of which there is none.
func (r *run) keptResults(ctx context.Context, chunks []int, done func(i int, c *ChunkResult)) (unknown []int,
	err error) {
	if r.options.Kept == nil {
		return chunks, nil
	}
	for _, i := range chunks {
		if ctx.Err() != nil {
			break
		}
		result, err := r.keptResult(i)
		if err != nil {
			return nil, r.in(i, err)
		}
		if result == nil {
			unknown = append(unknown, i)
			continue
		}
		done(i, result)
	}
	return unknown, nil
}

// split splits chunks into those that all workers explore together, and those that each of them has for itself.
func (r *run) split(chunks []int) (alone, beside []int) {
	if r.options.Workers == 1 {
		return chunks, nil
	}
	var sum float64
	for _, i := range chunks {
		sum += r.chunks[i].States
	}
	for _, i := range chunks {
		if states := r.chunks[i].States; states > 0 && states*float64(r.options.Workers) <= sum {
			beside = append(beside, i)
		} else {
			alone = append(alone, i)
		}
	}
	slices.SortStableFunc(beside, func(a, b int) int { return cmp.Compare(r.chunks[b].States, r.chunks[a].States) })
	return alone, beside
}

// exploreBeside explores chunks, as many at a time as there are workers, each of which has its part of the memory. It
// returns those for which that was too little: these are still to be explored.
func (r *run) exploreBeside(ctx context.Context, chunks []int, done func(i int, c *ChunkResult)) (again []int,
	err error) {
	var mu sync.Mutex
	left := false
	err = lanes.Do(ctx, len(r.deciders), len(chunks), func(ctx context.Context, n, k int) error {
		i, alone := chunks[k], lane{r.deciders[n : n+1], r.options.Memory / int64(len(r.deciders))}
		result, err := r.exploreAndKeep(ctx, i, alone)
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		left = left || result.Explored.Left
		if result.Explored.Stopped == checker.MemoryLimit && ctx.Err() == nil {
			again = append(again, i)
			return nil
		}
		done(i, result)
		return nil
	})
	if left {
		r.leave(r.until)
	}
	return again, err
}

// keptResult returns the result of a chunk from an earlier run; nil if there is none.
func (r *run) keptResult(i int) (*ChunkResult, error) {
	known, chunk := resultChecker{r.options.Spec, r.properties}, &r.chunks[i]
	result, err := r.options.Kept.Get(i, func(c *ChunkResult) error {
		return known.check(r.scenarios[chunk.Scenario], chunk, c)
	})
	if result == nil || err != nil {
		return nil, err
	}
	for _, f := range result.Explored.Findings {
		r.stopper.found(f.Key)
	}
	return result, nil
}

// exploreAndKeep explores a chunk, and keeps what can be kept.
func (r *run) exploreAndKeep(ctx context.Context, i int, by lane) (*ChunkResult, error) {
	result, err := r.explore(ctx, i, by)
	if err == nil && r.options.Kept != nil && result.Kept() {
		err = r.options.Kept.Put(i, result)
	}
	if err != nil {
		return nil, r.in(i, err)
	}
	return result, nil
}

// in says in which chunk something went wrong.
func (r *run) in(i int, err error) error {
	return fmt.Errorf("%s: %w", r.chunks[i].Name(r.scenarios), err)
}

// explore lets the checker go through one chunk.
func (r *run) explore(ctx context.Context, i int, by lane) (*ChunkResult, error) {
	chunk := &r.chunks[i]
	x, err := r.explorer(chunk.Scenario)
	if err != nil {
		return nil, err
	}
	x.chunk, x.deciders = chunk, by.deciders
	options := checker.Options{
		Workers:       len(by.deciders),
		MaxStates:     r.options.MaxStates,
		MaxDepth:      r.options.MaxDepth,
		Memory:        by.memory,
		ProgressEvery: r.options.ProgressEvery,
	}
	r.status.begin(i, x.cache)
	if r.options.Progress != nil {
		options.Progress = func(p checker.Progress) { r.tell(i, p) }
	}
	result := &ChunkResult{}
	if result.Explored, err = checker.Check(ctx, x, options); err != nil {
		return nil, err
	}
	x.cache.fill(result)
	r.status.end(i, result.Explored.Left)
	return result, nil
}

// status is how far a run has come with its chunks.
type status struct {
	mu      sync.Mutex
	running []running // in the order in which they were begun
	// ended chunks have so many distinct questions.
	ended int
	asked int64
	// spent is the time inside production, hanging are questions that workers were at which had to be left behind.
	spent   time.Duration
	hanging []Hang
}

// running is a chunk that is being explored.
type running struct {
	chunk int
	cache *decisionCache
}

func (s *status) begin(chunk int, cache *decisionCache) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running = append(s.running, running{chunk, cache})
}

func (s *status) end(chunk int, left bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := slices.IndexFunc(s.running, func(r running) bool { return r.chunk == chunk })
	cache := s.running[k].cache
	s.running = slices.Delete(s.running, k, k+1)
	s.spent += cache.inside()
	if left {
		s.hanging = append(s.hanging, cache.hanging()...)
	}
}

// counted has results counted before done is called.
func (r *run) counted(done func(i int, c *ChunkResult)) func(i int, c *ChunkResult) {
	return func(i int, c *ChunkResult) {
		r.status.mu.Lock()
		r.status.ended++
		r.status.asked += int64(c.Distinct())
		r.status.mu.Unlock()
		done(i, c)
	}
}

// tell tells how far the run has come: of those being explored the chunk that was begun first tells for all.
func (r *run) tell(chunk int, p checker.Progress) {
	s := &r.status
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running[0].chunk != chunk {
		return
	}
	asked := s.asked
	for _, one := range s.running {
		asked += one.cache.asked()
	}
	r.options.Progress(Progress{
		Chunk: r.chunks[chunk].Name(r.scenarios), Number: s.ended + 1, Of: len(r.chunks), Asked: asked, Progress: p,
	})
}
