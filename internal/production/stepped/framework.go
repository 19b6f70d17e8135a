package stepped

import (
	"cmp"
	"context"
	"slices"
	"sync"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production/frameworkapi"
)

// controlled stands between the scheduler and the framework of a profile. It passes everything on. On the way it
// keeps account of the binding cycles, and takes away what only chance and the wall clock decide.
type controlled struct {
	framework.Framework
	*cycles
	perRelease

	// evictions are those of the pods of the profile; nil if it has nothing that preempts.
	evictions *evictions
	// volumes are those that its pods are given; nil if it gives none.
	volumes *volumes
}

// cycles is the account of what goes on in the cycles of all profiles. Binding cycles run on goroutines of their own.
type cycles struct {
	// preempts is the node where the pod of the cycle preempts; "" if it does not.
	preempts string
	// begin is held until a binding cycle that has begun may go on.
	begin sync.RWMutex
	// preBinding is the binding cycle that runs and is at pre-bind; nil if none is, or it waits.
	preBinding *binding
	// looks are those of searches; nil if nobody asks for them.
	looks *looks
	// meanwhile is what is still to happen in the cycle; nil if nothing is.
	meanwhile *interruption
	// armed is what is to go wrong now.
	armed func() loop.Fault
	// taken returns the claims that are taken for reserved for the pod, as State.TakenForReserved has them.
	taken func(*v1.Pod) []loop.Uses
	// measured: the next cycle is, for metrics.
	measured bool

	mu       sync.Mutex
	bindings map[types.UID]*binding
	// panics are those that were caught in binding cycles.
	panics []string
}

// binding is one binding cycle.
type binding struct {
	pod *v1.Pod
	// state is that of the cycle, once it is at pre-bind.
	state fwk.CycleState
	// ended is closed when the goroutine of the cycle is over: production cancels the context of the cycle as the
	// very last thing.
	ended chan struct{}
	watch sync.Once
	// paused receives when the goroutine is about to wait, on permit or for volumes; once decided is set it will go
	// on, as soon as it receives from proceed.
	paused, proceed chan struct{}
	decided         bool
	// bound tells, while the pod waits for its volumes, whether they are bound; err is why they will not be.
	bound func() (bool, error)
	err   error
	// ready tells, while the pod waits for devices, whether these are ready to be bound, or failed.
	ready func() bool
	// binds: the binding is under way.
	binds bool
	// fresh: the cycle has begun, and nobody has waited for it.
	fresh bool
	// fault is what is still to go wrong.
	fault loop.Fault
	// outlived: the pod was deleted while it was being tried.
	outlived bool
	// since are the actions of which the queue remembers events for the pod, events how many these are.
	since  []string
	events int
	// taken are the claims that were taken for reserved for the pod as the cycle began.
	taken []loop.Uses
}

// permitted notes what the permit plugins said: if they let the pod go on, or wait, a binding cycle begins for certain.
func (c *cycles) permitted(pod *v1.Pod, status *fwk.Status) {
	if !status.IsSuccess() && !status.IsWait() {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bindings[pod.UID] = &binding{
		pod:     pod,
		fresh:   true,
		taken:   c.taken(pod),
		ended:   make(chan struct{}),
		paused:  make(chan struct{}),
		proceed: make(chan struct{}),
	}
}

// RunPreBindPreFlights implements framework.Framework. With the feature gate NominatedNodeNameForExpectation every
// binding cycle comes here first, with the context of the cycle.
func (c *controlled) RunPreBindPreFlights(ctx context.Context, state fwk.CycleState, pod *v1.Pod,
	node string) (status *fwk.Status) {
	c.watch(ctx, pod)
	defer c.note(&status)
	return c.Framework.RunPreBindPreFlights(ctx, state, pod, node)
}

// WaitOnPermit implements framework.Framework. Without the feature gate every binding cycle comes here first.
func (c *controlled) WaitOnPermit(ctx context.Context, pod *v1.Pod) *fwk.Status {
	b := c.watch(ctx, pod)
	if !c.WillWaitOnPermit(ctx, pod) {
		return c.Framework.WaitOnPermit(ctx, pod)
	}
	b.paused <- struct{}{}
	status := c.Framework.WaitOnPermit(ctx, pod)
	<-b.proceed
	return status
}

// pause has the binding cycle, which is at pre-bind, wait until it is decided.
func (c *cycles) pause(b *binding) {
	c.preBinding = nil
	b.paused <- struct{}{}
	<-b.proceed
	c.preBinding = b
}

// watch sees to it that the end of the pod's binding cycle is noticed.
func (c *cycles) watch(ctx context.Context, pod *v1.Pod) *binding {
	c.begin.RLock()
	defer c.begin.RUnlock()
	b := c.binding(pod.UID)
	b.watch.Do(func() { context.AfterFunc(ctx, func() { close(b.ended) }) })
	return b
}

// RejectWaitingPod implements fwk.Handle. The event handlers call it when an assumed pod is deleted.
func (c *controlled) RejectWaitingPod(uid types.UID) bool {
	rejected := c.Framework.RejectWaitingPod(uid)
	if rejected {
		c.decide(uid)
	}
	return rejected
}

// preempted notes that the pod is evicted, with which its wait is over, but for that of a binding that is under way,
// and of a pre-bind plugin that does not heed it.
func (c *cycles) preempted(uid types.UID, spared bool) {
	switch b := c.binding(uid); {
	case b == nil:
	case !b.binds:
		c.decide(uid)
	case spared && b.fault == loop.SlowPreBind:
		b.fault = loop.Cancelled
	}
}

func (c *cycles) binding(uid types.UID) *binding {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bindings[uid]
}

// decide notes that the wait of the pod is over, if it waits.
func (c *cycles) decide(uid types.UID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if b := c.bindings[uid]; b != nil {
		b.decided = true
	}
}

// begun returns when the binding cycle of the pod, if one has just begun, is over or waits, and that if it waits; else
// nil. Before v1.36 a pod may be taken anew, and passed over, while its binding is under way.
func (c *cycles) begun(uid types.UID) *binding {
	b := c.binding(uid)
	if b == nil || !b.fresh {
		return nil
	}
	c.wait(b)
	return c.binding(uid)
}

// wait returns when the binding cycle is over or waits.
func (c *cycles) wait(b *binding) {
	b.fresh = false
	select {
	case <-b.paused:
	case <-b.ended:
		c.forget(b.pod.UID)
	}
}

// finish lets one binding cycle that is decided go on, to its end or to where it waits again, after it has called
// before; false if there is none.
func (c *cycles) finish(before func(*binding)) bool {
	for _, b := range c.all() {
		if b.decided {
			before(b)
			b.decided = false
			b.proceed <- struct{}{}
			c.wait(b)
			return true
		}
	}
	return false
}

// all returns the binding cycles that there are, by the pods' uids.
func (c *cycles) all() []*binding {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []*binding
	for _, b := range c.bindings {
		all = append(all, b)
	}
	slices.SortFunc(all, func(x, y *binding) int { return cmp.Compare(x.pod.UID, y.pod.UID) })
	return all
}

func (c *cycles) forget(uid types.UID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.bindings, uid)
}

// places returns the place of each of the scored nodes by name, from the end: that of the first by name is the highest.
func places(scores []frameworkapi.NodePluginScores) []int {
	names := make([]string, len(scores))
	for i := range scores {
		names[i] = scores[i].Name
	}
	slices.Sort(names)
	places := make([]int, len(scores))
	for i := range scores {
		places[i] = len(names) - slices.Index(names, scores[i].Name)
	}
	return places
}
