package stepped

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"unsafe"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	internalqueue "k8s.io/kubernetes/pkg/scheduler/backend/queue"

	"github.com/seed-a3f26817/modelcheck/internal/production/frameworkapi"
)

// asksInOrder stands before a plugin at PreEnqueue. Of several plugins that would keep a pod out of the queue
// production blames the one that does already, or else the first that rejects it in the iteration order of a map; here
// that is the first by name: the others let the pod pass to it.
type asksInOrder struct {
	frameworkapi.PreEnqueuePlugin
	earlier []frameworkapi.PreEnqueuePlugin
	blamed  map[types.UID]string
}

// PreEnqueue implements framework.PreEnqueuePlugin.
func (o asksInOrder) PreEnqueue(ctx context.Context, pod *v1.Pod) *frameworkapi.Status {
	status := o.PreEnqueuePlugin.PreEnqueue(ctx, pod)
	already := o.blamed[pod.UID] == o.Name()
	switch {
	case status.IsSuccess():
		if already {
			delete(o.blamed, pod.UID)
		}
	case !already && slices.ContainsFunc(o.earlier, func(p frameworkapi.PreEnqueuePlugin) bool {
		return !p.PreEnqueue(ctx, pod).IsSuccess()
	}):
		return nil
	default:
		o.blamed[pod.UID] = o.Name()
	}
	return status
}

// enqueueInOrder has the plugins of each profile asked at PreEnqueue in the order of their names.
func enqueueInOrder(queue internalqueue.SchedulingQueue) {
	field := reflect.ValueOf(queue).Elem().FieldByName("preEnqueuePluginMap")
	for _, plugins := range *(*map[string]map[string]frameworkapi.PreEnqueuePlugin)(unsafe.Pointer(field.UnsafeAddr())) {
		blamed := map[types.UID]string{}
		var earlier []frameworkapi.PreEnqueuePlugin
		for _, name := range slices.Sorted(maps.Keys(plugins)) {
			plugin := plugins[name]
			plugins[name] = asksInOrder{plugin, slices.Clone(earlier), blamed}
			earlier = append(earlier, plugin)
		}
	}
}
