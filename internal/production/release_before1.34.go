//go:build before1.34

package production

import (
	"context"
	"errors"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/informers"
	"k8s.io/component-base/featuregate"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"

	fwk "github.com/seed-a3f26817/modelcheck/internal/production/frameworkapi"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// KubernetesVersion is the release of kube-scheduler that decides. For another patch release it is set when modelcheck
// is built.
var KubernetesVersion = "v1.33.13"

// releaseOptions are the collaborators that the framework has in this release, besides those of all releases.
func (*engine) releaseOptions(informers.SharedInformerFactory) []frameworkruntime.Option { return nil }

// deviceOptions: there are none without the feature gate DynamicResourceAllocation, which is off by default before
// v1.34.
func (*engine) deviceOptions(informers.SharedInformerFactory) ([]frameworkruntime.Option, error) {
	return nil, nil
}

// poolsByName does nothing, as there are no devices.
func poolsByName(frameworkruntime.Registry) {}

// SelectsDevices returns a function that is never asked, as there are no devices.
func SelectsDevices() func(string, spec.PublishedDevice) (bool, error) {
	return func(string, spec.PublishedDevice) (bool, error) {
		return false, errors.New("devices are not selected before v1.34")
	}
}

// asyncAPICalls: there is no such feature gate before v1.34.
func asyncAPICalls() (featuregate.Feature, bool) { return "", false }

// preFilter asks the plugin about the pod.
func preFilter(ctx context.Context, plugin fwk.PreFilterPlugin, state fwk.CycleState, pod *v1.Pod,
	_ []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	return plugin.PreFilter(ctx, state, pod)
}

// skippedFilters names the filters that abstain.
func skippedFilters(state fwk.CycleState) sets.Set[string] { return state.SkipFilterPlugins }

// skippedScores names the score plugins that abstain.
func skippedScores(state fwk.CycleState) sets.Set[string] { return state.SkipScorePlugins }
