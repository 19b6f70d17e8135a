package decisions

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/internal/patience"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// afterwards is how long a run may go on when its context is cancelled, to conclude with what it knows: also what
// the checker grants its workers is part of it.
const afterwards = 400 * time.Millisecond

// Hang is a question that was still being answered when the run ended.
type Hang struct {
	// Model: the model was at work on it; else the decider was.
	Model    bool
	Pod      *v1.Pod
	Snapshot *spec.Snapshot
}

// String says who is at work on which question.
func (h Hang) String() string {
	return fmt.Sprintf("%s: where pod %s/%s goes in a cluster of %d nodes and %d pods",
		map[bool]string{true: "the model", false: "kube-scheduler"}[h.Model], h.Pod.Namespace, h.Pod.Name,
		len(h.Snapshot.Nodes), len(h.Snapshot.Pods))
}

// underway says which question a worker is at. Who reads it may do so while the worker goes on.
type underway struct{ hang atomic.Pointer[Hang] }

func (u *underway) enter(q spec.Question, model bool) { u.hang.Store(&Hang{model, q.Pod, q.Snapshot}) }

// begin returns what says which questions somebody is at, until end.
func (d *decisionCache) begin() *underway {
	u := &underway{}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.underway[u] = true
	return u
}

func (d *decisionCache) end(u *underway) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.underway, u)
}

// hanging returns the questions that somebody is at.
func (d *decisionCache) hanging() []Hang {
	d.mu.Lock()
	defer d.mu.Unlock()
	var all []Hang
	for u := range d.underway { // in no order, as which questions they are is chance
		if hang := u.hang.Load(); hang != nil {
			all = append(all, *hang)
		}
	}
	return all
}

// leave lets go of the deciders, one of which at least may be at work for ever, and starts a new one for what is
// still to be asked. If that hangs too, nobody is asked any more. until is when the run has to end.
func (r *run) leave(until context.Context) {
	r.deciders = nil
	var fresh Decider
	var err error
	if patience.Do(until, func() { fresh, err = r.options.NewDecider() }) && err == nil {
		r.deciders = []Decider{fresh}
	}
}
