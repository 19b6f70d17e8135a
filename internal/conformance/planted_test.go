package conformance

import (
	"context"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/podtopologyspread"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/tainttoleration"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"

	"github.com/seed-a3f26817/modelcheck/internal/production"
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

// byName is TaintToleration that dislikes nodes whose name ends in 1.
type byName struct {
	*tainttoleration.TaintToleration
}

func goesByName() production.Options {
	return plant(tainttoleration.Name, func(p *tainttoleration.TaintToleration) fwk.Plugin { return byName{p} })
}

func (p byName) Filter(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo) *fwk.Status {
	if strings.HasSuffix(node.Node().Name, "1") {
		return fwk.NewStatus(fwk.Unschedulable, "an unlucky number")
	}
	return p.TaintToleration.Filter(ctx, state, pod, node)
}

// once is PodTopologySpread that takes no notice of pods that come or go.
type once struct {
	*podtopologyspread.PodTopologySpread
}

func countsOnce() production.Options {
	return plant(podtopologyspread.Name, func(p *podtopologyspread.PodTopologySpread) fwk.Plugin { return once{p} })
}

func (once) PreFilterExtensions() fwk.PreFilterExtensions { return nil }

// importantFirst is DefaultPreemption that spares the least important of those that may be evicted.
func importantFirst() production.Options {
	return plant(defaultpreemption.Name, func(p *defaultpreemption.DefaultPreemption) fwk.Plugin {
		rank(p, func(important moreImportant, a, b *v1.Pod) bool { return important(b, a) })
		return p
	})
}
