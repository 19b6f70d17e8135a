//go:build before1.35 && !before1.34

package production

import (
	"k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/dynamic-resource-allocation/resourceslice/tracker"
	"k8s.io/kubernetes/pkg/features"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
)

// KubernetesVersion is the release of kube-scheduler that decides. For another patch release it is set when modelcheck
// is built.
var KubernetesVersion = "v1.34.4"

// releaseOptions are the collaborators that the framework has in this release, besides those of all releases.
func (*engine) releaseOptions(_ informers.SharedInformerFactory) []frameworkruntime.Option {
	return nil
}

// followTaintRules has the tracker of resource slices follow the rules that taint devices, if the release does.
func followTaintRules(options *tracker.Options, factory informers.SharedInformerFactory) {
	options.EnableDeviceTaints = feature.DefaultFeatureGate.Enabled(features.DRADeviceTaints)
	if !options.EnableDeviceTaints {
		return
	}
	options.TaintInformer = factory.Resource().V1alpha3().DeviceTaintRules()
	options.ClassInformer = factory.Resource().V1().DeviceClasses()
}
