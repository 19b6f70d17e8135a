package mutation

import (
	"context"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"

	"github.com/seed-a3f26817/modelcheck/internal/production"
)

// preemptionFault is what is wrong with DefaultPreemption. What is not set is right.
type preemptionFault struct {
	preemption.Interface
	// plugin changes the plugin's rules.
	plugin func(*defaultpreemption.DefaultPreemption)
	// eligible changes whether a pod may preempt.
	eligible func(pod *v1.Pod, eligible bool) bool
	// budgets changes the budgets that are respected.
	budgets func([]*policyv1.PodDisruptionBudget) []*policyv1.PodDisruptionBudget
	// victims changes the victims on a node and how many of them a budget protects.
	victims func(node fwk.NodeInfo, victims []*v1.Pod, violations int) ([]*v1.Pod, int)
	// prefer scores candidates, the more the better, each rule for those that are equal by the ones before, in the
	// place of the documented order.
	prefer []func(victims *extenderv1.Victims) int64
}

// inPreemption returns kube-scheduler with the fault.
func inPreemption(f preemptionFault) production.Options {
	return planted(names.DefaultPreemption, func(p fwk.Plugin) fwk.Plugin {
		plugin := p.(*defaultpreemption.DefaultPreemption)
		if f.plugin != nil {
			f.plugin(plugin)
		}
		f := f
		f.Interface = plugin.Evaluator.Interface
		plugin.Evaluator.Interface = f
		return plugin
	})
}

func (f preemptionFault) PodEligibleToPreemptOthers(ctx context.Context, pod *v1.Pod,
	nominated *fwk.Status) (bool, string) {
	eligible, reason := f.Interface.PodEligibleToPreemptOthers(ctx, pod, nominated)
	if f.eligible != nil {
		eligible = f.eligible(pod, eligible)
	}
	return eligible, reason
}

func (f preemptionFault) SelectVictimsOnNode(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo,
	budgets []*policyv1.PodDisruptionBudget) ([]*v1.Pod, int, *fwk.Status) {
	if f.budgets != nil {
		budgets = f.budgets(budgets)
	}
	victims, violations, status := f.Interface.SelectVictimsOnNode(ctx, state, pod, node, budgets)
	if f.victims != nil && status.IsSuccess() {
		victims, violations = f.victims(node, victims, violations)
	}
	return victims, violations, status
}

func (f preemptionFault) OrderedScoreFuncs(ctx context.Context,
	candidates map[string]*extenderv1.Victims) []func(string) int64 {
	if f.prefer == nil {
		return f.Interface.OrderedScoreFuncs(ctx, candidates)
	}
	var scores []func(string) int64
	for _, rule := range f.prefer {
		scores = append(scores, func(node string) int64 { return rule(candidates[node]) })
	}
	return scores
}
