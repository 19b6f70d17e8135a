//go:build before1.35

package stepped

import (
	"context"
	"reflect"
	"time"
	"unsafe"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/parallelize"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumebinding"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production/frameworkapi"
)

// What is stepped in another way from v1.35 on.

// perRelease is what stands between the scheduler and its framework in some releases.
type perRelease struct {
	// preempted is the pod that preempts in this cycle; empty if it does not.
	preempted types.UID
}

func newPerRelease(framework.Framework, func() time.Time) perRelease { return perRelease{} }

func (p *perRelease) noteAction(loop.Action) { p.preempted = "" }

// left returns nothing: no cycle leaves anything for the next one.
func (s *Scheduler) left() *loop.Batch { return nil }

// RunScorePlugins implements framework.Framework. Among nodes of the highest score kube-scheduler draws lots; here
// the first by name wins: scores are spread, and how much a node is before others by name is added.
func (c *controlled) RunScorePlugins(ctx context.Context, state frameworkapi.CycleState, pod *v1.Pod,
	nodes []frameworkapi.NodeInfo) ([]frameworkapi.NodePluginScores, *frameworkapi.Status) {
	scores, status := c.Framework.RunScorePlugins(ctx, state, pod, nodes)
	for i, place := range places(scores) {
		scores[i].TotalScore = scores[i].TotalScore*int64(len(scores)+1) + int64(place)
	}
	return scores, status
}

// RunPostFilterPlugins implements framework.Framework. It notes which pod has preempted: the evaluator itself may have
// forgotten it by the time that somebody asks.
func (c *controlled) RunPostFilterPlugins(ctx context.Context, state frameworkapi.CycleState, pod *v1.Pod,
	statuses framework.NodeToStatusReader) (*framework.PostFilterResult, *frameworkapi.Status) {
	result, status := c.Framework.RunPostFilterPlugins(ctx, state, pod, statuses)
	if status.IsSuccess() && result != nil && result.NominatingInfo != nil {
		c.preempted = pod.UID
	}
	return result, status
}

// preempting reports whether the pod has preempted, and its victims are being evicted.
func (s *Scheduler) preempting(pod types.UID) bool { return s.framework.preempted == pod }

// workInLine lets the framework, and the plugins that took theirs from it, work on one node after the other.
func workInLine(inner framework.Framework) {
	for _, field := range parallelizers(inner) {
		*field = parallelize.NewParallelizer(1)
	}
}

// parallelizers returns the fields of the framework and of its plugins that hold a parallelizer. None of them is
// exported.
func parallelizers(inner framework.Framework) []*parallelize.Parallelizer {
	owners := []any{inner}
	for _, plugin := range inner.EnqueueExtensions() {
		owners = append(owners, plugin)
	}
	var fields []*parallelize.Parallelizer
	for _, owner := range owners {
		v := reflect.ValueOf(owner)
		if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
			continue
		}
		for i := range v.Elem().NumField() {
			if field := v.Elem().Field(i); field.Type() == reflect.TypeFor[parallelize.Parallelizer]() {
				fields = append(fields, (*parallelize.Parallelizer)(unsafe.Pointer(field.UnsafeAddr())))
			}
		}
	}
	return fields
}

// assumeCaches returns what the binder has of a volume, and of a claim, by name; nil if it has none.
func assumeCaches(binder reflect.Value) (volumes, claims func(name string) runtime.Object) {
	pvs := *(**volumebinding.PVAssumeCache)(unsafe.Pointer(binder.FieldByName("pvCache").UnsafeAddr()))
	pvcs := *(**volumebinding.PVCAssumeCache)(unsafe.Pointer(binder.FieldByName("pvcCache").UnsafeAddr()))
	return assumedIn(pvs.Get), assumedIn(pvcs.Get)
}

// assumedIn returns what get finds; nil if it finds nothing.
func assumedIn(get func(string) (any, error)) func(string) runtime.Object {
	return func(name string) runtime.Object {
		if assumed, err := get(name); err == nil {
			object, _ := assumed.(runtime.Object)
			return object
		}
		return nil
	}
}
