package checker

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// patience is how long workers may still be at work once the context is cancelled. A worker that is not done then
// is left behind with its goroutine.
const patience = 200 * time.Millisecond

// Panic is what Check panics with when a worker panicked.
type Panic struct {
	// Value is what the worker panicked with.
	Value any
	// Stack is the stack of the worker's goroutine at that moment.
	Stack []byte
}

// Error returns the value and the stack.
func (p *Panic) Error() string {
	return fmt.Sprintf("worker panicked: %v\n\n%s", p.Value, p.Stack)
}

// Unwrap returns the value if it is an error.
func (p *Panic) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}

var errGoexit = errors.New(
	"the worker's goroutine was ended by runtime.Goexit (does Expand call t.FailNow or t.Fatal?)")

// parallel does the tasks 0, 1, ... tasks-1, each once, on at most so many goroutines. Tasks are begun in
// their order, so that of several that panic the first one is always among those begun: its
// panic is the one passed on.
func parallel(workers, tasks int, do func(worker, task int)) {
	parallelOn(context.Background(), make([]struct{}, workers), tasks, do)
}

// parallelOn is parallel for the workers given, each where it wants to work if it is a Host. It returns nil when all
// of them are done. Some time after the context is cancelled it waits no longer, and returns which tasks are done;
// what those that are left behind do to the others must not be looked at any more.
func parallelOn[W any](ctx context.Context, workers []W, tasks int, do func(worker, task int)) (left []bool) {
	t := &team{do: do, done: make([]atomic.Bool, tasks), panicked: make([]*Panic, min(len(workers), tasks))}
	t.at = make([]int, len(t.panicked))
	var wait sync.WaitGroup
	for worker := range t.panicked {
		if host, has := any(workers[worker]).(Host); has {
			wait.Go(func() { host.Run(func() { t.work(worker) }) })
		} else {
			wait.Go(func() { t.work(worker) })
		}
	}
	if !waited(ctx, &wait) {
		t.failed.Store(true) // those that go on after all begin no other task
		left = make([]bool, tasks)
		for i := range left {
			left[i] = t.done[i].Load()
		}
		return left
	}
	first := -1
	for worker, p := range t.panicked {
		if p != nil && (first < 0 || t.at[worker] < t.at[first]) {
			first = worker
		}
	}
	if first >= 0 {
		panic(t.panicked[first])
	}
	return nil
}

// waited waits for the group, and reports whether it is done: some time after the context is cancelled it gives up.
func waited(ctx context.Context, group *sync.WaitGroup) bool {
	if ctx.Done() == nil {
		group.Wait()
		return true
	}
	done := make(chan struct{})
	go func() { group.Wait(); close(done) }()
	select {
	case <-done:
		return true
	case <-ctx.Done():
	}
	select {
	case <-done:
		return true
	case <-time.After(patience):
		return false
	}
}

// team is the workers of one call of parallelOn, with what each of them is at.
type team struct {
	do       func(worker, task int)
	next     atomic.Int64
	failed   atomic.Bool
	done     []atomic.Bool
	panicked []*Panic
	at       []int
}

// work does tasks until there is none, or one has failed.
func (t *team) work(worker int) {
	finished := false
	defer func() {
		if value := recover(); value != nil {
			t.panicked[worker] = &Panic{Value: value, Stack: debug.Stack()}
		} else if !finished {
			t.panicked[worker] = &Panic{Value: errGoexit, Stack: debug.Stack()}
		}
		if t.panicked[worker] != nil {
			t.failed.Store(true)
		}
	}()
	for !t.failed.Load() {
		t.at[worker] = int(t.next.Add(1)) - 1
		if t.at[worker] >= len(t.done) {
			break
		}
		t.do(worker, t.at[worker])
		t.done[t.at[worker]].Store(true)
	}
	finished = true
}
