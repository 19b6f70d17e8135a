// Package patience has work done that cannot be stopped on its way, such as a predicate or the rendering of a page,
// without making anybody wait for it longer than a context lasts.
package patience

import (
	"context"
	"errors"
	"runtime/debug"
	"time"

	"github.com/seed-a3f26817/modelcheck/checker"
)

var errGoexit = errors.New("the goroutine of the work was ended by runtime.Goexit (does something call t.FailNow or " +
	"t.Fatal?)")

// Do does the work on a goroutine of its own, and reports whether it came to its end. If the context is cancelled
// first, the work is left behind with its goroutine, and what it writes must not be read any more. A panic of the
// work, or runtime.Goexit in it, is passed on as a *checker.Panic.
func Do(ctx context.Context, work func()) (finished bool) {
	ended := make(chan *checker.Panic, 1)
	go func() {
		failed := &checker.Panic{Value: errGoexit}
		defer func() {
			if value := recover(); value != nil {
				failed = &checker.Panic{Value: value, Stack: debug.Stack()}
				if passed, is := value.(*checker.Panic); is {
					failed = passed
				}
			}
			ended <- failed
		}()
		work()
		failed = nil
	}()
	select {
	case failed := <-ended:
		if failed != nil {
			panic(failed)
		}
		return true
	case <-ctx.Done():
		return false
	}
}

// Cause returns what somebody panicked with in the first place, and the stack, as far as the panic was passed on by Do
// or by workers of the checker.
func Cause(recovered any) (value any, stack []byte) {
	value, stack = recovered, debug.Stack()
	for {
		passed, is := value.(*checker.Panic)
		if !is {
			return value, stack
		}
		value, stack = passed.Value, passed.Stack
	}
}

// Extend returns a context that lasts so much longer than the one given. Calling cancel ends it at once.
func Extend(ctx context.Context, by time.Duration) (longer context.Context, cancel context.CancelFunc) {
	longer, end := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(by, end) })
	return longer, func() { stop(); end() }
}
