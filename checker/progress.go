package checker

import (
	"sync/atomic"
	"time"
)

// Progress is how far a run has come. Its numbers are read one after the other while workers go
// on, so they need not fit together exactly.
type Progress struct {
	// Depth is the number of levels found so far, the one being found included.
	Depth int
	// Distinct, Generated and Queue are as in Result.
	Distinct, Generated, Queue int64
	// Elapsed is the time since the run began.
	Elapsed time.Duration
}

// meter holds the numbers of a Progress while they change.
type meter struct {
	depth, distinct, generated, expanded atomic.Int64
}

func (m *meter) read(begun time.Time) Progress {
	// In this order Queue is never negative: what is expanded was distinct before.
	expanded := m.expanded.Load()
	distinct := m.distinct.Load()
	return Progress{
		Depth:     int(m.depth.Load()),
		Distinct:  distinct,
		Generated: m.generated.Load(),
		Queue:     distinct - expanded,
		Elapsed:   time.Since(begun),
	}
}

// report calls o.Progress now and then until stop is called. When stop returns, it is not called any more.
func (m *meter) report(o Options) (stop func()) {
	if o.Progress == nil {
		return func() {}
	}
	every := o.ProgressEvery
	if every == 0 {
		every = time.Second
	}
	begun := time.Now()
	done, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				o.Progress(m.read(begun))
			case <-done:
				return
			}
		}
	}()
	return func() {
		close(done)
		<-stopped
	}
}
