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
	podutil "k8s.io/kubernetes/pkg/api/v1/pod"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production/frameworkapi"
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
	roused := q.noteUpdate(logger, before, after)
	q.SchedulingQueue.Update(logger, before, after)
	q.heed(roused)
}

// aroundEviction has around called for every eviction, with what evicts.
func (e *evictions) aroundEviction(around aroundEviction) {
	preempt := e.plugin.Evaluator.PreemptPod
	e.plugin.Evaluator.PreemptPod = func(ctx context.Context, c preemption.Candidate, preemptor, victim *v1.Pod,
		pluginName string) error {
		return around(ctx, victim, func(ctx context.Context) (bool, error) {
			return false, preempt(ctx, c, preemptor, victim, pluginName)
		})
	}
}

// pendingAllocation returns the allocation that a pod whose binding is under way is to write to the claim; nil if there
// is none. The tracker of claims keeps the claim as it is to be, and tells nobody.
func pendingAllocation(claims any, claim types.UID) *resourcev1.AllocationResult {
	field := reflect.ValueOf(claims).Elem().FieldByName("inFlightAllocations")
	pending := *(**sync.Map)(unsafe.Pointer(field.UnsafeAddr()))
	if allocated, ok := pending.Load(claim); ok {
		return allocated.(*resourcev1.ResourceClaim).Status.Allocation
	}
	return nil
}

// began returns what is known of the status of pods that fail. In these releases a binding cycle that fails goes by the
// pod as it was when the cycle began: it takes a nomination away only if the pod had it then, and where the condition
// tells of the same failure already, nothing is written, of which the queue would hear if it heard of conditions alone,
// see notice.
func (s *Scheduler) began() []loop.Beginning {
	var began []loop.Beginning
	for _, pod := range of[*v1.Pod](s.told()) {
		known := pod
		if b := s.cycles.binding(pod.UID); b != nil {
			known = b.pod
		}
		b := loop.Beginning{
			Pod:       loop.Key(pod),
			Otherwise: known.Status.NominatedNodeName != pod.Status.NominatedNodeName,
			Nominated: known.Status.NominatedNodeName,
		}
		if _, told := podutil.GetPodCondition(&known.Status, v1.PodScheduled); told != nil && !s.late {
			b.Told = told.Reason + ": " + told.Message
		}
		if pod.Spec.NodeName == "" && (b.Otherwise || b.Told != "") {
			began = append(began, b)
		}
	}
	return began
}

// blocks reports whether the pod is kept out of the queue, as its victims are being evicted.
func (e *evictions) blocks(pod types.UID) bool {
	return e.plugin.Evaluator.IsPodRunningPreemption(pod)
}

// evictionHandle returns where the handle is of what evicts.
func evictionHandle(plugin *defaultpreemption.DefaultPreemption) *frameworkapi.Handle {
	return &plugin.Evaluator.Handler
}

// classes returns nothing: no device class stands for an extended resource.
func (s *Scheduler) classes() loop.Classes { return nil }
