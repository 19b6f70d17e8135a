package decisions

import (
	"time"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// hosted does work in which the decider is asked, where it wants that done if it is a checker.Host.
func hosted(decider Decider, work func()) {
	if host, is := decider.(checker.Host); is {
		host.Run(work)
	} else {
		work()
	}
}

// Timed is a decider that knows how long it was at work on all questions so far, without what it takes to hand a
// question over and to take the decision; a decider need not be one.
type Timed interface {
	Spent() time.Duration
}

// timed takes a decision, and returns the time that took the decider. Of one that is not Timed it is the time until
// the decision is there.
func timed(decider Decider, q spec.Question) (*spec.Decision, time.Duration) {
	work, knows := decider.(Timed)
	if !knows {
		began := time.Now()
		decision := decider.Decide(q)
		return decision, time.Since(began)
	}
	before := work.Spent()
	decision := decider.Decide(q)
	return decision, work.Spent() - before
}
