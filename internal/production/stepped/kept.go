package stepped

import (
	"iter"
	"maps"
	"reflect"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
)

// kept returns the pods, "ns/name", that the cache, the queue or its nominations have under another uid than the one of
// the name has that the scheduler was told of, those in flight of which it was told that they are gone, and those that
// are about to be bound and were deleted while they were being tried, or are in the queue for an earlier one of their
// name.
func (s *Scheduler) kept(nodes map[string]*framework.NodeInfo, told map[loop.Ref]runtime.Object) []string {
	kept := map[string]bool{}
	note := func(ref loop.Ref, uid types.UID) {
		if is, there := told[ref].(*v1.Pod); there && is.UID != uid {
			kept[ref.Key()] = true
		}
	}
	for _, info := range nodes {
		for _, pod := range info.GetPods() {
			note(loop.RefOf(pod.GetPod()), pod.GetPod().UID)
		}
	}
	q := s.sched.SchedulingQueue
	for _, pod := range slices.Concat(q.PodsInActiveQ(), q.PodsInBackoffQ(), q.UnschedulablePods()) {
		note(loop.RefOf(pod), pod.UID)
		if s.cycles.binding(pod.UID) != nil {
			kept[loop.Key(pod)] = true
		}
	}
	for _, pod := range q.InFlightPods() {
		if _, there := told[loop.RefOf(pod)]; !there {
			kept[loop.Key(pod)] = true
		}
		note(loop.RefOf(pod), pod.UID)
	}
	for _, b := range s.cycles.all() {
		if b.outlived {
			kept[loop.Key(b.pod)] = true
		}
	}
	for ref, uid := range nominated(s.hints.priority) {
		note(ref, uid)
	}
	return slices.Sorted(maps.Keys(kept))
}

// nominated returns the pods of which a scheduling queue has nominations, with the uids under which it has them. What
// the queue gives of them is the pod that has the name by now.
func nominated(priority any) iter.Seq2[loop.Ref, types.UID] {
	return func(yield func(loop.Ref, types.UID) bool) {
		queue := reflect.ValueOf(priority)
		if queue.Kind() != reflect.Pointer { // a test has put something around it
			return
		}
		nominator := queue.Elem().FieldByName("nominator")
		if !nominator.IsValid() {
			return
		}
		for nominations := nominator.Elem().FieldByName("nominatedPods").MapRange(); nominations.Next(); {
			for i := range nominations.Value().Len() {
				pod := nominations.Value().Index(i)
				ref := loop.Ref{Kind: "Pod", Namespace: pod.FieldByName("namespace").String(),
					Name: pod.FieldByName("name").String()}
				if !yield(ref, types.UID(pod.FieldByName("uid").String())) {
					return
				}
			}
		}
	}
}
