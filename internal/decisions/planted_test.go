package decisions_test

import (
	"context"
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/noderesources"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/tainttoleration"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/model"
)

// plant puts a plugin in the place of the in-tree one of the same name, made from it.
func plant[P fwk.Plugin](name string, spoil func(P) fwk.Plugin) production.Options {
	inTree := plugins.NewInTreeRegistry()[name]
	return production.Options{Registry: frameworkruntime.Registry{
		name: func(ctx context.Context, args runtime.Object, h fwk.Handle) (fwk.Plugin, error) {
			plugin, err := inTree(ctx, args, h)
			if err != nil {
				return nil, err
			}
			return spoil(plugin.(P)), nil
		},
	}}
}

// ignoresNoExecute is TaintToleration that overlooks taints with the effect NoExecute.
type ignoresNoExecute struct {
	*tainttoleration.TaintToleration
}

func (p ignoresNoExecute) Filter(ctx context.Context, state fwk.CycleState, pod *v1.Pod,
	node fwk.NodeInfo) *fwk.Status {
	status := p.TaintToleration.Filter(ctx, state, pod, node)
	if slices.ContainsFunc(
		node.Node().Spec.Taints,
		func(t v1.Taint) bool { return t.Effect == v1.TaintEffectNoSchedule },
	) {
		return status
	}
	return nil
}

// notNormalised is TaintToleration whose score counts taints, the more the better.
type notNormalised struct {
	*tainttoleration.TaintToleration
}

func (notNormalised) ScoreExtensions() fwk.ScoreExtensions { return nil }

// oneTooMany is NodeResourcesFit that lets a node take one pod more than it has room for.
type oneTooMany struct{ *noderesources.Fit }

func (p oneTooMany) Filter(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo) *fwk.Status {
	if len(node.GetPods()) == node.GetAllocatable().GetAllowedPodNumber() {
		return nil
	}
	return p.Fit.Filter(ctx, state, pod, node)
}

// forgetsOverhead is NodeResourcesFit that counts the containers only.
type forgetsOverhead struct{ *noderesources.Fit }

func (p forgetsOverhead) PreFilter(ctx context.Context, state fwk.CycleState, pod *v1.Pod,
	nodes []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	less := pod.DeepCopy()
	less.Spec.Overhead = nil
	return p.Fit.PreFilter(ctx, state, less, nodes)
}

// offByOne is NodeResourcesFit whose score is one too low on nodes that are in use.
type offByOne struct{ *noderesources.Fit }

func (p offByOne) Score(ctx context.Context, state fwk.CycleState, pod *v1.Pod,
	node fwk.NodeInfo) (int64, *fwk.Status) {
	score, status := p.Fit.Score(ctx, state, pod, node)
	if len(node.GetPods()) > 0 {
		score--
	}
	return score, status
}

// panics is TaintToleration that panics at PreferNoSchedule.
type panics struct {
	*tainttoleration.TaintToleration
}

func (p panics) Filter(_ context.Context, _ fwk.CycleState, _ *v1.Pod, node fwk.NodeInfo) *fwk.Status {
	if len(node.Node().Spec.Taints) > 0 {
		panic("planted")
	}
	return nil
}

// TestPlantedBugs: a bug in a plugin is found, by the property that is about it, and the counterexample is the
// shortest.
func TestPlantedBugs(t *testing.T) {
	overhead := pod("web", "1", 0)
	overhead.Spec.Overhead = v1.ResourceList{v1.ResourceCPU: resource.MustParse("500m")}
	tests := []struct {
		reason  string
		planted production.Options
		nodes   int
		objects []runtime.Object
		// want has the finding, and the steps that lead to it.
		want  string
		steps int
		// golden is where the counterexample is kept.
		golden string
	}{
		{
			reason: "a filter that ignores NoExecute",
			planted: plant(
				tainttoleration.Name,
				func(p *tainttoleration.TaintToleration) fwk.Plugin { return ignoresNoExecute{p} },
			),
			nodes: 2,
			objects: []runtime.Object{node("plain", "2"), node("draining", "2", v1.TaintEffectNoExecute),
				pod("web", "1", 0)},
			want: "statuses-conform/TaintToleration/new", steps: 1, golden: "filter",
		},
		{
			reason: "and what follows from it",
			planted: plant(
				tainttoleration.Name,
				func(p *tainttoleration.TaintToleration) fwk.Plugin { return ignoresNoExecute{p} },
			),
			nodes:   1,
			objects: []runtime.Object{node("draining", "2", v1.TaintEffectNoExecute), pod("web", "1", 0)},
			want:    "placement-feasible/new", steps: 1,
		},
		{
			reason:  "a filter that is off by one: the third pod is one too many",
			planted: plant(noderesources.Name, func(p *noderesources.Fit) fwk.Plugin { return oneTooMany{p} }),
			nodes:   1,
			objects: []runtime.Object{node("n", "8"), pod("web", "1", 0)},
			want:    "no-overcommit/NodeResourcesFit/new", steps: 6,
		},
		{
			reason:  "a binding that goes too far is found one step before the node that is too full",
			planted: plant(noderesources.Name, func(p *noderesources.Fit) fwk.Plugin { return oneTooMany{p} }),
			nodes:   1,
			objects: []runtime.Object{node("n", "8"), pod("web", "1", 0)},
			want:    "binding-never-overcommits/NodeResourcesFit/new", steps: 5,
		},
		{
			reason:  "a filter that forgets overhead: 1 + 500m do not fit where 1 is left",
			planted: plant(noderesources.Name, func(p *noderesources.Fit) fwk.Plugin { return forgetsOverhead{p} }),
			nodes:   1,
			objects: []runtime.Object{node("n", "2"), pod("small", "1", 0), overhead},
			want:    "statuses-conform/NodeResourcesFit/new", steps: 3,
		},
		{
			reason:  "a score that is off by one on nodes in use: it takes two nodes to score, and one pod to use one",
			planted: plant(noderesources.Name, func(p *noderesources.Fit) fwk.Plugin { return offByOne{p} }),
			nodes:   2,
			objects: []runtime.Object{node("n", "4"), pod("web", "1", 0)},
			want:    "scores-conform/NodeResourcesFit/new", steps: 3, golden: "score",
		},
		{
			reason: "a score that is not normalised",
			planted: plant(
				tainttoleration.Name,
				func(p *tainttoleration.TaintToleration) fwk.Plugin { return notNormalised{p} },
			),
			nodes: 2,
			objects: []runtime.Object{node("plain", "2"), node("spot", "2", v1.TaintEffectPreferNoSchedule),
				pod("web", "1", 0)},
			want: "scores-conform/TaintToleration/new", steps: 1,
		},
		{
			reason: "evicts the most important first",
			planted: plant(defaultpreemption.Name, func(p *defaultpreemption.DefaultPreemption) fwk.Plugin {
				rank(p, func(important moreImportant, a, b *v1.Pod) bool { return important(b, a) })
				return p
			}),
			nodes:   1,
			objects: []runtime.Object{node("n", "2"), pod("low", "1", 0), pod("mid", "1", 5), pod("high", "1", 10)},
			want:    "outcome-conforms/new", steps: 5, golden: "victims",
		},
		{
			reason: "nobody may be preempted, though documented",
			planted: plant(defaultpreemption.Name, func(p *defaultpreemption.DefaultPreemption) fwk.Plugin {
				protectAll(p)
				return p
			}),
			nodes:   1,
			objects: []runtime.Object{node("n", "1"), pod("low", "1", 0), pod("high", "1", 10)},
			want:    "outcome-conforms/new", steps: 3,
		},
		{
			reason: "a panic",
			planted: plant(
				tainttoleration.Name,
				func(p *tainttoleration.TaintToleration) fwk.Plugin { return panics{p} },
			),
			nodes:   1,
			objects: []runtime.Object{node("spot", "2", v1.TaintEffectPreferNoSchedule), pod("web", "1", 0)},
			want:    "answered/new", steps: 1,
		},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			s := clusters(t, tt.nodes, model.Actions{Arrivals: 3, Preempt: true, VictimGone: true}, tt.objects...)
			f := finding(t, run(t, kubeScheduler(t, tt.planted), s), tt.want)
			if steps := len(f.Example.Stages) - 1; steps != tt.steps {
				t.Errorf("the counterexample has %d steps, want %d:\n%s", steps, tt.steps, describe(f))
			}
			if len(f.Example.Reasons) == 0 || f.Count == 0 {
				t.Errorf("%d reasons, count %d", len(f.Example.Reasons), f.Count)
			}
			if tt.golden != "" {
				golden(t, tt.golden, describe(f))
			}
		})
		t.Run(tt.reason+": production as it is", func(t *testing.T) {
			s := clusters(t, tt.nodes, model.Actions{Arrivals: 3, Preempt: true, VictimGone: true}, tt.objects...)
			for _, f := range run(t, kubeScheduler(t, production.Options{}), s).Findings {
				t.Errorf("not planted, but found:\n%s", describe(f))
			}
		})
	}
}

// finding returns the finding with the ID, and fails if it is not there.
func finding(t testing.TB, result *decisions.Result, id string) decisions.Finding {
	t.Helper()
	var ids []string
	for _, f := range result.Findings {
		if f.ID == id {
			return f
		}
		ids = append(ids, f.ID)
	}
	t.Fatalf("found %q, want %s among them", ids, id)
	return decisions.Finding{}
}
