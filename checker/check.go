// Package checker explores every reachable state of a finite transition system, breadth first,
// on all cores, and keeps what the model reports on the way with the shortest trace to it. It
// knows nothing of what a state means.
//
// # What is exact
//
// A state is a fixed number of bytes and is compared as a whole: no state is lost to a hash
// collision. The Result is a function of the model and of the limits alone: the same bytes for
// any number of workers and on every run, unless the run was cancelled.
//
// # Order
//
// Where something is said to be first, it is first in this order:
//
//  1. Levels come one after the other; level 0 holds the initial states, level n+1 the new
//     states that one step from level n leads to.
//  2. Within a level, states come by shard, of which there are 64: the shard is a fixed function
//     of the state's bytes.
//  3. Within a shard, states come in the order in which they were found: going through the level
//     before in this order, and through the steps of each of its states in the order of Add. In
//     level 0 it is the order in which Initial emits them.
//
// The parent of a state is the first state with a step to it, and its trace goes from parent to
// parent, by the first step that leads there. So a trace is one of the shortest, and always the
// same one.
//
// # Non-goals
//
// There are at most 64 times 2^26-1 states; Check does not keep steps. What goes on for ever is asked of a
// Graph, which does: see Unfold and Liveness.
package checker

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"time"
)

// Model is a transition system over states of one fixed width. Two states are the same if their
// bytes are, so a model with symmetry emits canonical states only.
//
// A model may also be an ActionClasser, an EndLabeler and a Sizer.
type Model interface {
	// Width is the number of bytes of every state, at least 1.
	Width() int
	// Initial emits the initial states, in a fixed order; emitting one twice does no harm. emit
	// copies the state.
	Initial(emit func(state []byte))
	// Worker returns a worker. It is called once per worker, before anything is expanded, by the
	// goroutine that called Check; once more for each if one has to be left behind.
	Worker() Worker
}

// Worker expands states, one at a time. Several workers run at once, so what they share must be
// synchronised by the model; scratch space is best kept in the worker.
type Worker interface {
	// Expand adds every step that the state allows to out, and reports there what it notices. It
	// must depend on the state alone: traces are rebuilt by expanding states again. It
	// must neither change nor keep the state.
	//
	// Each state is expanded once, so a property of states is counted once for each state.
	Expand(state []byte, out *Steps)
}

// Preparer is a Worker that expands several states with less work than one after the other.
type Preparer interface {
	// Prepare tells which states are expanded next, in this order, unless the run ends. What Expand adds must not
	// depend on it: states of traces are expanded without. It must neither change nor keep the states. Once the
	// context is cancelled, nothing more is to be prepared.
	Prepare(ctx context.Context, states [][]byte)
}

// Host is a Worker, or a Stepper, that has a say in which goroutine it works on.
type Host interface {
	// Run does the work, in which the worker is called, and returns when it is done. The work never panics.
	Run(work func())
}

// ActionClasser is a Model whose actions fall into named classes, for which Result.Coverage
// counts steps.
type ActionClasser interface {
	// ActionClass returns the class of an action as an index of ActionClasses. Workers call it at
	// the same time.
	ActionClass(action uint32) int
	// ActionClasses names the classes. It is called once.
	ActionClasses() []string
}

// EndLabeler is a Model that tells apart the states in which nothing can change any more, for
// example deadlock from rest.
type EndLabeler interface {
	// End returns the label under which Result.Ends counts the end state. Workers call it at the
	// same time.
	End(state []byte) string
}

// Sizer is a Model with a notion of small states. Of findings under one key with equally short traces the one
// that occurs in the smallest state is kept, the state a step starts from if it is on a step; among equals the first.
type Sizer interface {
	// Size returns the size of a state, at least 0. Workers call it at the same time.
	Size(state []byte) int
}

// Options say how to check. The zero value checks everything on all cores.
type Options struct {
	// Workers is the number of states expanded at the same time; 0 means one per core that the
	// process may use (GOMAXPROCS).
	Workers int
	// MaxStates stops the run once more than so many distinct states are known; 0 means no limit.
	// It is looked at between batches of states, so somewhat more may be found.
	MaxStates int64
	// MaxDepth is the largest number of levels to find, the initial one included; 0 means no
	// limit. The states of the last one are found, but not expanded.
	MaxDepth int
	// Memory is the number of bytes that states, tables and buffers of the engine may take; 0
	// means no limit. Before a batch of states that might need more, states go to disk if there is a Checkpoint,
	// and else the run stops. What the model and the Go runtime need comes on top.
	Memory int64
	// Checkpoint, if set, keeps the run in a directory. What is found is the same, but that MaxStates may be noticed
	// later, at the end of a level, if states are on disk.
	Checkpoint *Checkpoint
	// Progress, if set, is called every ProgressEvery while the run lasts, never twice at a time.
	Progress func(Progress)
	// ProgressEvery is the time between two calls of Progress; 0 means a second.
	ProgressEvery time.Duration
}

// Check explores the states that the model can reach and says what it found.
//
// The error tells that the model could not be checked: an option is out of range, or the model breaks the rules of
// this package (a state of another width, an unknown action class, an Expand that gives other steps when it is
// asked again). A limit that is reached and a cancelled context are no errors: the Result says so, and what it
// holds is true of the states expanded until then. A CheckpointError tells that the directory of a Checkpoint
// cannot be used: then nothing was explored.
//
// After the context is cancelled no further state is expanded; Check returns as soon as
// the states being expanded are done and the traces are rebuilt. A state whose expansion does not end is left behind
// with its goroutine after a fifth of a second.
//
// Check panics with a *Panic, on the calling goroutine, if a worker panics.
func Check(ctx context.Context, m Model, o Options) (*Result, error) {
	e, err := newExplorer(m, o)
	if err != nil {
		return nil, err
	}
	return e.check(ctx)
}

func (o Options) validate() error {
	for _, option := range []struct {
		name  string
		value int64
	}{
		{"Workers", int64(o.Workers)},
		{"MaxStates", o.MaxStates},
		{"MaxDepth", int64(o.MaxDepth)},
		{"Memory", o.Memory},
		{"ProgressEvery", int64(o.ProgressEvery)},
		{"Checkpoint.Every", int64(cmp.Or(o.Checkpoint, &Checkpoint{}).Every)},
	} {
		if option.value < 0 {
			return fmt.Errorf("option %s is %d: want a positive number, or 0 for the default", option.name,
				option.value)
		}
	}
	return nil
}

func (o Options) workers() int {
	if o.Workers == 0 {
		return runtime.GOMAXPROCS(0)
	}
	return o.Workers
}
