package stepped

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production/frameworkapi"
)

// RunPreFilterPlugins implements framework.Framework. The cycle has taken its snapshot, and asks the first plugins.
func (c *controlled) RunPreFilterPlugins(ctx context.Context, state frameworkapi.CycleState,
	pod *v1.Pod) (*frameworkapi.PreFilterResult, *frameworkapi.Status, sets.Set[string]) {
	if happen := c.meanwhile; happen != nil {
		c.meanwhile = nil
		happen()
	}
	return c.Framework.RunPreFilterPlugins(ctx, state, pod)
}

// interrupt has the event happen in the next cycle; nil: nothing. What it returns is to be called after the cycle, and
// says what went wrong with that.
func (s *Scheduler) interrupt(event *loop.Action) func() error {
	var err error
	if event != nil {
		s.cycles.meanwhile = func() { err = s.happen(*event) }
	}
	return func() error {
		s.cycles.meanwhile = nil
		return err
	}
}

// happen lets the event happen, and all that follows from it. The cycle goes on then.
func (s *Scheduler) happen(event loop.Action) error {
	s.clock.Step(tick)
	if err := s.act(event); err != nil {
		return err
	}
	if err := s.settle(event); err != nil {
		return err
	}
	s.clock.Step(tick) // who comes back from the cycle does so after those who came back from their bindings
	s.between = s.State()
	return nil
}

// deleted reports whether the scheduler was told that the pod is deleted.
func (s *Scheduler) deleted(pod *v1.Pod) bool {
	is, there := s.told()[loop.RefOf(pod)].(*v1.Pod)
	return !there || is.UID != pod.UID || is.DeletionTimestamp != nil
}
