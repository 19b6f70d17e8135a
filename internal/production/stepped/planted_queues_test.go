package stepped_test

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	internalqueue "k8s.io/kubernetes/pkg/scheduler/backend/queue"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// Bugs of the scheduling queue that tests plant.

// deafQueue does not hear of events of one resource.
type deafQueue struct {
	internalqueue.SchedulingQueue
	resource fwk.EventResource
}

func (q deafQueue) MoveAllToActiveOrBackoffQueue(logger klog.Logger, event fwk.ClusterEvent, oldObj, newObj any,
	check internalqueue.PreEnqueueCheck) {
	if event.Resource != q.resource {
		q.SchedulingQueue.MoveAllToActiveOrBackoffQueue(logger, event, oldObj, newObj, check)
	}
}

// unresizedQueue does not hear that pods shrink.
type unresizedQueue struct{ internalqueue.SchedulingQueue }

func (q unresizedQueue) MoveAllToActiveOrBackoffQueue(logger klog.Logger, event fwk.ClusterEvent, oldObj, newObj any,
	check internalqueue.PreEnqueueCheck) {
	if event.ActionType&fwk.UpdatePodScaleDown == 0 {
		q.SchedulingQueue.MoveAllToActiveOrBackoffQueue(logger, event, oldObj, newObj, check)
	}
}

// distractedQueue does not hear of what happens while a pod is being tried.
type distractedQueue struct{ internalqueue.SchedulingQueue }

func (q distractedQueue) MoveAllToActiveOrBackoffQueue(logger klog.Logger, event fwk.ClusterEvent, oldObj, newObj any,
	check internalqueue.PreEnqueueCheck) {
	if len(q.InFlightPods()) == 0 {
		q.SchedulingQueue.MoveAllToActiveOrBackoffQueue(logger, event, oldObj, newObj, check)
	}
}

// novelQueue takes every pod that changes for a new one.
type novelQueue struct{ internalqueue.SchedulingQueue }

func (q novelQueue) Update(ctx context.Context, before, after *v1.Pod) {
	q.Delete(klog.FromContext(ctx), before)
	q.Add(ctx, after)
}

// timelessQueue has no timers.
type timelessQueue struct{ internalqueue.SchedulingQueue }

func (timelessQueue) Run(klog.Logger) {}

// quietQueue tells nobody of pods that events move.
type quietQueue struct {
	internalqueue.SchedulingQueue
	quietly func(do func())
}

func (q quietQueue) MoveAllToActiveOrBackoffQueue(logger klog.Logger, event fwk.ClusterEvent, oldObj, newObj any,
	check internalqueue.PreEnqueueCheck) {
	q.quietly(func() { q.SchedulingQueue.MoveAllToActiveOrBackoffQueue(logger, event, oldObj, newObj, check) })
}

// hastyQueue has every pod that comes back tried again at once, and hoardingQueue remembers that it came.
type hastyQueue struct{ internalqueue.SchedulingQueue }

func (q hastyQueue) AddUnschedulablePodIfNotPresent(logger klog.Logger, info *framework.QueuedPodInfo,
	cycle int64) error {
	defer q.Activate(logger, map[string]*v1.Pod{info.Pod.Name: info.Pod})
	return q.SchedulingQueue.AddUnschedulablePodIfNotPresent(logger, info, cycle)
}

// sulkingQueue leaves who failed for an error where only an event finds it.
type sulkingQueue struct{ internalqueue.SchedulingQueue }

// alertQueue has everybody tried again at once whatever happens.
type alertQueue struct{ internalqueue.SchedulingQueue }

func (q alertQueue) MoveAllToActiveOrBackoffQueue(logger klog.Logger, _ fwk.ClusterEvent, _, _ any,
	_ internalqueue.PreEnqueueCheck) {
	for _, pod := range q.UnschedulablePods() {
		q.Activate(logger, map[string]*v1.Pod{pod.Name: pod})
	}
}

type hoardingQueue struct {
	internalqueue.SchedulingQueue
	remember func(event any)
}

func (q hoardingQueue) Done(pod types.UID) {
	q.SchedulingQueue.Done(pod)
	q.remember(pod)
}

// losingQueue loses pods that come back, and does not take them for new when they change; greedyQueue does not let
// them go, endlessQueue does not hear that it need not think of one any more.
type losingQueue struct{ internalqueue.SchedulingQueue }

func (losingQueue) Update(context.Context, *v1.Pod, *v1.Pod) {}

type greedyQueue struct{ internalqueue.SchedulingQueue }

type endlessQueue struct{ internalqueue.SchedulingQueue }

func (endlessQueue) Done(types.UID) {}
