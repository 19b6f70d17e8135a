//go:build before1.36 && !before1.34

package production

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/go-logr/logr"
	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"

	fwk "github.com/seed-a3f26817/modelcheck/internal/production/frameworkapi"
)

// The order of pools. These releases look at the pools of devices of a node in the order of a map, which is another one
// each time, and the order in which they were put in, turned by a number that is drawn, while they are few. So they are
// put in by name, and the filter is asked until it has come to them by name: that is one of its answers, and always the
// same.

// orderedPools is how many pools a map has in the order in which they were put in.
const orderedPools = 8

// poolsByName has the plugin for devices look at pools by name.
func poolsByName(registry frameworkruntime.Registry) {
	plain := registry[names.DynamicResources]
	registry[names.DynamicResources] = func(ctx context.Context, args runtime.Object, h fwk.Handle) (fwk.Plugin, error) {
		plugin, err := plain(ctx, args, h)
		if devices, is := plugin.(*dynamicresources.DynamicResources); is && err == nil {
			return byPoolName{devices}, nil
		}
		return plugin, err
	}
}

// byPoolName is the plugin, the filter of which is asked until it has come to pools by name.
type byPoolName struct {
	*dynamicresources.DynamicResources
}

// Filter implements fwk.FilterPlugin.
func (p byPoolName) Filter(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo) *fwk.Status {
	for {
		heard := &poolLog{}
		status := p.DynamicResources.Filter(klog.NewContext(ctx, logr.New(heard)), state, pod, node)
		if !heard.turned {
			return status
		}
	}
}

// poolLog hears from the plugin in which order it looks at pools: it logs so where somebody wants to know all.
type poolLog struct {
	// turned: it is not by name.
	turned bool
}

// Init implements logr.LogSink.
func (*poolLog) Init(logr.RuntimeInfo) {}

// Enabled implements logr.LogSink.
func (*poolLog) Enabled(level int) bool { return level == 7 }

// Info implements logr.LogSink.
func (l *poolLog) Info(_ int, message string, keysAndValues ...any) {
	if message != "Gathered pool information" {
		return
	}
	for i := 0; i+1 < len(keysAndValues); i += 2 {
		if keysAndValues[i] == "pools" {
			pools := reflect.ValueOf(keysAndValues[i+1]) // of a type that is internal
			listed := make([]string, pools.Len())
			for j := range listed {
				listed[j] = fmt.Sprint(pools.Index(j).Elem().FieldByName("PoolID"))
			}
			l.turned = len(listed) <= orderedPools && !slices.IsSorted(listed)
		}
	}
}

// Error implements logr.LogSink.
func (*poolLog) Error(error, string, ...any) {}

// WithValues implements logr.LogSink.
func (l *poolLog) WithValues(...any) logr.LogSink { return l }

// WithName implements logr.LogSink.
func (l *poolLog) WithName(string) logr.LogSink { return l }

// devicesByPool has the plugin get slices by the names of their pools.
func devicesByPool(devices fwk.SharedDRAManager) fwk.SharedDRAManager { return slicesByPool{devices} }

// slicesByPool lists slices by the names of their pools, as poolLog knows them.
type slicesByPool struct{ fwk.SharedDRAManager }

// ResourceSlices implements fwk.SharedDRAManager.
func (m slicesByPool) ResourceSlices() fwk.ResourceSliceLister {
	return sliceLister{m.SharedDRAManager.ResourceSlices()}
}

type sliceLister struct{ fwk.ResourceSliceLister }

// ListWithDeviceTaintRules implements fwk.ResourceSliceLister.
func (l sliceLister) ListWithDeviceTaintRules() ([]*resourcev1.ResourceSlice, error) {
	listed, err := l.ResourceSliceLister.ListWithDeviceTaintRules()
	pool := func(s *resourcev1.ResourceSlice) string { return s.Spec.Driver + "/" + s.Spec.Pool.Name }
	slices.SortFunc(listed, func(a, b *resourcev1.ResourceSlice) int {
		return cmp.Or(cmp.Compare(pool(a), pool(b)), cmp.Compare(a.Name, b.Name))
	})
	return listed, err
}
