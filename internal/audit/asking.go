package audit

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/seed-a3f26817/modelcheck/internal/patience"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// each does n pieces of work, several at once, and returns what came of them, in their order. When the context ends
// the rest is left out, which the result of the audit says, and what is under way is left behind.
func each[T any](ctx context.Context, a *auditor, phase string, n int, work func(*session, int) T) []T {
	var (
		group   sync.WaitGroup
		next    atomic.Int64
		mu      sync.Mutex // guards what follows
		done    int
		failed  any
		results = make([]*T, n)
	)
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
				mu.Lock()
				results[i] = &result
				done++
				a.progress(phase, done, n)
				mu.Unlock()
			}
		})
	}
	group.Wait()
	if failed != nil {
		panic(failed)
	}
	var all []T
	for _, result := range results {
		if result == nil {
			a.result.Stopped = phase
			break
		}
		all = append(all, *result)
	}
	return all
}

// ask asks where the pod should go.
func (s *session) ask(q spec.Question) *answered {
	*s.starts = production.Starts{}
	asked, findings := s.Ask(q)
	return answerTo(asked.Decision, q.Snapshot).judge(asked, findings)
}
