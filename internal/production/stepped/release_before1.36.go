//go:build before1.36

package stepped

import (
	"context"
	"reflect"
	"sync"
	"unsafe"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
)

// What is stepped in another way from v1.36 on.

// eventRecorder is what the scheduler records events with.
type eventRecorder = events.EventRecorder

// RunPermitPlugins implements framework.Framework.
func (c *controlled) RunPermitPlugins(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node string) *fwk.Status {
	status := c.Framework.RunPermitPlugins(ctx, state, pod, node)
	c.permitted(pod, status)
	return status
}

// PreBindPreFlight implements fwk.PreBindPlugin.
func (f *faults) PreBindPreFlight(context.Context, fwk.CycleState, *v1.Pod, string) *fwk.Status {
	return f.preFlight()
}

// Update implements internalqueue.SchedulingQueue.
func (q *hintedQueue) Update(logger klog.Logger, before, after *v1.Pod) {
	q.noteUpdate(logger, before, after)
	q.SchedulingQueue.Update(logger, before, after)
}

// underWay reports whether the pod has preempted, and its victims are being evicted.
func (e *evictions) underWay(preemptor types.UID) bool {
	return e.plugin.Evaluator.IsPodRunningPreemption(preemptor)
}

// aroundEviction has around called for every eviction, with what evicts.
func (e *evictions) aroundEviction(around func(context.Context, *v1.Pod, func(context.Context) error) error) {
	preempt := e.plugin.Evaluator.PreemptPod
	e.plugin.Evaluator.PreemptPod = func(ctx context.Context, c preemption.Candidate, preemptor, victim *v1.Pod,
		pluginName string) error {
		return around(ctx, victim, func(ctx context.Context) error { return preempt(ctx, c, preemptor, victim, pluginName) })
	}
}

// pendingAllocation returns the allocation that a pod whose binding is under way is to write to the claim; nil if there
// is none. The tracker of claims keeps the claim as it is to be, and tells nobody.
func pendingAllocation(claims fwk.ResourceClaimTracker, claim types.UID) *resourcev1.AllocationResult {
	field := reflect.ValueOf(claims).Elem().FieldByName("inFlightAllocations")
	pending := *(**sync.Map)(unsafe.Pointer(field.UnsafeAddr()))
	if allocated, ok := pending.Load(claim); ok {
		return allocated.(*resourcev1.ResourceClaim).Status.Allocation
	}
	return nil
}
