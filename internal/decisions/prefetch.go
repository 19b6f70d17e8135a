package decisions

import (
	"bytes"
	"context"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/model"
)

// kube-scheduler and the model beside it are large, and each drives the other out of the core's caches. So the new
// questions of some hundred states are asked together, before these are expanded: of kube-scheduler first, then of
// the model.

// preparedState is a state that is expanded soon, as far as questions go.
type preparedState struct {
	state    []byte
	contents []*model.Content // of its nodes
	from, to int              // its pending pods, among those of all states
}

// preparedQuestion is a pending pod with its question.
type preparedQuestion struct {
	model.PendingPod
	question model.CanonicalQuestion
	order    []int // the nodes of the question, by index in the state
	key      []byte
	hash     uint64
	entry    *cacheEntry
}

// prefetch has states in the order in which they are expanded, in memory that it uses again.
type prefetch struct {
	states   []preparedState
	expanded int // so many of the states are
	locked   []lockedEntry

	bytes     []byte
	contents  []*model.Content
	questions []preparedQuestion
	orders    []int
	touched   byte // keeps what is read
}

func (f *prefetch) reset() {
	f.states, f.expanded, f.locked = f.states[:0], 0, f.locked[:0]
	f.bytes, f.contents, f.questions, f.orders = f.bytes[:0], f.contents[:0], f.questions[:0], f.orders[:0]
}

// appended appends a copy to a buffer, and returns it as it lies there.
func appended[E any](buffer *[]E, items []E) []E {
	n := len(*buffer)
	*buffer = append(*buffer, items...)
	return (*buffer)[n:len(*buffer):len(*buffer)]
}

var _ checker.Preparer = &worker{}

// Prepare asks the new questions of states that are expanded next.
func (w *worker) Prepare(ctx context.Context, states [][]byte) {
	f := &w.prefetch
	f.reset()
	for _, state := range states {
		w.prepare(state)
	}
	for i := range f.questions {
		f.touched ^= w.cache.entries.touch(f.questions[i].hash)
	}
	for i := range f.questions {
		a := &f.questions[i]
		if a.entry = w.cache.entries.get(a.hash, a.key); a.entry.tryLock() {
			f.locked = append(f.locked, lockedEntry{entry: a.entry, question: a.question.Clone()})
		}
	}
	w.cache.settle(ctx, f.locked, w.decider)
	for i := range f.questions {
		f.touched ^= f.questions[i].entry.touch() // others drove it out of the caches
	}
}

// prepare adds the state, with its questions.
func (w *worker) prepare(state []byte) {
	f := &w.prefetch
	w.machine.Unpack(state, &w.now)
	soon := preparedState{
		state:    appended(&f.bytes, state),
		contents: appended(&f.contents, w.builder.Enter(&w.now)),
		from:     len(f.questions),
	}
	w.pendingPods = w.now.Next(w.scenario, w.pendingPods)
	for _, pending := range w.pendingPods {
		key, order := w.builder.Build(pending)
		question := *w.builder.Draft(pending)
		question.Nodes = appended(&f.contents, question.Nodes)
		f.questions = append(
			f.questions,
			preparedQuestion{
				PendingPod: pending,
				question:   question,
				order:      appended(&f.orders, order),
				key:        appended(&f.bytes, key),
				hash:       hashOf(key),
			},
		)
	}
	soon.to = len(f.questions)
	f.states = append(f.states, soon)
}

// prepared returns what Prepare found out about the state. One that was not announced, such as that of a trace, is
// prepared now.
func (w *worker) prepared(state []byte) *preparedState {
	f := &w.prefetch
	if f.expanded == len(f.states) || !bytes.Equal(f.states[f.expanded].state, state) {
		w.Prepare(context.Background(), [][]byte{state})
	}
	f.expanded++
	return &f.states[f.expanded-1]
}
