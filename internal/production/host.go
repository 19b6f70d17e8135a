package production

import (
	"context"
	"iter"
	"sync/atomic"
	"time"
)

// host lets work go on that has a task now and then which may hang. Work and task never go ahead at the same time,
// so they take turns as coroutines: a channel between them would wake an idle core at every turn, which takes as
// long as half a decision. A task that hangs is left behind with its goroutine, and the work goes on from another
// one.
type host struct {
	ctx context.Context
	// patience is how long a task may take that says nothing else, and granted how long the present one may.
	patience time.Duration
	granted  atomic.Int64

	// turn returns a task its turn; nil if no work is under way. finished reports whether the last task came to its
	// end.
	turn     func(task func()) bool
	finished bool
	// underway is the number of the task that has its turn, 0 if none has; tasks counts them. Who sets it to 0 goes
	// on with the work.
	underway atomic.Uint64
	tasks    uint64
}

// do does the task, and reports whether it came to its end in time. One that did not may go on.
func (h *host) do(patience time.Duration, task func()) (finished bool) {
	if h.turn == nil {
		h.run(func() { finished = h.do(patience, task) })
		return finished
	}
	h.granted.Store(int64(patience))
	h.turn(task)
	return h.finished
}

// run does the work, whose tasks are those given to do until it returns. The caller looks now and then whether a
// task hangs.
func (h *host) run(work func()) {
	next, stop := iter.Pull(func(turn func(func()) bool) {
		h.turn = turn
		defer func() { h.turn = nil }()
		work()
	})
	defer stop()
	done := make(chan struct{})
	go h.drive(next, done)
	tick := time.NewTicker(max(h.patience/4, 1))
	defer tick.Stop()
	ended := h.ctx.Done()
	for seen, since := uint64(0), time.Now(); ; {
		select {
		case <-done:
			return
		case <-ended:
			ended = nil // it stays so, which ticks find too
		case <-tick.C:
		}
		now := h.underway.Load()
		if now != seen {
			seen, since = now, time.Now()
		}
		hangs := now != 0 && (h.ctx.Err() != nil || int64(time.Since(since)) >= h.granted.Load())
		if hangs && h.underway.CompareAndSwap(now, 0) {
			h.finished = false
			go h.drive(next, done)
		}
	}
}

// drive returns work and tasks their turns, until the work is done or a task is left behind.
func (h *host) drive(next func() (func(), bool), done chan<- struct{}) {
	behind := false
	defer func() {
		if !behind {
			close(done) // also if the work ends its goroutine
		}
	}()
	for {
		task, more := next()
		if !more {
			return
		}
		h.tasks++
		number := h.tasks
		h.underway.Store(number)
		task()
		if behind = !h.underway.CompareAndSwap(number, 0); behind {
			return
		}
		h.finished = true
	}
}
