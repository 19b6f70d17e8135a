package stepped

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// happened is an event, as the queue is told of it.
type happened struct {
	event         fwk.ClusterEvent
	before, after any
}

// roused is a pod that is to be tried again, by the hint of a plugin that rejected it, and the event that was asked
// about.
type roused struct {
	pod           *v1.Pod
	plugin, event string
}

// attempt is a pod that was taken off the queue, with what has happened since.
type attempt struct {
	pod       *v1.Pod
	meanwhile []happened
}

// taken notes that the pod was taken off the queue.
func (q *hintedQueue) taken(pod *v1.Pod) { q.attempts[pod.UID] = &attempt{pod: pod} }

// keep keeps the event for the pods that are being tried and hear of it: they may be rejected.
func (q *hintedQueue) keep(h happened, hears func(*v1.Pod) bool) {
	for _, a := range q.attempts {
		if hears(a.pod) {
			a.meanwhile = append(a.meanwhile, h)
		}
	}
}

// Done implements internalqueue.SchedulingQueue.
func (q *hintedQueue) Done(pod types.UID) {
	delete(q.attempts, pod)
	q.SchedulingQueue.Done(pod)
}

// takeBack has the queue take a pod back, and asks the hints about what happened since it was taken.
func (q *hintedQueue) takeBack(logger klog.Logger, info *framework.QueuedPodInfo, add func() error) error {
	var all []roused
	if a := q.attempts[info.Pod.UID]; a != nil {
		delete(q.attempts, info.Pod.UID)
		for _, h := range a.meanwhile {
			for _, hint := range q.hints {
				if framework.MatchClusterEvents(hint.event, h.event) && hint.rejected(info) &&
					hint.queues(logger, info.Pod, h.before, h.after) {
					all = append(all, roused{info.Pod, hint.plugin, h.event.Label()})
				}
			}
		}
	}
	err := add()
	q.heed(all)
	return err
}

// rejected reports whether the plugin is among those that rejected the pod, which is one of the profile.
func (r registration) rejected(info *framework.QueuedPodInfo) bool {
	return info.Pod.Spec.SchedulerName == r.profile &&
		(info.UnschedulablePlugins.Has(r.plugin) || info.PendingPlugins.Has(r.plugin))
}

// heed notes which of the pods are left to sleep. One that is gated is not to be tried anyway.
func (q *hintedQueue) heed(all []roused) {
	if len(all) == 0 {
		return
	}
	sleeps := map[types.UID]bool{}
	for _, pod := range q.UnschedulablePods() {
		info, ok := queuedPod(q.SchedulingQueue, pod)
		sleeps[pod.UID] = ok && !info.Gated()
	}
	for _, r := range all {
		if sleeps[r.pod.UID] {
			q.unheeded = append(q.unheeded, fmt.Sprintf("%s sleeps after %s, to which the hint of %s says Queue", r.pod.Name,
				r.event, r.plugin))
		}
	}
}
