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
	// answers are where what the referee says of a decision is put, by the task's number.
	answers []*Answer

	mu     sync.Mutex
	judged map[int]*answered
	failed any
}

// task is a decision to compare, taken with such starts.
type task struct {
	question spec.Question
	decision *spec.Decision
	starts   production.Starts
}

type numbered struct {
	task
	number int
}

// newReferee starts a referee with sessions of its own.
func newReferee(a *auditor) (*referee, error) {
	f := &referee{tasks: make(chan numbered, len(a.sessions)), judged: map[int]*answered{}}
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
		answer := s.compare(t.task)
		f.mu.Lock()
		f.judged[t.number] = answer
		f.mu.Unlock()
	}
}

func (s *session) compare(t task) *answered {
	asked, findings := s.Compare(t.question, t.decision)
	answer := answerTo(t.decision, t.question.Snapshot).judge(asked, findings)
	answer.reasonOf = nil // the run has it
	return answer
}

// add has a decision compared. When the context ends it is left out.
func (f *referee) add(ctx context.Context, t task, into *Answer) {
	select {
	case f.tasks <- numbered{t, f.added}:
		f.added, f.answers = f.added+1, append(f.answers, into)
	case <-ctx.Done():
	}
}

// finish waits for what is under way, and returns what came of the decisions, in their order, up to the first that is
// not compared because the context ended.
func (f *referee) finish(ctx context.Context) []*answered {
	close(f.tasks)
	patience.Do(ctx, f.group.Wait)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.failed != nil {
		panic(f.failed)
	}
	var all []*answered
	for i := range f.added {
		if f.judged[i] == nil {
			break
		}
		all = append(all, f.judged[i])
	}
	return all
}
