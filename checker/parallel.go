package checker

import (
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

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
	parallelOn(make([]struct{}, workers), tasks, do)
}

// parallelOn is parallel for the workers given, each where it wants to work if it is a Host.
func parallelOn[W any](workers []W, tasks int, do func(worker, task int)) {
	var (
		next     atomic.Int64
		failed   atomic.Bool
		panicked = make([]*Panic, min(len(workers), tasks))
		at       = make([]int, min(len(workers), tasks))
		wait     sync.WaitGroup
	)
	for worker := range panicked {
		work := func() {
			finished := false
			defer func() {
				if value := recover(); value != nil {
					panicked[worker] = &Panic{Value: value, Stack: debug.Stack()}
				} else if !finished {
					panicked[worker] = &Panic{Value: errGoexit, Stack: debug.Stack()}
				}
				if panicked[worker] != nil {
					failed.Store(true)
				}
			}()
			for !failed.Load() {
				at[worker] = int(next.Add(1)) - 1
				if at[worker] >= tasks {
					break
				}
				do(worker, at[worker])
			}
			finished = true
		}
		if host, has := any(workers[worker]).(Host); has {
			wait.Go(func() { host.Run(work) })
		} else {
			wait.Go(work)
		}
	}
	wait.Wait()

	first := -1
	for worker, p := range panicked {
		if p != nil && (first < 0 || at[worker] < at[first]) {
			first = worker
		}
	}
	if first >= 0 {
		panic(panicked[first])
	}
}
