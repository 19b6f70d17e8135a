package spec

import (
	"cmp"
	"time"

	v1 "k8s.io/api/core/v1"
)

// Jeopardy returns the pods that the pod may evict from the node, in the snapshot's order:
//
//	Jeopardy(Pod, Node, S) == {Other \in PodsOn(Node, S) : Priority(Other) < Priority(Pod)}
//
// Source: https://kubernetes.io/docs/concepts/scheduling-eviction/pod-priority-preemption/#preemption.
// A pod that is terminating already is still on its node and counts like any other; the documents make no exception.
func Jeopardy(pod *v1.Pod, node *v1.Node, s *Snapshot) []*v1.Pod {
	return filter(PodsOn(node, s), func(other *v1.Pod) bool { return Priority(other) < Priority(pod) })
}

// compareImportance is negative if a is more important than b, 0 if neither is: the higher priority, then the
// longer run.
//
// Source: doc comment of DefaultPreemption.MoreImportantPod in
// k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption.
func compareImportance(a, b *v1.Pod) int {
	return cmp.Or(cmp.Compare(Priority(b), Priority(a)), startTime(a).Compare(startTime(b)))
}

// mostImportant returns the pods than which none is more important.
func mostImportant(pods []*v1.Pod) []*v1.Pod {
	return filter(pods, func(pod *v1.Pod) bool {
		return all(pods, func(other *v1.Pod) bool { return compareImportance(pod, other) <= 0 })
	})
}

// startTime returns when the pod started. A pod that its node has not acknowledged yet has not started,
// which is later than any start: status.startTime cannot express the year 10000 (RFC 3339). Two such pods are equals.
//
// Source: field doc of PodStatus.startTime. That "not yet" means "last" is not documented.
func startTime(pod *v1.Pod) time.Time {
	if pod.Status.StartTime == nil {
		return time.Date(10000, time.January, 1, 0, 0, 0, 0, time.UTC)
	}
	return pod.Status.StartTime.Time
}
