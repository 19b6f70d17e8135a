package stepped

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/klog/v2"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production/frameworkapi"
)

// evicting is a preemption whose victims are evicted by a goroutine of their own. It is held back before it begins, and
// before and after each eviction.
type evicting struct {
	evictions *evictions
	preemptor *v1.Pod
	node      string
	// victims are the pods that are still to be evicted, as the cycle saw them; only those that do not terminate, where
	// production passes over the others.
	victims []*v1.Pod
	stage   loop.EvictionStage
	// arrived receives when the goroutine is held back, which goes on when it receives from proceed. activated receives
	// when the preemptor is put where it will be tried again, with which the goroutine ends, if it does.
	arrived, proceed, activated chan struct{}
	// ended is closed when the goroutine is at its end, but for activated: the context of the evictions is cancelled then.
	ended <-chan struct{}
	// activates: production activates the preemptor in the end. missing and found are how many victims were not there, and
	// were.
	activates      bool
	missing, found int
	// inMemory: the last eviction was no deletion.
	inMemory bool
	// again: an earlier preemption of the pod was under way when this one began.
	again bool
	// refused: the API server is to refuse the next call.
	refused bool
}

// heldBack is the handle of the executor of evictions.
type heldBack struct {
	frameworkapi.Handle
	evictions *evictions
}

// NominatedPodsForNode implements frameworkapi.Handle. It is the first thing that the goroutine does.
func (h heldBack) NominatedPodsForNode(node string) []frameworkapi.PodInfo {
	if len(h.evictions.evictedOn(node)) == 0 {
		return h.Handle.NominatedPodsForNode(node) // its end is not waited for
	}
	p := &evicting{
		evictions: h.evictions, node: node, arrived: make(chan struct{}), proceed: make(chan struct{}),
		activated: make(chan struct{}),
	}
	h.evictions.starting <- p
	if <-p.proceed; h.evictions.over {
		return nil
	}
	return h.Handle.NominatedPodsForNode(node)
}

// Activate implements frameworkapi.Handle. It is the last thing that the goroutine does, if it does it.
func (h heldBack) Activate(logger klog.Logger, pods map[string]*v1.Pod) {
	if h.evictions.over {
		return
	}
	h.Handle.Activate(logger, pods)
	h.evictions.current.activated <- struct{}{}
}

// evictedOn returns the victims of the node that the goroutine evicts.
func (e *evictions) evictedOn(node string) []*v1.Pod {
	return slices.DeleteFunc(slices.Clone(e.victims[node]),
		func(victim *v1.Pod) bool { return victim.DeletionTimestamp != nil && !evictsTerminating() })
}

// begun notes that the pod preempts on the node, once the goroutine that evicts for it has begun.
func (e *evictions) begun(preemptor *v1.Pod, node string) *evicting {
	victims := e.evictedOn(node)
	if len(victims) == 0 {
		return nil
	}
	p := <-e.starting
	p.preemptor, p.victims = preemptor, victims
	p.again = slices.ContainsFunc(e.underWay,
		func(earlier *evicting) bool { return earlier.preemptor.UID == preemptor.UID })
	e.underWay = append(e.underWay, p)
	return p
}

// evict evicts the victim, or lets the API server refuse that. It returns once the goroutine may know.
func (p *evicting) evict(ctx context.Context, victim *v1.Pod, evict func(context.Context) (bool, error)) error {
	p.ended = ctx.Done()
	p.activates = p.activates || p.evictions.api.takePatchFailed()
	if p.holdBack(loop.Calls); p.evictions.over {
		return nil
	}
	var err error
	var inMemory bool
	if p.evictions.api.refuseEviction, err = p.refused, ctx.Err(); err == nil {
		inMemory, err = evict(ctx)
	}
	p.evictions.api.refuseEviction, p.refused = false, false
	p.inMemory = err == nil && p.evictions.api.spared(victim)
	last := len(p.victims) == 1
	p.victims = slices.DeleteFunc(p.victims, func(other *v1.Pod) bool { return other.UID == victim.UID })
	if apierrors.IsNotFound(err) {
		p.missing++
	} else {
		p.found++
	}
	p.activates = p.activates || activates(err, p, last, inMemory)
	p.holdBack(loop.Returns)
	return err
}

// spared reports whether the pod is still there, and does not terminate.
func (a *api) spared(pod *v1.Pod) bool {
	is, _ := a.objects[loop.RefOf(pod)].(*v1.Pod)
	return is != nil && is.UID == pod.UID && is.DeletionTimestamp == nil
}

// holdBack holds the goroutine back.
func (p *evicting) holdBack(stage loop.EvictionStage) {
	p.stage = stage
	p.arrived <- struct{}{}
	<-p.proceed
}

// goOn lets the goroutine go on to where it is held back next; it reports whether it is at its end.
func (e *evictions) goOn(p *evicting, refused bool) bool {
	e.current, p.refused = p, refused
	defer func() { e.current = nil }()
	e.api.takePatchFailed()
	p.proceed <- struct{}{}
	for {
		select {
		case <-p.arrived:
			return false
		case <-p.activated:
		case <-p.ended:
			if p.activates { // it is cancelled with the first failure
				p.ended = nil
				continue
			}
		}
		e.underWay = slices.DeleteFunc(e.underWay, func(other *evicting) bool { return other == p })
		return true
	}
}

// takeStep takes the next step of the preemption by the pod, the oldest if there are several.
func (s *Scheduler) takeStep(a loop.Action) error {
	for _, p := range s.evicting() {
		if loop.Key(p.preemptor) == a.Ref.Key() {
			p.evictions.goOn(p, a.Fault == loop.FailEvict)
			return nil
		}
	}
	return fmt.Errorf("no evictions for the pod are under way")
}

// evicting returns the preemptions that are under way: those of each profile in the order in which they began.
func (s *Scheduler) evicting() []*evicting {
	var all []*evicting
	for _, f := range s.frameworks {
		if f.evictions != nil {
			all = append(all, f.evictions.underWay...)
		}
	}
	return all
}

// end lets go of the goroutines, which have no effect any more.
func (e *evictions) end() {
	e.over = true
	for _, p := range e.underWay {
		close(p.proceed)
	}
	e.underWay = nil
}

// underWay returns the preemptions whose evictions are under way.
func (s *Scheduler) underWay() []loop.Eviction {
	underWay := s.evicting()
	if len(underWay) == 0 {
		return nil
	}
	var all []loop.Eviction
	told := s.told()
	for _, p := range underWay {
		preemptor, _ := told[loop.RefOf(p.preemptor)].(*v1.Pod)
		one := loop.Eviction{
			Preemptor: loop.Key(p.preemptor), Node: p.node, Stage: p.stage, Blocks: p.evictions.blocks(p.preemptor.UID),
			Fails: p.activates, InMemory: p.inMemory, Again: p.again, Same: preemptor != nil && preemptor.UID == p.preemptor.UID,
		}
		for _, victim := range p.victims {
			v := loop.Victim{Pod: loop.Key(victim), Told: slices.ContainsFunc(victim.Status.Conditions,
				func(c v1.PodCondition) bool { return c.Type == v1.DisruptionTarget })}
			switch is, _ := s.api.objects[loop.RefOf(victim)].(*v1.Pod); {
			case is == nil:
				v.Is = loop.NoMore
			case is.UID != victim.UID:
				v.Is = loop.Replaced
			case is.DeletionTimestamp != nil:
				v.Is = loop.Terminating
			}
			one.Victims = append(one.Victims, v)
		}
		all = append(all, one)
	}
	slices.SortStableFunc(all, func(x, y loop.Eviction) int { return cmp.Compare(x.Preemptor, y.Preemptor) })
	return all
}
