package checker

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestParallelDoesEachTaskOnce(t *testing.T) {
	for _, workers := range []int{1, 2, 7} {
		for _, tasks := range []int{0, 1, 2, 100} {
			var mutex sync.Mutex
			var done []int
			parallel(workers, tasks, func(worker, task int) {
				mutex.Lock()
				defer mutex.Unlock()
				if worker < 0 || worker >= workers {
					t.Errorf("worker %d of %d", worker, workers)
				}
				done = append(done, task)
			})
			slices.Sort(done)
			if len(done) != tasks || (tasks > 0 && done[tasks-1] != tasks-1) || len(slices.Compact(done)) != tasks {
				t.Errorf("%d workers, %d tasks: did %v", workers, tasks, done)
			}
		}
	}
}

func TestParallelUsesItsWorkers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		parallel(4, 8, func(int, int) { time.Sleep(time.Second) })
		if took := time.Since(begun); took != 2*time.Second {
			t.Errorf("8 tasks of a second took 4 workers %v", took)
		}
	})
}

// TestParallelPassesOnTheFirstPanic has three tasks panic, the first of them last.
func TestParallelPassesOnTheFirstPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		defer func() {
			if p, ok := recover().(*Panic); !ok || p.Value != "task 0" {
				t.Errorf("panic %v, want task 0", p)
			}
		}()
		parallel(3, 100, func(_, task int) {
			time.Sleep(time.Duration(3-task) * time.Second)
			panic(fmt.Sprintf("task %d", task))
		})
	})
}

// TestPanic plants panics in several states of a level: the one passed on is that of the first.
func TestPanic(t *testing.T) {
	cause := errors.New("planted")
	m := binaryTree(14)
	tree := m.expand
	m.expand = func(s []byte, out *Steps) {
		explode(s, cause)
		tree(s, out)
	}
	var first string
	for _, workers := range []int{1, 2, 8} {
		p := panicOf(t, m, workers)
		if !errors.Is(p, cause) {
			t.Errorf("%d workers: panic %v does not wrap the cause", workers, p.Value)
		}
		if stack := string(p.Stack); !strings.Contains(stack, "explode") {
			t.Errorf("%d workers: the stack does not name the function that panicked:\n%s", workers, stack)
		}
		if !strings.Contains(p.Error(), "planted") || !strings.Contains(p.Error(), "explode") {
			t.Errorf("%d workers: the message lacks value or stack:\n%v", workers, p)
		}
		if first == "" {
			first = fmt.Sprint(p.Value)
		}
		if got := fmt.Sprint(p.Value); got != first {
			t.Errorf("%d workers: %s, want %s as with one", workers, got, first)
		}
	}
}

// explode panics in every state of the tenth level of the tree.
func explode(state []byte, cause error) {
	if state[1] >= 2 && state[1] < 4 && state[2] == 0 {
		panic(fmt.Errorf("%w in %x", cause, state))
	}
}

func TestGoexit(t *testing.T) {
	m := counter(5)
	m.expand = func([]byte, *Steps) { runtime.Goexit() }
	if p := panicOf(t, m, 2); !errors.Is(p, errGoexit) {
		t.Errorf("panic %v, want %v", p.Value, errGoexit)
	}
}

// panicOf returns what Check panics with.
func panicOf(t *testing.T, m Model, workers int) (p *Panic) {
	t.Helper()
	defer func() {
		var ok bool
		if p, ok = recover().(*Panic); !ok {
			t.Fatal("Check did not panic with a *Panic")
		}
	}()
	result, err := Check(context.Background(), m, Options{Workers: workers})
	t.Fatalf("Check returned %v, %v", result, err)
	return nil
}

// hosting is a Host that reports whether its work is under way.
type hosting struct{ underWay bool }

func (h *hosting) Run(work func()) {
	h.underWay = true
	work()
	h.underWay = false
}

func TestHostSaysWhereItWorks(t *testing.T) {
	hosts := []*hosting{{}, {}}
	parallelOn(t.Context(), hosts, 10, func(worker, task int) {
		if !hosts[worker].underWay {
			t.Errorf("task %d is done by worker %d outside its Run", task, worker)
		}
	})
	if hosts[0].underWay || hosts[1].underWay {
		t.Error("parallelOn returned before Run did")
	}
}

// TestLeavesBehindWhoHangs: a worker that hangs in a state does not keep Check from its end, and what was found
// before stays with its trace.
func TestLeavesBehindWhoHangs(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var cancelled time.Time
	m := counter(5)
	counts := m.expand
	m.expand = func(state []byte, out *Steps) {
		if state[0] == 3 {
			cancelled = time.Now()
			cancel()
			select {}
		}
		out.Find("seen", OnState)
		counts(state, out)
	}
	result, err := Check(ctx, m, Options{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	if took := time.Since(cancelled); took > 5*time.Second {
		t.Errorf("it took %v to end", took)
	}
	if !result.Left || result.Stopped != Cancelled || len(result.Findings) != 1 || result.Findings[0].Count != 3 {
		t.Errorf("left %v, stopped %v, findings %v", result.Left, result.Stopped, result.Findings)
	}
	if result, err = Check(t.Context(), counter(5), Options{Workers: 2}); err != nil || result.Left {
		t.Errorf("nobody hangs: left %v, error %v", result.Left, err)
	}
}
