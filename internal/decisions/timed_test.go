package decisions

import (
	"testing"
	"time"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// slow takes a millisecond to answer, and says that it was at work for an hour.
type slow struct{ spent time.Duration }

func (s *slow) Decide(spec.Question) *spec.Decision {
	time.Sleep(time.Millisecond)
	s.spent += time.Hour
	return &spec.Decision{}
}

func (s *slow) Close() error         { return nil }
func (s *slow) Spent() time.Duration { return s.spent }

// untold is a decider that does not tell its time.
type untold struct{ Decider }

// TestTimed: the time inside a decider is what it says of itself, and else what passes until there is an answer.
func TestTimed(t *testing.T) {
	decider := &slow{spent: time.Hour}
	if _, spent := timed(decider, spec.Question{}); spent != time.Hour {
		t.Errorf("the decider was at work for an hour more, and %v are counted", spent)
	}
	if _, spent := timed(untold{decider}, spec.Question{}); spent < time.Millisecond || spent >= time.Hour {
		t.Errorf("the answer took a millisecond, and %v are counted", spent)
	}
}
