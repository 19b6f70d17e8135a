//go:build !before1.37

package stepped

import (
	"fmt"
	"reflect"
	"time"
	"unsafe"

	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/utils/clock"
)

//
//go:linkname newBackoffQueue k8s.io/kubernetes/pkg/scheduler/backend/queue.newBackoffQueue
func newBackoffQueue(clock clock.WithTicker, initial, longest time.Duration,
	less func(entity1, entity2 framework.QueuedEntityInfo) bool, popFromBackoffQ bool) unsafe.Pointer

//
//go:linkname getBackoffTime k8s.io/kubernetes/pkg/scheduler/backend/queue.(*backoffQueue).getBackoffTime
func getBackoffTime(queue unsafe.Pointer, entity framework.QueuedEntityInfo) time.Time

// wrongBackoff says how long a pod backs off after so many failures in a row, where that is not what it is to be with
// the default configuration; empty if it is. In runs every backoff is as long as the longest.
func wrongBackoff(timer clock.WithTicker) string {
	queue := newBackoffQueue(timer, time.Second, backoff, nil, true)
	for failures, seconds := range []time.Duration{0, 1, 2, 4, 8, 10, 10} {
		rejected, erred := framework.QueueingParams{UnschedulableCount: failures},
			framework.QueueingParams{UnschedulableCount: 1, ConsecutiveErrorsCount: failures}
		if failures == 0 {
			erred = rejected
		}
		for _, account := range []framework.QueueingParams{rejected, erred} {
			account.Timestamp = timer.Now().Truncate(time.Second)
			info := &framework.QueuedPodInfo{PodInfo: &framework.PodInfo{}, QueueingParams: account}
			over := getBackoffTime(queue, info)
			if over.IsZero() {
				over = account.Timestamp
			}
			if got := over.Sub(account.Timestamp); got != seconds*time.Second {
				return fmt.Sprintf("after %d failures in a row a pod backs off for %s, and not for %s", failures, got,
					seconds*time.Second)
			}
		}
	}
	return ""
}

// AddUnschedulablePodIfNotPresent implements internalqueue.SchedulingQueue. What it does to the account of failures, by
// which the pod backs off, is looked at.
func (q *hintedQueue) AddUnschedulablePodIfNotPresent(logger klog.Logger, info *framework.QueuedPodInfo,
	cycle int64) error {
	rejections, errors := info.UnschedulableCount, info.ConsecutiveErrorsCount+1
	if info.UnschedulablePlugins.Len()+info.PendingPlugins.Len() > 0 {
		rejections, errors = rejections+1, 0
	}
	err := q.takeBack(logger, info, func() error {
		return q.SchedulingQueue.AddUnschedulablePodIfNotPresent(logger, info, cycle)
	})
	if err != nil {
		return err
	}
	queue := reflect.ValueOf(q.priority).Elem().FieldByName("backoffQ").Elem().UnsafePointer()
	over := q.now().Add(backoff).Truncate(time.Second)
	switch got := getBackoffTime(queue, info); {
	case info.UnschedulableCount != rejections || info.ConsecutiveErrorsCount != errors:
		q.wrong = append(q.wrong, fmt.Sprintf("%s: %d rejections and %d errors in a row are counted, and not %d and %d",
			info.Pod.Name, info.UnschedulableCount, info.ConsecutiveErrorsCount, rejections, errors))
	case !got.Equal(over):
		q.wrong = append(q.wrong, fmt.Sprintf("%s backs off for %s, and not for %s", info.Pod.Name,
			got.Sub(q.now()), over.Sub(q.now())))
	}
	return nil
}
