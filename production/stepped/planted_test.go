package stepped_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	kubescheduler "k8s.io/kubernetes/pkg/scheduler"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	internalqueue "k8s.io/kubernetes/pkg/scheduler/backend/queue"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/seed-a3f26817/modelcheck/loop"
	"github.com/seed-a3f26817/modelcheck/production/stepped"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// deafQueue does not hear of events of one resource.
type deafQueue struct {
	internalqueue.SchedulingQueue
	resource fwk.EventResource
}

func (q deafQueue) MoveAllToActiveOrBackoffQueue(logger klog.Logger, event fwk.ClusterEvent, oldObj, newObj any, check internalqueue.PreEnqueueCheck) {
	if event.Resource != q.resource {
		q.SchedulingQueue.MoveAllToActiveOrBackoffQueue(logger, event, oldObj, newObj, check)
	}
}

// losingQueue loses pods that come back, and does not take them for new when they change; greedyQueue does not let them go.
type losingQueue struct{ internalqueue.SchedulingQueue }

func (q losingQueue) AddUnschedulableIfNotPresent(_ klog.Logger, info *framework.QueuedPodInfo, _ int64) error {
	q.Done(info.Pod.UID)
	return nil
}

func (losingQueue) Update(context.Context, *v1.Pod, *v1.Pod) {}

type greedyQueue struct{ internalqueue.SchedulingQueue }

func (greedyQueue) Delete(*v1.Pod) {}

// forgetfulCache does not take back what was assumed, staleCache does not hear of changes of nodes.
type forgetfulCache struct{ internalcache.Cache }

func (forgetfulCache) ForgetPod(klog.Logger, *v1.Pod) error { return nil }

type staleCache struct{ internalcache.Cache }

func (c staleCache) UpdateNode(_ klog.Logger, _, node *v1.Node) *framework.NodeInfo {
	info := framework.NewNodeInfo()
	info.SetNode(node)
	return info
}

// TestPlanted plants a bug for each property, in the place where such bugs live, and asks whether the property notices. Without the bug
// the same run breaks nothing.
func TestPlanted(t *testing.T) {
	p, big := pod("p").Req(cpu("1")).Obj(), pod("big").Req(cpu("2")).Obj()
	larger := node("n1").Capacity(map[v1.ResourceName]string{"cpu": "2", "memory": "4Gi", "pods": "10"}).Obj()
	for _, row := range []struct {
		property, bug string
		plant         func(*kubescheduler.Scheduler)
		initial       *spec.Snapshot
		actions       []loop.Action
	}{
		{
			"wake-up", "events of nodes do not reach the queue",
			func(s *kubescheduler.Scheduler) { s.SchedulingQueue = deafQueue{s.SchedulingQueue, fwk.Node} },
			cluster(node("n1")), []loop.Action{create(big), schedule, update("capacity", larger)},
		},
		{
			"progress", "every pod is rejected",
			func(s *kubescheduler.Scheduler) {
				s.SchedulePod = func(_ context.Context, _ framework.Framework, _ fwk.CycleState, info *framework.QueuedPodInfo) (kubescheduler.ScheduleResult, error) {
					misfit := &framework.FitError{Pod: info.Pod, Diagnosis: framework.Diagnosis{NodeToStatus: framework.NewDefaultNodeToStatus()}}
					misfit.Diagnosis.AddPluginStatus(fwk.NewStatus(fwk.Unschedulable).WithPlugin("NodeResourcesFit"))
					return kubescheduler.ScheduleResult{}, misfit
				}
			},
			cluster(node("n1")), []loop.Action{create(p), schedule},
		},
		{
			"refinement", "it takes the first node, fit or not",
			func(s *kubescheduler.Scheduler) {
				s.SchedulePod = func(context.Context, framework.Framework, fwk.CycleState, *framework.QueuedPodInfo) (kubescheduler.ScheduleResult, error) {
					return kubescheduler.ScheduleResult{SuggestedHost: "n1", EvaluatedNodes: 1, FeasibleNodes: 1}, nil
				}
			},
			cluster(node("n1").Unschedulable(true), node("n2")), []loop.Action{create(p), schedule},
		},
		{
			"conservation", "pods that come back are lost",
			func(s *kubescheduler.Scheduler) { s.SchedulingQueue = losingQueue{s.SchedulingQueue} },
			cluster(node("n1")), []loop.Action{create(big), schedule},
		},
		{
			"conservation", "deleted pods stay in the queue",
			func(s *kubescheduler.Scheduler) { s.SchedulingQueue = greedyQueue{s.SchedulingQueue} },
			cluster(node("n1")), []loop.Action{create(big), schedule, remove(big)},
		},
		{
			"assumed-bound-or-forgotten", "what was assumed is not forgotten",
			func(s *kubescheduler.Scheduler) { s.Cache = forgetfulCache{s.Cache} },
			cluster(node("n1")), []loop.Action{create(p), failing(loop.WaitPermit), on(loop.Reject, p)},
		},
		{
			"roll-back", "a failed attempt keeps its room",
			func(s *kubescheduler.Scheduler) { s.Cache = forgetfulCache{s.Cache} },
			cluster(node("n1")), []loop.Action{create(p), failing(loop.FailReserve)},
		},
		{
			"cache-agrees", "the cache does not hear of changes of nodes",
			func(s *kubescheduler.Scheduler) { s.Cache = staleCache{s.Cache} },
			cluster(node("n1")), []loop.Action{update("capacity", larger)},
		},
		{
			"no-errors", "scheduling fails by itself",
			func(s *kubescheduler.Scheduler) {
				s.SchedulePod = func(context.Context, framework.Framework, fwk.CycleState, *framework.QueuedPodInfo) (kubescheduler.ScheduleResult, error) {
					return kubescheduler.ScheduleResult{}, context.DeadlineExceeded
				}
			},
			cluster(node("n1")), []loop.Action{create(p), schedule},
		},
	} {
		t.Run(row.property+"/"+row.bug, func(t *testing.T) {
			o := stepped.Options{Faults: true, Plant: row.plant}
			broken := breaks(t, newScheduler(t, row.initial, o), row.actions)
			if !slices.ContainsFunc(broken, func(text string) bool { return strings.HasPrefix(text, row.property+": ") }) {
				t.Errorf("%s does not notice that %s; what is noticed: %q", row.property, row.bug, broken)
			}
			if broken := breaks(t, newScheduler(t, row.initial, stepped.Options{Faults: true}), row.actions); broken != nil {
				t.Errorf("without the bug it breaks %q", broken)
			}
		})
	}
}
