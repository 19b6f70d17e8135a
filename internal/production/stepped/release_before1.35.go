//go:build before1.35

package stepped

import (
	"context"
	"reflect"
	"slices"
	"time"
	"unsafe"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/parallelize"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumebinding"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/production/frameworkapi"
)

// What is stepped in another way from v1.35 on.

// perRelease is what stands between the scheduler and its framework in some releases.
type perRelease struct{}

func newPerRelease(framework.Framework, func() time.Time) perRelease { return perRelease{} }

func (perRelease) noteAction(loop.Action) {}

// left returns nothing: no cycle leaves anything for the next one.
func (s *Scheduler) left() *loop.Batch { return nil }

// batched returns how many pods were put on such nodes.
func (s *Scheduler) batched() int64 { return 0 }

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

// RunPostFilterPlugins implements framework.Framework. It notes where the pod preempts.
func (c *controlled) RunPostFilterPlugins(ctx context.Context, state frameworkapi.CycleState, pod *v1.Pod,
	statuses framework.NodeToStatusReader) (*framework.PostFilterResult, *frameworkapi.Status) {
	c.reached(true)
	result, status := c.Framework.RunPostFilterPlugins(ctx, state, pod, statuses)
	if status.IsSuccess() && result != nil && result.NominatingInfo != nil {
		c.preempts = result.NominatedNodeName
	}
	return result, status
}

// evictsTerminating reports whether victims that terminate already are evicted too.
func evictsTerminating() bool {
	return !slices.Contains(passOverTerminating, production.KubernetesVersion)
}

// passOverTerminating are the releases before v1.35 in which victims that terminate, or are gone, are nothing to a
// preemption, which activates the preemptor if all are gone. Those that follow take that back.
var passOverTerminating = []string{"v1.34.0", "v1.34.1"}

// activates reports whether an eviction that ended so lets the preemptor be tried again in the end.
func activates(err error, p *evicting, last, _ bool) bool {
	if apierrors.IsNotFound(err) && !evictsTerminating() {
		return last && p.found == 0
	}
	return err != nil
}

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

// leftWaiting returns nothing: no pre-bind plugin is asked before the wait on permit.
func (s *Scheduler) leftWaiting(map[loop.Ref]runtime.Object) []string { return nil }
