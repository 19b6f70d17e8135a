//go:build !before1.34

package production

import (
	"context"
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/component-base/featuregate"
	"k8s.io/dynamic-resource-allocation/resourceslice/tracker"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/util/assumecache"

	fwk "github.com/seed-a3f26817/modelcheck/internal/production/frameworkapi"
)

// What is the same in v1.34 and later.

// deviceOptions are the collaborators that kube-scheduler gives the framework for devices.
func (e *engine) deviceOptions(factory informers.SharedInformerFactory) ([]frameworkruntime.Option, error) {
	claims := assumecache.NewAssumeCache(klog.FromContext(e.ctx), factory.Resource().V1().ResourceClaims().Informer(),
		"ResourceClaim", "", nil)
	sliceOptions := tracker.Options{
		EnableConsumableCapacity: feature.DefaultFeatureGate.Enabled(features.DRAConsumableCapacity),
		SliceInformer:            factory.Resource().V1().ResourceSlices(),
		KubeClient:               e.client,
	}
	followTaintRules(&sliceOptions, factory)
	slices, err := tracker.StartTracker(e.ctx, sliceOptions)
	if err != nil {
		return nil, fmt.Errorf("starting the resource slice tracker: %w", err)
	}
	devices := dynamicresources.NewDRAManager(e.ctx, claims, slices, factory)
	if err := tellOfClasses(devices, factory); err != nil {
		return nil, err
	}
	return []frameworkruntime.Option{frameworkruntime.WithSharedDRAManager(devicesByPool(devices))}, nil
}

// The queue by which v1.34.0 and v1.35.0 call the API server by default decides nothing, and is not run here.
func init() {
	off := map[string]bool{string(features.SchedulerAsyncAPICalls): false}
	if err := feature.DefaultMutableFeatureGate.SetFromMap(off); err != nil {
		panic(fmt.Sprintf("production: a feature gate that the release has cannot be turned off: %v", err))
	}
}

// asyncAPICalls reports whether the feature gate is on with which the API server is called by a queue.
func asyncAPICalls() (gate featuregate.Feature, on bool) {
	return features.SchedulerAsyncAPICalls, feature.DefaultFeatureGate.Enabled(features.SchedulerAsyncAPICalls)
}

// preFilter asks the plugin about the pod.
func preFilter(ctx context.Context, plugin fwk.PreFilterPlugin, state fwk.CycleState, pod *v1.Pod,
	nodes []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	return plugin.PreFilter(ctx, state, pod, nodes)
}

// skippedFilters names the filters that abstain.
func skippedFilters(state fwk.CycleState) sets.Set[string] { return state.GetSkipFilterPlugins() }

// skippedScores names the score plugins that abstain.
func skippedScores(state fwk.CycleState) sets.Set[string] { return state.GetSkipScorePlugins() }
