package audit

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/seed-a3f26817/modelcheck/internal/patience"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// each does n pieces of work, several at once, and takes what comes of them, in their order. When the context ends the
// rest is left out, which the result of the audit says, and what is under way is left behind.
func each[T any](ctx context.Context, a *auditor, phase string, n int, work func(*session, int) T, take func(int, T)) {
	var (
		group       sync.WaitGroup
		next        atomic.Int64
		mu          sync.Mutex // guards what follows
		done, taken int
		failed      any
		early       = map[int]T{} // what comes before its turn
	)
	deliver := func(i int, result T) {
		mu.Lock()
		defer mu.Unlock()
		early[i] = result
		for first, there := early[taken]; there; first, there = early[taken] {
			delete(early, taken)
			take(taken, first)
			taken++
		}
		done++
		a.progress(phase, done, n)
	}
	a.progress(phase, 0, n)
	for _, s := range a.sessions {
		group.Go(func() {
			defer func() {
				if r := recover(); r != nil {
					mu.Lock()
					defer mu.Unlock()
					failed = r
				}
			}()
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				var result T
				if !patience.Do(ctx, func() { result = work(s, i) }) {
					return
				}
				deliver(i, result)
			}
		})
	}
	group.Wait()
	if failed != nil {
		panic(failed)
	}
	if taken < n {
		a.stopped(phase)
	}
}

// ask asks where the pod should go.
func (s *session) ask(q spec.Question) *answered {
	*s.starts = production.Starts{}
	asked, findings := s.Ask(q)
	return answerTo(asked.Decision, q.Snapshot).judge(asked, findings)
}
