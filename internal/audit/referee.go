package audit

import (
	"context"
	"sync"

	"github.com/seed-a3f26817/modelcheck/internal/patience"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// referee compares decisions with the model while kube-scheduler takes the next ones: what follows from a decision
// does not depend on what the model has against it.
type referee struct {
	tasks chan numbered
	group sync.WaitGroup
	added int

	mu sync.Mutex
	// learn is told of the decisions in their order. Those that are compared before others are in judged until then:
	// an example of a finding takes megabytes where there are thousands of nodes.
	learn  func(*answered)
	judged map[int]numbered
	told   int
	failed any
}

// task is a decision to compare, taken with such starts.
type task struct {
	question spec.Question
	decision *spec.Decision
	starts   production.Starts
}

// numbered is a task. What is said of the decision goes into the answer.
type numbered struct {
	task
	number int
	into   *Answer
	found  *answered
}

// newReferee starts a referee with sessions of its own.
func newReferee(a *auditor) (*referee, error) {
	f := &referee{tasks: make(chan numbered, len(a.sessions)), judged: map[int]numbered{}, learn: a.learn}
	for range max(1, a.options.Workers) {
		s, err := newSession(a.options)
		if err != nil {
			return nil, err
		}
		a.sessions = append(a.sessions, s)
		f.group.Go(func() { f.work(s) })
	}
	return f, nil
}

func (f *referee) work(s *session) {
	defer func() {
		if r := recover(); r != nil {
			f.mu.Lock()
			f.failed = r
			f.mu.Unlock()
			for range f.tasks { // so that nobody waits
			}
		}
	}()
	for t := range f.tasks {
		*s.starts = t.starts
		t.found = s.compare(t.task)
		f.tell(t)
	}
}

// tell tells of the decision when those before it are told of.
func (f *referee) tell(t numbered) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.judged[t.number] = t
	for next, there := f.judged[f.told]; there; next, there = f.judged[f.told] {
		delete(f.judged, f.told)
		f.told++
		f.learn(next.found)
		next.into.Findings, next.into.Class = next.found.Findings, next.found.Class
	}
}

func (s *session) compare(t task) *answered {
	asked, findings := s.Compare(t.question, t.decision)
	return (&answered{}).judge(asked, findings)
}

// add has a decision compared. When the context ends it is left out.
func (f *referee) add(ctx context.Context, t task, into *Answer) {
	select {
	case f.tasks <- numbered{task: t, number: f.added, into: into}:
		f.added++
	case <-ctx.Done():
	}
}

// finish waits for what is under way, unless the context ends: then nothing more is told.
func (f *referee) finish(ctx context.Context) {
	close(f.tasks)
	patience.Do(ctx, f.group.Wait)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.learn = func(*answered) {}
	if f.failed != nil {
		panic(f.failed)
	}
}
