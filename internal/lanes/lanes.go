// Package lanes does jobs side by side, each on one of several lanes.
package lanes

import (
	"context"
	"runtime/debug"
	"sync"

	"github.com/seed-a3f26817/modelcheck/checker"
)

// Do does jobs 0 to n-1 on so many lanes, 0 to lanes-1, each of which does one at a time, and returns once none is
// under way. They are begun in their order, and none any more after the context is cancelled, or a job failed or
// panicked. The error is that of the first job, by number, of those that failed; its panic is passed on as a
// *checker.Panic.
func Do(ctx context.Context, lanes, n int, job func(ctx context.Context, lane, i int) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var (
		group sync.WaitGroup
		mu    sync.Mutex
		next  int
		err   error
		// failed is the job whose error or panic ended it; n if there is none.
		failed   = n
		panicked *checker.Panic
	)
	take := func() (int, bool) {
		mu.Lock()
		defer mu.Unlock()
		if next == n || ctx.Err() != nil {
			return 0, false
		}
		next++
		return next - 1, true
	}
	fail := func(i int, e error, p *checker.Panic) {
		mu.Lock()
		defer mu.Unlock()
		if i < failed {
			failed, err, panicked = i, e, p
		}
		cancel()
	}
	do := func(lane, i int) {
		defer func() {
			if value := recover(); value != nil {
				p, is := value.(*checker.Panic)
				if !is {
					p = &checker.Panic{Value: value, Stack: debug.Stack()}
				}
				fail(i, nil, p)
			}
		}()
		if err := job(ctx, lane, i); err != nil {
			fail(i, err, nil)
		}
	}
	for lane := range lanes {
		group.Go(func() {
			for i, more := take(); more; i, more = take() {
				do(lane, i)
			}
		})
	}
	group.Wait()
	if panicked != nil {
		panic(panicked)
	}
	return err
}
