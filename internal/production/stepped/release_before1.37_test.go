//go:build before1.37

package stepped_test

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/klog/v2"
	kubescheduler "k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
)

func (q restlessQueue) AddUnschedulableIfNotPresent(logger klog.Logger, info *framework.QueuedPodInfo,
	cycle int64) error {
	err := q.SchedulingQueue.AddUnschedulableIfNotPresent(logger, info, cycle)
	q.Activate(logger, map[string]*v1.Pod{loop.Key(info.Pod): info.Pod})
	return err
}

func (q sulkingQueue) AddUnschedulableIfNotPresent(logger klog.Logger, info *framework.QueuedPodInfo,
	cycle int64) error {
	defer func() { info.UnschedulablePlugins = nil }()
	info.UnschedulablePlugins = sets.New("None")
	return q.SchedulingQueue.AddUnschedulableIfNotPresent(logger, info, cycle)
}

func (q losingQueue) AddUnschedulableIfNotPresent(_ klog.Logger, info *framework.QueuedPodInfo, _ int64) error {
	q.Done(info.Pod.UID)
	return nil
}

func (greedyQueue) Delete(*v1.Pod) {}

func (c staleCache) UpdateNode(_ klog.Logger, _, node *v1.Node) *framework.NodeInfo {
	info := framework.NewNodeInfo()
	info.SetNode(node)
	return info
}

// changeNext has the scheduler change a copy of the pod that it takes next.
func changeNext(s *kubescheduler.Scheduler, change func(*v1.Pod)) {
	next := s.NextPod
	s.NextPod = func(logger klog.Logger) (*framework.QueuedPodInfo, error) {
		info, err := next(logger)
		info = info.DeepCopy()
		change(info.Pod)
		return info, err
	}
}
