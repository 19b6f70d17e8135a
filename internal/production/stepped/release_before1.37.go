//go:build before1.37

package stepped

import (
	"context"
	"slices"
	"strings"
	"unsafe"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	internalqueue "k8s.io/kubernetes/pkg/scheduler/backend/queue"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/utils/clock"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
)

// What is stepped in another way in later releases.

// miscounted returns no claims: each cycle counts who uses them.
func (s *Scheduler) miscounted(map[string]*framework.NodeInfo) []loop.ClaimCount { return nil }

// watchPops notes which pod is taken off the queue.
func (s *Scheduler) watchPops() {
	pop := s.sched.NextPod
	s.sched.NextPod = func(logger klog.Logger) (*framework.QueuedPodInfo, error) {
		info, err := pop(logger)
		if err == nil && info != nil {
			s.popped = info.Pod
			s.hints.taken(info.Pod)
		}
		return info, err
	}
}

// releaseAbsent are kinds that the scheduler asks for in some releases only, of which there are never any.
func releaseAbsent() []runtime.Object { return nil }

// queuedPod returns what the queue knows of the pod.
func queuedPod(queue internalqueue.SchedulingQueue, pod *v1.Pod) (*framework.QueuedPodInfo, bool) {
	return queue.GetPod(pod.Name, pod.Namespace)
}

// wrongBackoff is empty: how long pods back off is not looked at in these releases.
func wrongBackoff(clock.WithTicker) string { return "" }

// AddUnschedulableIfNotPresent implements internalqueue.SchedulingQueue.
func (q *hintedQueue) AddUnschedulableIfNotPresent(logger klog.Logger, info *framework.QueuedPodInfo,
	cycle int64) error {
	return q.takeBack(logger, info, func() error {
		return q.SchedulingQueue.AddUnschedulableIfNotPresent(logger, info, cycle)
	})
}

// signature is empty: which pods are taken for equal is not looked at in these releases.
func signature(*framework.QueuedPodInfo) string { return "" }

//
//go:linkname flushUnschedulable k8s.io/kubernetes/pkg/scheduler/backend/queue.(*PriorityQueue).flushUnschedulablePodsLeftover
func flushUnschedulable(queue unsafe.Pointer, logger klog.Logger)

// ownChanges are the events that the hints are asked about when a pod that waits has changed.
func ownChanges(before, after *v1.Pod) []fwk.ClusterEvent {
	return framework.PodSchedulingPropertiesChange(after, before)
}

// registered returns the hints of a plugin, as the scheduler registers them.
func registered(plugin string, events []fwk.ClusterEventWithHint) []registration {
	var all []registration
	newNodes, taints := false, false
	for _, e := range events {
		all = append(all, registration{plugin: plugin, event: e.Event, ask: e.QueueingHintFn})
		if e.Event.Resource == fwk.Node {
			newNodes = newNodes || e.Event.ActionType&fwk.Add != 0
			taints = taints || e.Event.ActionType&fwk.UpdateNodeTaint != 0
		}
	}
	if newNodes && !taints { // the scheduler adds this one, https://github.com/kubernetes/kubernetes/issues/109437
		event := fwk.ClusterEvent{Resource: fwk.Node, ActionType: fwk.UpdateNodeTaint}
		all = append(all, registration{plugin: plugin, event: event})
	}
	return all
}

// AssignedPodAdded implements internalqueue.SchedulingQueue.
func (q *hintedQueue) AssignedPodAdded(logger klog.Logger, pod *v1.Pod) {
	roused := q.note(logger, framework.EventAssignedPodAdd, nil, pod, everybody)
	q.SchedulingQueue.AssignedPodAdded(logger, pod)
	q.heed(roused)
}

// AssignedPodUpdated implements internalqueue.SchedulingQueue.
func (q *hintedQueue) AssignedPodUpdated(logger klog.Logger, before, after *v1.Pod, event fwk.ClusterEvent) {
	roused := q.note(logger, event, before, after, everybody)
	q.SchedulingQueue.AssignedPodUpdated(logger, before, after, event)
	q.heed(roused)
}

func everybody(*v1.Pod) bool { return true }

// SelectVictimsOnNode implements preemption.Interface. Among pods of equal importance production goes by the order
// in which the cache has them, which comes of all that ever was on the node; here the first by name is spared
// first.
func (e *evictions) SelectVictimsOnNode(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo,
	budgets []*policyv1.PodDisruptionBudget) ([]*v1.Pod, int, *fwk.Status) {
	slices.SortFunc(
		node.GetPods(),
		func(x, y fwk.PodInfo) int { return strings.Compare(loop.Key(x.GetPod()), loop.Key(y.GetPod())) },
	)
	victims, violations, status := e.Interface.SelectVictimsOnNode(ctx, state, pod, node, budgets)
	e.victims[node.Node().Name] = victims
	return victims, violations, status
}

// byStart has the plugin compare pods by when they started, as started says.
func byStart(plugin *defaultpreemption.DefaultPreemption) {
	moreImportant := plugin.MoreImportantPod
	plugin.MoreImportantPod = func(x, y *v1.Pod) bool { return moreImportant(started(x, 0), started(y, 0)) }
}
