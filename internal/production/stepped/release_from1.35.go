//go:build !before1.35

package stepped

import (
	"context"
	"reflect"
	"slices"
	"time"
	"unsafe"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumebinding"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
)

// What is stepped in another way before v1.35.

// RunPostFilterPlugins implements framework.Framework. It notes where the pod preempts.
func (c *controlled) RunPostFilterPlugins(ctx context.Context, state fwk.CycleState, pod *v1.Pod,
	statuses fwk.NodeToStatusReader) (*fwk.PostFilterResult, *fwk.Status) {
	c.reached(true)
	result, status := c.Framework.RunPostFilterPlugins(ctx, state, pod, statuses)
	if status.IsSuccess() && result != nil && result.NominatingInfo != nil {
		c.preempts = result.NominatedNodeName
	}
	return result, status
}

// evictsTerminating reports whether victims that terminate already are evicted too.
func evictsTerminating() bool { return false }

// RunScorePlugins implements framework.Framework. Among nodes of the highest score kube-scheduler draws lots; here
// the first by name wins.
func (c *controlled) RunScorePlugins(ctx context.Context, state fwk.CycleState, pod *v1.Pod,
	nodes []fwk.NodeInfo) ([]fwk.NodePluginScores, *fwk.Status) {
	scores, status := c.Framework.RunScorePlugins(ctx, state, pod, nodes)
	for i, place := range places(scores) {
		scores[i].Randomizer = place
	}
	return scores, status
}

// perRelease is what stands between the scheduler and its framework in some releases.
type perRelease struct {
	// batch is what one cycle leaves for an equal pod in the next.
	batch *batch
}

func newPerRelease(inner framework.Framework, now func() time.Time) perRelease {
	return perRelease{newBatch(inner, now)}
}

func (p *perRelease) noteAction(a loop.Action) { p.batch.note(a) }

// left returns what the last cycle leaves for the next, of its own profile; nil if that is nothing.
func (s *Scheduler) left() *loop.Batch {
	for _, f := range s.frameworks {
		if left := f.batch.left(s.sched.CurrentCycle()); left != nil {
			return left
		}
	}
	return nil
}

// batched returns how many pods were put on nodes that were left for them, since the scheduler began.
func (s *Scheduler) batched() (n int64) {
	for _, f := range s.frameworks {
		n += f.batch.batched()
	}
	return n
}

// assumeCaches returns what the binder has of a volume, and of a claim, by name; nil if it has none.
func assumeCaches(binder reflect.Value) (volumes, claims func(name string) runtime.Object) {
	pvs := (*volumebinding.PVAssumeCache)(unsafe.Pointer(binder.FieldByName("pvCache").UnsafeAddr()))
	pvcs := (*volumebinding.PVCAssumeCache)(unsafe.Pointer(binder.FieldByName("pvcCache").UnsafeAddr()))
	return assumedIn(pvs.Get), assumedIn(pvcs.Get)
}

// assumedIn returns what get finds; nil if it finds nothing.
func assumedIn[T runtime.Object](get func(string) (T, error)) func(string) runtime.Object {
	return func(name string) runtime.Object {
		if assumed, err := get(name); err == nil {
			return assumed
		}
		return nil
	}
}

// leftWaiting returns the pods that the frameworks have among those that wait on permit, although no cycle of theirs is
// under way, as State.LeftWaiting has them.
func (s *Scheduler) leftWaiting(told map[loop.Ref]runtime.Object) (left []string) {
	s.shared().IterateOverWaitingPods(func(waiting fwk.WaitingPod) {
		pod := waiting.GetPod()
		is, there := told[loop.RefOf(pod)].(*v1.Pod)
		if there && is.UID == pod.UID && s.cycles.binding(pod.UID) == nil {
			key := loop.Key(pod)
			if done := reflect.ValueOf(waiting).Elem().FieldByName("done"); done.IsValid() && done.Bool() {
				key += loop.TakenFromWait
			}
			left = append(left, key)
		}
	})
	slices.Sort(left)
	return left
}
