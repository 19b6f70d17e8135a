package production

import (
	"context"
	"errors"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// Alone answers single questions, outside any run: what would kube-scheduler decide, if this were all there is? It
// is for loop.Subject. Any number of goroutines may ask.
type Alone struct{ idle chan *Profiles }

// NewAlone builds as many schedulers, with all profiles of the configuration, as questions are to be answered at the
// same time, at least 1.
func NewAlone(ctx context.Context, cfg *Config, atOnce int) (*Alone, error) {
	a := &Alone{idle: make(chan *Profiles, max(1, atOnce))}
	for range cap(a.idle) {
		s, err := NewProfiles(ctx, cfg, cfg.Profiles()[0], Options{})
		if err != nil {
			return nil, errors.Join(err, a.Close())
		}
		a.idle <- s
	}
	return a, nil
}

// Decide returns the decision. It waits until a scheduler is idle.
func (a *Alone) Decide(q spec.Question) *spec.Decision {
	s := <-a.idle
	defer func() { a.idle <- s }()
	return s.Decide(q)
}

// Close ends the schedulers that are idle; there must be no question under way.
func (a *Alone) Close() error {
	var err error
	for len(a.idle) > 0 {
		err = errors.Join(err, (<-a.idle).Close())
	}
	return err
}
