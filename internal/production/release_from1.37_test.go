//go:build !before1.37

package production

import (
	"context"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"

	"github.com/seed-a3f26817/modelcheck/spec"
)

const goMod = "../../go.mod"

func defaultProfile() *spec.Profile {
	p := spec.DefaultProfile()
	p.Release = KubernetesVersion
	return p
}

func (g greedy) SelectVictimsOnNode(ctx context.Context, state fwk.CycleState, p *v1.Pod, node fwk.NodeInfo,
	possible []*preemption.DomainVictim, budgets []*policyv1.PodDisruptionBudget) ([]*v1.Pod, int, *fwk.Status) {
	all := below(p, node)
	_, violations, status := g.Interface.SelectVictimsOnNode(ctx, state, p, node, possible, budgets)
	return all, violations, status
}
