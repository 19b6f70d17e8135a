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

// foreseen is a state that is expanded soon, as far as questions go.
type foreseen struct {
	state    []byte
	contents []*model.Content // of its places
	from, to int              // its pending pods, among those of all states
}

// awaited is a pending pod with what became of its question.
type awaited struct {
	model.PendingPod
	question model.CanonicalQuestion
	order    []int // the places of the question, by index in the state
	key      []byte
	hash     uint64
	record   *cacheEntry
}

// prefetch has states in the order in which they are expanded. They lie in memory that it uses again.
type prefetch struct {
	states   []foreseen
	expanded int // so many of them were
	locked   []lockedEntry

	bytes    []byte
	contents []*model.Content
	asked    []awaited
	orders   []int
	touched  byte // keeps what is read
}

func (f *prefetch) reset() {
	f.states, f.expanded, f.locked = f.states[:0], 0, f.locked[:0]
	f.bytes, f.contents, f.asked, f.orders = f.bytes[:0], f.contents[:0], f.asked[:0], f.orders[:0]
}

// kept appends what stays to a buffer, and gives it as it lies there.
func kept[E any](buffer *[]E, items []E) []E {
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
		w.foresee(state)
	}
	for i := range f.asked {
		f.touched ^= w.decisions.records.touch(f.asked[i].hash)
	}
	for i := range f.asked {
		a := &f.asked[i]
		if a.record = w.decisions.records.get(a.hash, a.key); a.record.tryLock() {
			f.locked = append(f.locked, lockedEntry{entry: a.record, question: a.question.Clone()})
		}
	}
	w.decisions.settle(ctx, f.locked, w.decider)
	for i := range f.asked {
		f.touched ^= f.asked[i].record.touch() // others drove it out of the caches
	}
}

// foresee adds the state, with its questions.
func (w *worker) foresee(state []byte) {
	f := &w.prefetch
	w.machine.Unpack(state, &w.now)
	soon := foreseen{
		state:    kept(&f.bytes, state),
		contents: kept(&f.contents, w.builder.Enter(&w.now)),
		from:     len(f.asked),
	}
	w.pendingPods = w.now.PendingPods(w.machine.Scenario, w.pendingPods)
	for _, pending := range w.pendingPods {
		key, order := w.builder.Build(pending)
		question := *w.builder.Draft(pending)
		question.Nodes = kept(&f.contents, question.Nodes)
		f.asked = append(
			f.asked,
			awaited{
				PendingPod: pending,
				question:   question,
				order:      kept(&f.orders, order),
				key:        kept(&f.bytes, key),
				hash:       hashOf(key),
			},
		)
	}
	soon.to = len(f.asked)
	f.states = append(f.states, soon)
}

// foreseen returns what Prepare found out about the state. One that nobody foresaw, such as that of a trace, is
// prepared now.
func (w *worker) foreseen(state []byte) *foreseen {
	f := &w.prefetch
	if f.expanded == len(f.states) || !bytes.Equal(f.states[f.expanded].state, state) {
		w.Prepare(context.Background(), [][]byte{state})
	}
	f.expanded++
	return &f.states[f.expanded-1]
}
