//go:build !before1.37

package stepped_test

import (
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	kubescheduler "k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
)

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

// TestClaimCountLost: a node that goes and comes back between two cycles takes the uses of its claims with it, as the
// cache tells snapshots only what was added and taken away. Then a claim that one pod may use is used by two.
func TestClaimCountLost(t *testing.T) {
	n := node("n1").Obj()
	first, second := create(pod("first").PVC("claim").Obj()), create(pod("second").PVC("claim").Obj())
	for _, row := range []struct {
		actions []loop.Action
		lost    bool
	}{
		{[]loop.Action{first, schedule, second, schedule}, false},
		{[]loop.Action{first, schedule, remove(n), create(n), second, schedule}, true},
	} {
		initial := withVolume(withClaim(cluster(node("n1"))))
		c, volume := initial.PersistentVolumeClaims[0], initial.PersistentVolumes[0]
		c.UID, c.Spec.VolumeName, c.Spec.AccessModes = "uid", "pv",
			[]v1.PersistentVolumeAccessMode{v1.ReadWriteOncePod}
		volume.Spec.ClaimRef = &v1.ObjectReference{Namespace: c.Namespace, Name: c.Name, UID: c.UID}
		volume.Status.Phase = v1.VolumeBound
		broken := breaks(t, newScheduler(t, initial, stepped.Options{Faults: true}), row.actions)
		shared := func(b string) bool { return strings.HasPrefix(b, "exclusive: default/second") }
		if slices.ContainsFunc(broken, shared) != row.lost {
			t.Errorf("%v: what it breaks is %q", row.actions, broken)
		}
	}
}
