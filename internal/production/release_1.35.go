//go:build before1.36 && !before1.35

package production

import (
	"k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/dynamic-resource-allocation/resourceslice/tracker"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodevolumelimits"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
)

// KubernetesVersion is the release of kube-scheduler that decides. For another patch release it is set when modelcheck
// is built.
var KubernetesVersion = "v1.35.4"

// releaseOptions are the collaborators that the framework has in this release, besides those of all releases.
func (*engine) releaseOptions(factory informers.SharedInformerFactory) []frameworkruntime.Option {
	return []frameworkruntime.Option{
		frameworkruntime.WithSharedCSIManager(nodevolumelimits.NewCSIManager(factory.Storage().V1().CSINodes().Lister())),
	}
}

// followTaintRules has the tracker of resource slices follow the rules that taint devices, if the release does.
func followTaintRules(options *tracker.Options, factory informers.SharedInformerFactory) {
	options.EnableDeviceTaintRules = feature.DefaultFeatureGate.Enabled(features.DRADeviceTaintRules)
	if !options.EnableDeviceTaintRules {
		return
	}
	options.TaintInformer = factory.Resource().V1alpha3().DeviceTaintRules()
	options.ClassInformer = factory.Resource().V1().DeviceClasses()
}
