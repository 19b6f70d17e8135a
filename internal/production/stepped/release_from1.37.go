//go:build !before1.37

package stepped

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unsafe"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	internalqueue "k8s.io/kubernetes/pkg/scheduler/backend/queue"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
)

// What is stepped in another way in earlier releases.

// watchPops notes which pod is taken off the queue.
func (s *Scheduler) watchPops() {
	pop := s.sched.NextEntity
	s.sched.NextEntity = func(logger klog.Logger) (framework.QueuedEntityInfo, error) {
		entity, err := pop(logger)
		if info, ok := entity.(*framework.QueuedPodInfo); ok && err == nil && info != nil {
			s.popped = info.Pod
			s.hints.taken(info.Pod)
		}
		return entity, err
	}
}

// releaseAbsent are kinds that the scheduler asks for in some releases only, of which there are never any.
func releaseAbsent() []runtime.Object { return []runtime.Object{&resourcev1.DeviceTaintRule{}} }

// queuedPod returns what the queue knows of the pod.
func queuedPod(queue internalqueue.SchedulingQueue, pod *v1.Pod) (*framework.QueuedPodInfo, bool) {
	return queue.GetPod(pod.Name, pod.Namespace, pod.Spec.SchedulingGroup)
}

// signature is what tells pods that kube-scheduler takes for equal from others; empty if it takes none for equal to it.
func signature(info *framework.QueuedPodInfo) string { return string(info.PodSignature) }

//
//go:linkname flushUnschedulable k8s.io/kubernetes/pkg/scheduler/backend/queue.(*PriorityQueue).flushUnschedulableEntitiesLeftover
func flushUnschedulable(queue unsafe.Pointer, logger klog.Logger)

// ownChanges are the events that the hints are asked about when a pod that waits has changed.
func ownChanges(before, after *v1.Pod) []fwk.ClusterEvent {
	return framework.PodSchedulingPropertiesChange(after, before, true)
}

// registered returns the hints of a plugin, as the scheduler registers them: what is for pods is for the pod itself,
// for others that wait, and for those that are assigned.
func registered(plugin string, events []fwk.ClusterEventWithHint) []registration {
	var all []registration
	for _, e := range events {
		registered := []fwk.ClusterEvent{e.Event}
		if e.Event.Resource == fwk.Pod {
			registered = framework.UnrollPodEvent(e.Event)
		}
		for _, event := range registered {
			all = append(all, registration{plugin: plugin, event: event, ask: e.QueueingHintFn})
		}
	}
	return all
}

// NumPodGroupDisruptions implements preemption.Candidate.
func (candidate) NumPodGroupDisruptions() int { return 0 }

// SelectVictimsOnNode implements preemption.Interface. Among pods of equal importance production goes by the order
// in which the cache has them, which comes of all that ever was on the node; here the first by name is spared
// first. Budgets, which informers list in no order, come by their names too.
func (e *evictions) SelectVictimsOnNode(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo,
	possible []*preemption.DomainVictim, budgets []*policyv1.PodDisruptionBudget) ([]*v1.Pod, int, *fwk.Status) {
	slices.SortFunc(possible, func(x, y *preemption.DomainVictim) int {
		return strings.Compare(loop.Key(x.Pods()[0].GetPod()), loop.Key(y.Pods()[0].GetPod()))
	})
	budgets = slices.SortedFunc(slices.Values(budgets), func(x, y *policyv1.PodDisruptionBudget) int {
		return cmp.Or(strings.Compare(x.Namespace, y.Namespace), strings.Compare(x.Name, y.Name))
	})
	victims, violations, status := e.Interface.SelectVictimsOnNode(ctx, state, pod, node, possible, budgets)
	e.victims[node.Node().Name] = victims
	return victims, violations, status
}

// byStart has the plugin compare victims by when they started, as started says.
func byStart(plugin *defaultpreemption.DefaultPreemption) {
	moreImportant := plugin.MoreImportantVictim
	plugin.MoreImportantVictim = func(x, y preemption.Victim) bool {
		return moreImportant(startedVictim{x}, startedVictim{y})
	}
}

// startedVictim is a victim with the start that started gives its pods.
type startedVictim struct{ preemption.Victim }

// EarliestStartTime implements preemption.Victim.
func (v startedVictim) EarliestStartTime() *metav1.Time {
	var first *metav1.Time
	for _, info := range v.Pods() {
		if start := started(info.GetPod(), 0).Status.StartTime; first == nil || start.Before(first) {
			first = start
		}
	}
	return first
}

// aroundEviction has around called for every eviction, with what evicts.
func (e *evictions) aroundEviction(around aroundEviction) {
	preempt := e.plugin.Executor.PreemptPod
	e.plugin.Executor.PreemptPod = func(ctx context.Context, c preemption.Candidate,
		preemptor preemption.ExecutorPreemptor, victim *v1.Pod, pluginName string) (inMemory bool, err error) {
		err = around(ctx, victim, func(ctx context.Context) (bool, error) {
			inMemory, err = preempt(ctx, c, preemptor, victim, pluginName)
			return inMemory, err
		})
		return inMemory, err
	}
}

// activates reports whether an eviction that ended so lets the preemptor be tried again in the end.
func activates(err error, _ *evicting, last, inMemory bool) bool {
	return err != nil || last && inMemory
}

// nodeList are nodes, the best first, as production keeps them, and with the scores that they had.
type nodeList struct{ framework.SortedScoredNodes }

// listOf returns the nodes as a list that can be looked at.
func listOf(nodes framework.SortedScoredNodes) *nodeList {
	if list, ok := nodes.(*nodeList); ok {
		return list
	}
	return &nodeList{nodes}
}

// kept returns the nodes in the order in which they are taken, and what is kept of them besides: the next cycle
// normalizes their scores once more, together with those of the node that was chosen, where that is still feasible.
func (l *nodeList) kept() (names []string, scores string) {
	var of []string
	for copied := framework.NewSortedScoredNodes(l.UnorderedList()); copied.Len() > 0; {
		node := copied.Pop()
		names, of = append(names, node.Name), append(of, fmt.Sprintf("%s %v %d", node.Name, node.RawScores, node.Randomizer))
	}
	return names, strings.Join(of, ", ")
}
