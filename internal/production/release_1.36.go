//go:build before1.37 && !before1.36

package production

import (
	"context"

	"github.com/go-logr/logr"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/dynamic-resource-allocation/resourceslice/tracker"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodevolumelimits"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
)

// KubernetesVersion is the release of kube-scheduler that decides. For another patch release it is set when modelcheck
// is built.
var KubernetesVersion = "v1.36.3"

// releaseOptions are the collaborators that the framework has in this release, besides those of all releases.
func (*engine) releaseOptions(factory informers.SharedInformerFactory) []frameworkruntime.Option {
	return []frameworkruntime.Option{
		frameworkruntime.WithSharedCSIManager(nodevolumelimits.NewCSIManager(factory.Storage().V1().CSINodes().Lister())),
		frameworkruntime.WithPodGroupManager(noPodGroups{}),
		frameworkruntime.WithPodsInPreBind(frameworkruntime.NewPodsInPreBindMap()),
	}
}

// followTaintRules has the tracker of resource slices follow the rules that taint devices, if the release does.
func followTaintRules(options *tracker.Options, factory informers.SharedInformerFactory) {
	options.EnableDeviceTaintRules = feature.DefaultFeatureGate.Enabled(features.DRADeviceTaintRules)
	if !options.EnableDeviceTaintRules {
		return
	}
	options.TaintInformer = factory.Resource().V1beta2().DeviceTaintRules()
	options.ClassInformer = factory.Resource().V1().DeviceClasses()
}

// beforeEviction calls begin before the plugin evicts a pod, with the context of the evictions, and has the eviction
// log nothing.
func beforeEviction(plugin *defaultpreemption.DefaultPreemption, begin func(context.Context)) {
	preempt := plugin.Executor.PreemptPod
	plugin.Executor.PreemptPod = func(ctx context.Context, c preemption.Candidate,
		preemptor preemption.ExecutorPreemptor, victim *v1.Pod, pluginName string) error {
		begin(ctx)
		return preempt(klog.NewContext(ctx, logr.Discard()), c, preemptor, victim, pluginName)
	}
}

var _ fwk.PodGroupManager = noPodGroups{}
