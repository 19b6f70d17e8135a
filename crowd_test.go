package modelcheck_test

import (
	"context"
	"maps"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/seed-a3f26817/modelcheck"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// crowd is a plugin that lets no two pods of one app on a node. It counts before it looks at nodes, as plugins do
// that look at pods, so it must follow when pods come and go in the dry runs of preemption; the fields are bugs.
type crowd struct {
	name           string
	forgetsToLeave bool // RemovePod does nothing
	forgetsToCome  bool // AddPod does nothing
}

// there is which apps are on a node.
type there map[string]map[string]int

func (s there) Clone() fwk.StateData {
	clone := there{}
	for node, apps := range s {
		clone[node] = maps.Clone(apps)
	}
	return clone
}

func (s there) add(pod *v1.Pod, node string, n int) {
	if s[node] == nil {
		s[node] = map[string]int{}
	}
	s[node][pod.Labels["app"]] += n
}

func (c crowd) Name() string { return c.name }

func (c crowd) PreFilter(_ context.Context, state fwk.CycleState, _ *v1.Pod,
	nodes []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	counts := there{}
	for _, info := range nodes {
		for _, pod := range info.GetPods() {
			counts.add(pod.GetPod(), info.Node().Name, 1)
		}
	}
	state.Write(fwk.StateKey(c.name), counts)
	return nil, nil
}

func (c crowd) PreFilterExtensions() fwk.PreFilterExtensions { return c }

func (c crowd) AddPod(_ context.Context, state fwk.CycleState, _ *v1.Pod, pod fwk.PodInfo,
	info fwk.NodeInfo) *fwk.Status {
	return c.count(state, pod, info, 1, c.forgetsToCome)
}

func (c crowd) RemovePod(_ context.Context, state fwk.CycleState, _ *v1.Pod, pod fwk.PodInfo,
	info fwk.NodeInfo) *fwk.Status {
	return c.count(state, pod, info, -1, c.forgetsToLeave)
}

func (c crowd) count(state fwk.CycleState, pod fwk.PodInfo, info fwk.NodeInfo, n int, forgets bool) *fwk.Status {
	counts, err := state.Read(fwk.StateKey(c.name))
	if err != nil {
		return fwk.AsStatus(err)
	}
	if !forgets {
		counts.(there).add(pod.GetPod(), info.Node().Name, n)
	}
	return nil
}

func (c crowd) Filter(_ context.Context, state fwk.CycleState, pod *v1.Pod, info fwk.NodeInfo) *fwk.Status {
	counts, err := state.Read(fwk.StateKey(c.name))
	if err != nil {
		return fwk.AsStatus(err)
	}
	if counts.(there)[info.Node().Name][pod.Labels["app"]] > 0 {
		return fwk.NewStatus(fwk.Unschedulable, "a pod of the app is there")
	}
	return nil
}

// crowdControl is the plugin as it is meant to be.
func crowdControl(c crowd) modelcheck.Plugin {
	c.name = "CrowdControl"
	return modelcheck.Plugin{
		Name: c.name,
		New:  func(context.Context, runtime.Object, fwk.Handle) (fwk.Plugin, error) { return c, nil },
		Filter: &spec.Filter{
			Footprint: spec.ReadsNodeAndPods,
			Holds: func(_ *spec.Profile, pod *v1.Pod, node *v1.Node, s *spec.Snapshot) bool {
				for _, other := range spec.PodsOn(node, s) {
					if other.Labels["app"] == pod.Labels["app"] {
						return false
					}
				}
				return true
			},
		},
	}
}
