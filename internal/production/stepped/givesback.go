package stepped

import (
	"context"
	"reflect"
	"unsafe"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources"

	"github.com/seed-a3f26817/modelcheck/internal/production/frameworkapi"
)

// givesBack stands before the plugin DynamicResources at PostFilter. Of the claims of a pod that some node cannot have,
// and whose devices nobody else uses, production gives one back, the first in the iteration order of a map; here the
// first by the order of the pod is left to it.
type givesBack struct{ frameworkapi.PostFilterPlugin }

// PostFilter implements framework.PostFilterPlugin.
func (g givesBack) PostFilter(ctx context.Context, state frameworkapi.CycleState, pod *v1.Pod,
	statuses frameworkapi.NodeToStatusReader) (*frameworkapi.PostFilterResult, *frameworkapi.Status) {
	if data, err := state.Read(dynamicresources.Name); err == nil {
		leaveFirst(reflect.ValueOf(data).Elem(), pod)
	}
	return g.PostFilterPlugin.PostFilter(ctx, state, pod, statuses)
}

// leaveFirst leaves of the claims that are noted to be unavailable on a node the first that may be given back, if any.
func leaveFirst(data reflect.Value, pod *v1.Pod) {
	unavailable := *(*sets.Set[int])(unsafe.Pointer(data.FieldByName("unavailableClaims").UnsafeAddr()))
	store := data.FieldByName("claims")
	claims := *(*[]*resourcev1.ResourceClaim)(unsafe.Pointer(store.FieldByName("claims").UnsafeAddr()))
	for i, claim := range claims[:store.FieldByName("numUserOwned").Int()] {
		users := claim.Status.ReservedFor
		if unavailable.Has(i) && (len(users) == 0 || len(users) == 1 && users[0].UID == pod.UID) {
			clear(unavailable)
			unavailable.Insert(i)
			return
		}
	}
}

// giveBackInTurn has the plugin DynamicResources of the framework give the first claim back that it may.
func giveBackInTurn(inner framework.Framework) {
	field := reflect.ValueOf(inner).Elem().FieldByName("postFilterPlugins")
	plugins := *(*[]frameworkapi.PostFilterPlugin)(unsafe.Pointer(field.UnsafeAddr()))
	for i, plugin := range plugins {
		if plugin.Name() == dynamicresources.Name {
			plugins[i] = givesBack{plugin}
		}
	}
}
