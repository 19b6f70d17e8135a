package stepped

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production/frameworkapi"
)

// RunPreFilterPlugins implements framework.Framework. The cycle has taken its snapshot, and asks the first plugins.
func (c *controlled) RunPreFilterPlugins(ctx context.Context, state frameworkapi.CycleState,
	pod *v1.Pod) (*frameworkapi.PreFilterResult, *frameworkapi.Status, sets.Set[string]) {
	c.measureOther(state)
	c.reached(false)
	return c.Framework.RunPreFilterPlugins(ctx, state, pod)
}

// measureOther has every other cycle be measured, in which plugins are called in another place: production draws lots.
func (c *cycles) measureOther(state frameworkapi.CycleState) {
	if measures, ok := state.(interface{ SetRecordPluginMetrics(on bool) }); ok {
		measures.SetRecordPluginMetrics(c.measured)
		c.measured = !c.measured
	}
}

// RunReservePluginsReserve implements framework.Framework. The node is chosen, and the pod assumed to be on it.
func (c *controlled) RunReservePluginsReserve(ctx context.Context, state fwk.CycleState, pod *v1.Pod,
	node string) *fwk.Status {
	c.reached(true)
	return c.Framework.RunReservePluginsReserve(ctx, state, pod, node)
}

// interruption is what is to happen in a cycle: before it asks a plugin or, if filtered, before it reserves or
// preempts.
type interruption struct {
	happen   func()
	filtered bool
}

// reached lets happen what is to happen at this point of the cycle, and has not yet.
func (c *cycles) reached(filtered bool) {
	if is := c.meanwhile; is != nil && is.filtered == filtered {
		c.meanwhile = nil
		is.happen()
	}
}

// interrupt has happen in the next cycle what is to come meanwhile, if anything is. What it returns is to be called
// after the cycle, and says what went wrong with that.
func (s *Scheduler) interrupt(a loop.Action) func() error {
	var err error
	if a.Meanwhile != nil {
		s.cycles.meanwhile = &interruption{func() { err = s.happen(*a.Meanwhile) }, a.Filtered}
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
