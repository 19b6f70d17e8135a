//go:build !before1.37

package production

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/go-logr/logr"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/dynamic-resource-allocation/resourceslice/tracker"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodevolumelimits"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
)

// KubernetesVersion is the release of kube-scheduler that decides. A test holds it to go.mod. For another patch release
// it is set when modelcheck is built.
var KubernetesVersion = "v1.37.2"

// releaseOptions are the collaborators that the framework has in this release, besides those of all releases.
func (e *engine) releaseOptions(factory informers.SharedInformerFactory) []frameworkruntime.Option {
	return []frameworkruntime.Option{
		frameworkruntime.WithSharedCSIManager(nodevolumelimits.NewCSIManager(factory.Storage().V1().CSINodes().Lister())),
		frameworkruntime.WithPodGroupManager(noPodGroups{}),
		frameworkruntime.WithPodsInPreBind(frameworkruntime.NewPodsInPreBindMap()),
		frameworkruntime.WithMutableSnapshotLister(e.snapshot),
	}
}

// followTaintRules has the tracker of resource slices follow the rules that taint devices, if the release does.
func followTaintRules(options *tracker.Options, factory informers.SharedInformerFactory) {
	options.EnableDeviceTaintRules = feature.DefaultFeatureGate.Enabled(features.DRADeviceTaintRules)
	if !options.EnableDeviceTaintRules {
		return
	}
	options.TaintInformer = factory.Resource().V1().DeviceTaintRules()
}

// beforeEviction calls begin before the plugin evicts a pod, with the context of the evictions, and has the eviction
// log nothing.
func beforeEviction(plugin *defaultpreemption.DefaultPreemption, begin func(context.Context)) {
	preempt := plugin.Executor.PreemptPod
	plugin.Executor.PreemptPod = func(ctx context.Context, c preemption.Candidate,
		preemptor preemption.ExecutorPreemptor, victim *v1.Pod, pluginName string) (bool, error) {
		begin(ctx)
		return preempt(klog.NewContext(ctx, logr.Discard()), c, preemptor, victim, pluginName)
	}
}

// NumPodGroupDisruptions implements preemption.Candidate.
func (c candidate) NumPodGroupDisruptions() int { return 0 }

// SelectVictimsOnNode implements preemption.Interface. Which budget of a pod comes first makes a difference, and an
// informer lists them in no order: here it is that of their names.
func (w *preemptionWatch) SelectVictimsOnNode(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo,
	possible []*preemption.DomainVictim, budgets []*policyv1.PodDisruptionBudget) ([]*v1.Pod, int, *fwk.Status) {
	budgets = slices.SortedFunc(slices.Values(budgets), func(a, b *policyv1.PodDisruptionBudget) int {
		return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
	})
	victims, violations, status := w.Interface.SelectVictimsOnNode(ctx, state, pod, node, possible, budgets)
	w.note(node, victims, violations, status)
	return victims, violations, status
}

// popNext has the scheduler take the pod next.
func popNext(s *scheduler.Scheduler, pod *framework.QueuedPodInfo) {
	s.NextEntity = func(klog.Logger) (framework.QueuedEntityInfo, error) { return pod, nil }
}

var _ fwk.MutableSnapshotSharedLister = (*snapshot)(nil)

// HavePodsWithRequiredNonHostScopedAntiAffinityList implements fwk.NodeInfoLister. The nodes have pods for it with the
// feature gate InterPodAffinityHostnameFastPath only.
func (s *snapshot) HavePodsWithRequiredNonHostScopedAntiAffinityList() ([]fwk.NodeInfo, error) {
	var infos []fwk.NodeInfo
	for _, info := range s.antiAffine {
		if len(info.(*framework.NodeInfo).PodsWithRequiredNonHostScopedAntiAffinity) > 0 {
			infos = append(infos, info)
		}
	}
	return infos, nil
}

// errNotMutable is said to who wants to change the snapshot. Only the scheduling of pod groups does.
var errNotMutable = errors.New("the snapshot of a question does not change")

// StartMutations implements fwk.MutableSnapshotSharedLister.
func (s *snapshot) StartMutations() error { return errNotMutable }

// EndMutations implements fwk.MutableSnapshotSharedLister.
func (s *snapshot) EndMutations() error { return errNotMutable }

// AddPod implements fwk.MutableSnapshotSharedLister.
func (s *snapshot) AddPod(fwk.PodInfo, string) error { return errNotMutable }

// RemovePod implements fwk.MutableSnapshotSharedLister.
func (s *snapshot) RemovePod(klog.Logger, *v1.Pod, string) error { return errNotMutable }

var placement = regexp.MustCompile(`on node \S+, preempting \d+ victims`)

// MessageFor returns the message as it is if room is made on the node, by that many victims. Which of several equal
// nodes it tells of is left to chance.
func MessageFor(message, node string, victims int) string {
	return placement.ReplaceAllLiteralString(message, fmt.Sprintf("on node %s, preempting %d victims", node, victims))
}
