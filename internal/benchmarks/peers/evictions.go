package main

import (
	"context"
	"sync/atomic"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/internal/reference"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// mostEvictions is the largest number of preemptions among which a state leaves the choice. Spin has a step for
// each, as it would count a choice made by a loop as states of its own.
func mostEvictions(c *reference.Configuration) (int, error) {
	s, actions := c.Scenario()
	m, err := reference.New(s, spec.NewReference(), actions, false)
	if err != nil {
		return 0, err
	}
	counter := &evictionCounter{Model: m}
	_, err = checker.Check(context.Background(), counter, checker.Options{})
	return int(counter.most.Load()), err
}

type evictionCounter struct {
	*reference.Model
	most atomic.Int64
}

// Worker returns a worker that counts.
func (m *evictionCounter) Worker() checker.Worker { return &countingWorker{m.NewWorker(), m} }

type countingWorker struct {
	*reference.Worker
	m *evictionCounter
}

// Expand adds every step, and notes how many are preemptions.
func (w *countingWorker) Expand(state []byte, out *checker.Steps) {
	count := &preemptions{Steps: out, model: w.m.Model}
	w.Worker.Expand(state, count)
	for {
		most := w.m.most.Load()
		if count.n <= most || w.m.most.CompareAndSwap(most, count.n) {
			return
		}
	}
}

// preemptions are steps of which the preemptions are counted.
type preemptions struct {
	*checker.Steps
	model *reference.Model
	n     int64
}

// Add adds a step.
func (p *preemptions) Add(action uint32, next []byte) int {
	if p.model.ClassOf(action) == reference.Preempt {
		p.n++
	}
	return p.Steps.Add(action, next)
}
