//go:build !before1.36

package stepped

import (
	"context"
	"reflect"
	"time"
	"unsafe"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production/frameworkapi"
)

// What is stepped in another way before v1.36.

// eventRecorder is what the scheduler records events with.
type eventRecorder = events.EventRecorderLogger

// RunPermitPlugins implements framework.Framework.
func (c *controlled) RunPermitPlugins(ctx context.Context, state fwk.CycleState, pod *v1.Pod,
	node string) (map[string]time.Duration, *fwk.Status) {
	timeouts, status := c.Framework.RunPermitPlugins(ctx, state, pod, node)
	c.permitted(pod, status)
	return timeouts, status
}

// GetNodeHint implements framework.Framework.
func (c *controlled) GetNodeHint(ctx context.Context, pod *v1.Pod, signature fwk.PodSignature, state fwk.CycleState,
	cycle int64) string {
	c.batch.beforeHint()
	defer c.batch.afterHint()
	hint := c.Framework.GetNodeHint(ctx, pod, signature, state, cycle)
	c.looks.hinted(hint)
	return hint
}

// PreBindPreFlight implements fwk.PreBindPlugin.
func (f *faults) PreBindPreFlight(context.Context, fwk.CycleState, *v1.Pod,
	string) (*fwk.PreBindPreFlightResult, *fwk.Status) {
	return nil, f.preFlight()
}

// Update implements internalqueue.SchedulingQueue.
func (q *hintedQueue) Update(ctx context.Context, before, after *v1.Pod) {
	roused := q.noteUpdate(klog.FromContext(ctx), before, after)
	q.SchedulingQueue.Update(ctx, before, after)
	q.heed(roused)
}

// blocks reports whether the pod is kept out of the queue, as its victims are being evicted.
func (e *evictions) blocks(pod types.UID) bool {
	return e.plugin.Executor.IsPodRunningPreemption(pod)
}

// evictionHandle returns where the handle is of what evicts.
func evictionHandle(plugin *defaultpreemption.DefaultPreemption) *frameworkapi.Handle {
	field := reflect.ValueOf(plugin.Executor).Elem().FieldByName("fh")
	return (*frameworkapi.Handle)(unsafe.Pointer(field.UnsafeAddr()))
}

// pendingAllocation returns the allocation that a pod whose binding is under way is to write to the claim; nil if there
// is none.
func pendingAllocation(claims fwk.ResourceClaimTracker, claim types.UID) *resourcev1.AllocationResult {
	return claims.GetPendingAllocation(claim)
}

// HasSyncedChecker implements cache.ResourceEventHandlerRegistration.
func (h handled) HasSyncedChecker() cache.DoneChecker { return h }

// Name implements cache.DoneChecker.
func (handled) Name() string { return "stepped" }

// Done implements cache.DoneChecker.
func (handled) Done() <-chan struct{} {
	done := make(chan struct{})
	close(done)
	return done
}

// began returns nothing: a cycle that fails goes by the pod as the informer has it.
func (s *Scheduler) began() []loop.Beginning { return nil }

// classes returns the device classes that the scheduler has for extended resources; nil if the feature is off.
func (s *Scheduler) classes() loop.Classes {
	if !feature.DefaultFeatureGate.Enabled(features.DRAExtendedResource) {
		return nil
	}
	resolver, classes := s.shared().SharedDRAManager().DeviceClassResolver(), loop.Classes{}
	for name := range s.api.resources {
		if class := resolver.GetDeviceClass(name); class != nil {
			classes[name] = class
		}
	}
	return classes
}
