package stepped

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production/frameworkapi"
)

// FaultPlugin is the name of the plugin by which faults come into a cycle. It is the last of its extension points,
// or the first.
const FaultPlugin = loop.FaultPlugin

// errFault is what a plugin fails with when an action asks for it.
var errFault = errors.New("it fails, as the action asks")

// rejects is what a plugin says when an action asks it to reject the pod.
const rejects = "it is rejected, as the action asks"

// tooHigh is one more than MaxNodeScore, which is in another package in each release.
const tooHigh = 101

// faults is the plugin: it does what the action at hand asks for, and nothing otherwise.
type faults struct {
	armed loop.Fault
	// first: it is asked before all others, not after them.
	first bool
	// preBound is the pod of which it was asked at PreBind, after all others, since the last step; postBound are those
	// of which it was told at PostBind.
	preBound  string
	mu        sync.Mutex
	postBound []string
}

var (
	_ frameworkapi.PreFilterPlugin   = (*faults)(nil)
	_ frameworkapi.FilterPlugin      = (*faults)(nil)
	_ frameworkapi.PreScorePlugin    = (*faults)(nil)
	_ frameworkapi.ScorePlugin       = (*faults)(nil)
	_ frameworkapi.ReservePlugin     = (*faults)(nil)
	_ frameworkapi.PermitPlugin      = (*faults)(nil)
	_ frameworkapi.PreBindPlugin     = (*faults)(nil)
	_ frameworkapi.PostBindPlugin    = (*faults)(nil)
	_ frameworkapi.EnqueueExtensions = (*faults)(nil)
)

// registry returns the registry with the plugin, and enable puts it into the profile.
func (f *faults) registry() frameworkruntime.Registry {
	return frameworkruntime.Registry{
		FaultPlugin: func(context.Context, runtime.Object, frameworkapi.Handle) (frameworkapi.Plugin, error) {
			return f, nil
		},
	}
}

// Before all others at an extension point are those that it and MultiPoint have.
func (f *faults) enable(profile *config.KubeSchedulerProfile) {
	if profile.Plugins == nil {
		profile.Plugins = &config.Plugins{}
	}
	plugins, itself := profile.Plugins, config.Plugin{Name: FaultPlugin}
	if f.first {
		plugins.MultiPoint.Enabled = append(plugins.MultiPoint.Enabled, itself)
	}
	for _, set := range []*config.PluginSet{&plugins.PreFilter, &plugins.Filter, &plugins.PreScore, &plugins.Score,
		&plugins.Reserve, &plugins.Permit, &plugins.PreBind, &plugins.PostBind} {
		if f.first {
			set.Enabled = slices.Insert(set.Enabled, 0, itself)
		} else {
			set.Enabled = append(set.Enabled, itself)
		}
	}
}

// Name implements frameworkapi.Plugin.
func (f *faults) Name() string { return FaultPlugin }

// EventsToRegister implements frameworkapi.EnqueueExtensions: every event may help, those too that a plugin is not told
// of which does not say, but for what is noted on the pod itself. With that a pod would be retried because the message
// of its rejection is a new one, and not if it is the same as before.
func (f *faults) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	all := framework.UnrollWildCardResource()
	for _, missing := range []fwk.EventResource{fwk.ResourceSlice, fwk.VolumeAttachment} {
		all = append(all, fwk.ClusterEventWithHint{Event: fwk.ClusterEvent{Resource: missing, ActionType: fwk.All}})
	}
	for i := range all {
		all[i].QueueingHintFn = func(_ klog.Logger, pod *v1.Pod, before, after any) (fwk.QueueingHint, error) {
			if was, is := asPod(before), asPod(after); was != nil && is != nil && is.UID == pod.UID &&
				onlyStatus(was, is) {
				return fwk.QueueSkip, nil
			}
			return fwk.Queue, nil
		}
	}
	return all, nil
}

// asPod returns the pod that the object is; nil if it is none.
func asPod(object any) *v1.Pod {
	pod, _ := object.(*v1.Pod)
	return pod
}

// onlyStatus reports whether two versions of a pod differ in nothing but their status.
func onlyStatus(was, is *v1.Pod) bool {
	was = was.DeepCopy()
	was.Status, was.ResourceVersion = is.Status, is.ResourceVersion
	return equality.Semantic.DeepEqual(was, is)
}

// PreFilter implements frameworkapi.PreFilterPlugin.
func (f *faults) PreFilter(context.Context, frameworkapi.CycleState, *v1.Pod,
	[]frameworkapi.NodeInfo) (*frameworkapi.PreFilterResult, *frameworkapi.Status) {
	switch f.armed {
	case loop.FailPreFilter:
		return nil, fwk.AsStatus(errFault)
	case loop.RejectPreFilter:
		return nil, fwk.NewStatus(fwk.Unschedulable, rejects)
	case loop.FailFilter, loop.FailAddPod, loop.FailRemovePod:
		return nil, nil
	}
	return nil, fwk.NewStatus(fwk.Skip)
}

// PreFilterExtensions implements frameworkapi.PreFilterPlugin.
func (f *faults) PreFilterExtensions() frameworkapi.PreFilterExtensions { return f }

// AddPod implements frameworkapi.PreFilterExtensions.
func (f *faults) AddPod(context.Context, frameworkapi.CycleState, *v1.Pod, frameworkapi.PodInfo,
	frameworkapi.NodeInfo) *frameworkapi.Status {
	return f.failing(loop.FailAddPod)
}

// RemovePod implements frameworkapi.PreFilterExtensions.
func (f *faults) RemovePod(context.Context, frameworkapi.CycleState, *v1.Pod, frameworkapi.PodInfo,
	frameworkapi.NodeInfo) *frameworkapi.Status {
	return f.failing(loop.FailRemovePod)
}

// failing fails if the action at hand asks for that.
func (f *faults) failing(fault loop.Fault) *frameworkapi.Status {
	if f.armed == fault {
		return fwk.AsStatus(errFault)
	}
	return nil
}

// Filter implements frameworkapi.FilterPlugin. It is only asked if PreFilter does not say that there is nothing to ask.
// What PreFilter rejects Filter does, too, in a dry run: else evictions would seem to help.
func (f *faults) Filter(context.Context, frameworkapi.CycleState, *v1.Pod, frameworkapi.NodeInfo) *frameworkapi.Status {
	if f.armed == loop.RejectPreFilter {
		return fwk.NewStatus(fwk.Unschedulable, rejects)
	}
	return f.failing(loop.FailFilter)
}

// PreScore implements frameworkapi.PreScorePlugin.
func (f *faults) PreScore(context.Context, frameworkapi.CycleState, *v1.Pod,
	[]frameworkapi.NodeInfo) *frameworkapi.Status {
	switch f.armed {
	case loop.FailPreScore:
		return fwk.AsStatus(errFault)
	case loop.FailScore, loop.FailNormalize, loop.ExceedScore:
		return nil
	}
	return fwk.NewStatus(fwk.Skip)
}

// Score implements frameworkapi.ScorePlugin. It is only asked if PreScore does not say that there is nothing to ask.
func (f *faults) Score(context.Context, frameworkapi.CycleState, *v1.Pod,
	frameworkapi.NodeInfo) (int64, *frameworkapi.Status) {
	switch f.armed {
	case loop.FailScore:
		return 0, fwk.AsStatus(errFault)
	case loop.ExceedScore:
		return tooHigh, nil
	}
	return 0, nil
}

// ScoreExtensions implements frameworkapi.ScorePlugin.
func (f *faults) ScoreExtensions() frameworkapi.ScoreExtensions { return f }

// NormalizeScore implements frameworkapi.ScoreExtensions.
func (f *faults) NormalizeScore(context.Context, frameworkapi.CycleState, *v1.Pod,
	frameworkapi.NodeScoreList) *frameworkapi.Status {
	return f.failing(loop.FailNormalize)
}

// Reserve implements frameworkapi.ReservePlugin.
func (f *faults) Reserve(context.Context, fwk.CycleState, *v1.Pod, string) *fwk.Status {
	if f.armed == loop.RejectReserve {
		return fwk.NewStatus(fwk.Unschedulable, rejects)
	}
	return f.failing(loop.FailReserve)
}

// Unreserve implements frameworkapi.ReservePlugin.
func (f *faults) Unreserve(context.Context, fwk.CycleState, *v1.Pod, string) {}

// Permit implements frameworkapi.PermitPlugin. The real timer of the wait is never to run out; the action Expire does
// what it would do.
func (f *faults) Permit(context.Context, fwk.CycleState, *v1.Pod, string) (*fwk.Status, time.Duration) {
	switch f.armed {
	case loop.RejectPermit:
		return fwk.NewStatus(fwk.Unschedulable, rejects), 0
	case loop.WaitPermit, loop.FailPreFlight:
		return fwk.NewStatus(fwk.Wait), permitTimeout
	}
	return nil, 0
}

// permitTimeout is the longest that kube-scheduler lets a pod wait.
const permitTimeout = 15 * time.Minute

// preFlight says whether PreBind has anything to do.
func (f *faults) preFlight() *fwk.Status {
	switch f.armed {
	case loop.FailPreBind, loop.RejectPreBind, loop.SlowPreBind:
		return nil
	case loop.FailPreFlight:
		return fwk.AsStatus(errFault)
	}
	return fwk.NewStatus(fwk.Skip)
}

// PreBind implements frameworkapi.PreBindPlugin.
func (f *faults) PreBind(_ context.Context, _ fwk.CycleState, pod *v1.Pod, _ string) *fwk.Status {
	if !f.first {
		f.preBound = loop.Key(pod)
	}
	if f.armed == loop.RejectPreBind {
		return fwk.NewStatus(fwk.Unschedulable, rejects)
	}
	return f.failing(loop.FailPreBind)
}

// PostBind implements frameworkapi.PostBindPlugin.
func (f *faults) PostBind(_ context.Context, _ fwk.CycleState, pod *v1.Pod, _ string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.postBound = append(f.postBound, loop.Key(pod))
}

// untold returns the pods that were bound since it was last asked, of which the plugin was not told, or the other way
// round, in order.
func (f *faults) untold(bound []string) []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	told := f.postBound
	f.postBound = nil
	missing := slices.DeleteFunc(slices.Clone(bound), func(pod string) bool { return slices.Contains(told, pod) })
	beside := slices.DeleteFunc(told, func(pod string) bool { return slices.Contains(bound, pod) })
	return slices.Sorted(slices.Values(append(missing, beside...)))
}
