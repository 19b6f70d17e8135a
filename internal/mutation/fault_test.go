package mutation

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"

	"github.com/seed-a3f26817/modelcheck/internal/production"
)

// fault is what is wrong with a plugin: what it does not see of its input, or makes of its answer. What is not set
// is right.
type fault struct {
	// pod changes a copy of the pending pod, node of each node, before the plugin sees it.
	pod  func(*v1.Pod)
	node func(*v1.Node)
	// placed changes copies of the pods on nodes that the plugin is given.
	placed func(*v1.Pod)
	// stage says where pod, node and placed count: everywhere if it is zero.
	stage stage
	// preFilter and verdict change what the plugin says of the pod, and of a node.
	preFilter func(pod *v1.Pod, status *fwk.Status) *fwk.Status
	verdict   func(pod *v1.Pod, node fwk.NodeInfo, status *fwk.Status) *fwk.Status
	// noAdd and noRemove: the plugin overlooks the pods that a dry run adds, or removes.
	noAdd, noRemove bool
	// preScore changes what the plugin says before it scores.
	preScore func(pod *v1.Pod, status *fwk.Status) *fwk.Status
	// raw changes a score before normalisation, normal the scores after it; unnormalised leaves normalisation out.
	raw          func(pod *v1.Pod, node fwk.NodeInfo, score int64) int64
	normal       func(scores fwk.NodeScoreList)
	unnormalised bool
}

type stage int

const (
	everywhere stage = iota
	inFilter
	inRating
)

// at returns the fault as it is at the stage.
func (f fault) at(here stage) fault {
	if f.stage != everywhere && f.stage != here {
		f.pod, f.node, f.placed = nil, nil, nil
	}
	return f
}

// in returns kube-scheduler with the fault in a plugin.
func in(plugin string, f fault) production.Options {
	return planted(plugin, func(p fwk.Plugin) fwk.Plugin { return f.wrap(p) })
}

// planted returns kube-scheduler with something in the place of an in-tree plugin, made from it.
func planted(plugin string, spoil func(fwk.Plugin) fwk.Plugin) production.Options {
	inTree := plugins.NewInTreeRegistry()[plugin]
	return production.Options{Registry: frameworkruntime.Registry{
		plugin: func(ctx context.Context, args runtime.Object, h fwk.Handle) (fwk.Plugin, error) {
			p, err := inTree(ctx, args, h)
			if err != nil {
				return nil, err
			}
			return spoil(p), nil
		},
	}}
}

// wrap returns the plugin with the fault. It takes part at the same extension points, as far as they are part of a
// decision.
func (f fault) wrap(p fwk.Plugin) fwk.Plugin {
	preFilter, preFilters := p.(fwk.PreFilterPlugin)
	filter, filters := p.(fwk.FilterPlugin)
	preScore, preScores := p.(fwk.PreScorePlugin)
	score, scores := p.(fwk.ScorePlugin)
	filterFault, scoreFault := f.at(inFilter), f.at(inRating)
	switch {
	case preFilters && scores:
		return struct {
			fwk.Plugin
			preFiltering
			filtering
			preScoring
			scoring
		}{p, preFiltering{preFilter, filterFault}, filtering{filter, filterFault}, preScoring{preScore, scoreFault},
			scoring{score, scoreFault}}
	case preFilters:
		return struct {
			fwk.Plugin
			preFiltering
			filtering
		}{p, preFiltering{preFilter, filterFault}, filtering{filter, filterFault}}
	case filters && scores:
		return struct {
			fwk.Plugin
			filtering
			preScoring
			scoring
		}{p, filtering{filter, filterFault}, preScoring{preScore, scoreFault}, scoring{score, scoreFault}}
	case filters:
		return struct {
			fwk.Plugin
			filtering
		}{p, filtering{filter, filterFault}}
	case preScores:
		return struct {
			fwk.Plugin
			preScoring
			scoring
		}{p, preScoring{preScore, scoreFault}, scoring{score, scoreFault}}
	default:
		return struct {
			fwk.Plugin
			scoring
		}{p, scoring{score, scoreFault}}
	}
}

// asks returns the pod as the plugin sees it.
func (f fault) asks(pod *v1.Pod) *v1.Pod {
	if f.pod == nil {
		return pod
	}
	spoilt := pod.DeepCopy()
	f.pod(spoilt)
	return spoilt
}

// sees returns the node as the plugin sees it.
func (f fault) sees(info fwk.NodeInfo) fwk.NodeInfo {
	spoilt := info
	if f.placed != nil {
		var pods []*v1.Pod
		for _, p := range info.GetPods() {
			pod := p.GetPod().DeepCopy()
			f.placed(pod)
			pods = append(pods, pod)
		}
		fresh := framework.NewNodeInfo(pods...)
		fresh.SetNode(info.Node())
		spoilt = fresh
	}
	if f.node != nil {
		node := info.Node().DeepCopy()
		f.node(node)
		fresh := spoilt.Snapshot().(*framework.NodeInfo)
		fresh.SetNode(node)
		spoilt = fresh
	}
	return spoilt
}

func (f fault) seesAll(infos []fwk.NodeInfo) []fwk.NodeInfo {
	all := make([]fwk.NodeInfo, len(infos))
	for i, info := range infos {
		all[i] = f.sees(info)
	}
	return all
}

type preFiltering struct {
	plugin fwk.PreFilterPlugin
	fault  fault
}

func (p preFiltering) PreFilter(ctx context.Context, state fwk.CycleState, pod *v1.Pod,
	nodes []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	result, status := p.plugin.PreFilter(ctx, state, p.fault.asks(pod), p.fault.seesAll(nodes))
	if p.fault.preFilter != nil {
		status = p.fault.preFilter(pod, status)
	}
	return result, status
}

func (p preFiltering) PreFilterExtensions() fwk.PreFilterExtensions {
	extensions := p.plugin.PreFilterExtensions()
	if extensions == nil {
		return nil
	}
	return extending{extensions, p.fault}
}

type extending struct {
	extensions fwk.PreFilterExtensions
	fault      fault
}

func (p extending) AddPod(ctx context.Context, state fwk.CycleState, pod *v1.Pod, added fwk.PodInfo,
	node fwk.NodeInfo) *fwk.Status {
	if p.fault.noAdd {
		return nil
	}
	return p.extensions.AddPod(ctx, state, p.fault.asks(pod), added, p.fault.sees(node))
}

func (p extending) RemovePod(ctx context.Context, state fwk.CycleState, pod *v1.Pod, removed fwk.PodInfo,
	node fwk.NodeInfo) *fwk.Status {
	if p.fault.noRemove {
		return nil
	}
	return p.extensions.RemovePod(ctx, state, p.fault.asks(pod), removed, p.fault.sees(node))
}

type filtering struct {
	plugin fwk.FilterPlugin
	fault  fault
}

func (p filtering) Filter(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo) *fwk.Status {
	status := p.plugin.Filter(ctx, state, p.fault.asks(pod), p.fault.sees(node))
	if p.fault.verdict != nil {
		status = p.fault.verdict(pod, node, status)
	}
	return status
}

type preScoring struct {
	plugin fwk.PreScorePlugin
	fault  fault
}

func (p preScoring) PreScore(ctx context.Context, state fwk.CycleState, pod *v1.Pod, nodes []fwk.NodeInfo) *fwk.Status {
	status := p.plugin.PreScore(ctx, state, p.fault.asks(pod), p.fault.seesAll(nodes))
	if p.fault.preScore != nil {
		status = p.fault.preScore(pod, status)
	}
	return status
}

type scoring struct {
	plugin fwk.ScorePlugin
	fault  fault
}

func (p scoring) Score(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo) (int64, *fwk.Status) {
	score, status := p.plugin.Score(ctx, state, p.fault.asks(pod), p.fault.sees(node))
	if p.fault.raw != nil && status.IsSuccess() {
		score = p.fault.raw(pod, node, score)
	}
	return score, status
}

func (p scoring) ScoreExtensions() fwk.ScoreExtensions {
	extensions := p.plugin.ScoreExtensions()
	if p.fault.unnormalised || extensions == nil && p.fault.normal == nil {
		return nil
	}
	return normalising{extensions, p.fault}
}

type normalising struct {
	extensions fwk.ScoreExtensions // nil if the plugin does not normalise
	fault      fault
}

func (p normalising) NormalizeScore(ctx context.Context, state fwk.CycleState, pod *v1.Pod,
	scores fwk.NodeScoreList) *fwk.Status {
	if p.extensions != nil {
		if status := p.extensions.NormalizeScore(ctx, state, p.fault.asks(pod), scores); !status.IsSuccess() {
			return status
		}
	}
	if p.fault.normal != nil {
		p.fault.normal(scores)
	}
	return nil
}
