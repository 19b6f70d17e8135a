//go:build from1.37

package stepped_test

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	kubescheduler "k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
)

// mended are the defects that this release does not have any more.
var mended = []string{
	"gated-nomination",             // https://github.com/kubernetes/kubernetes/pull/139057
	"hint-anti-affinity-all-terms", // https://github.com/kubernetes/kubernetes/pull/139161
}

func (q restlessQueue) AddUnschedulablePodIfNotPresent(logger klog.Logger, info *framework.QueuedPodInfo,
	cycle int64) error {
	err := q.SchedulingQueue.AddUnschedulablePodIfNotPresent(logger, info, cycle)
	q.Activate(logger, map[string]*v1.Pod{loop.Key(info.Pod): info.Pod})
	return err
}

func (q losingQueue) AddUnschedulablePodIfNotPresent(_ klog.Logger, info *framework.QueuedPodInfo, _ int64) error {
	q.Done(info.Pod.UID)
	return nil
}

func (greedyQueue) Delete(klog.Logger, *v1.Pod) {}

func (c staleCache) UpdateNode(klog.Logger, *v1.Node, *v1.Node) {}

// changeNext has the scheduler change a copy of the pod that it takes next.
func changeNext(s *kubescheduler.Scheduler, change func(*v1.Pod)) {
	next := s.NextEntity
	s.NextEntity = func(logger klog.Logger) (framework.QueuedEntityInfo, error) {
		entity, err := next(logger)
		info := entity.(*framework.QueuedPodInfo).DeepCopy()
		change(info.Pod)
		return info, err
	}
}
