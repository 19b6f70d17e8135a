//go:build before1.37

package production

import (
	"context"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"

	fwk "github.com/seed-a3f26817/modelcheck/internal/production/frameworkapi"
	"github.com/seed-a3f26817/modelcheck/spec"
)

const goMod = "../../releases/v1.36/go.mod"

// defaultProfile has the name of the node come second, before v1.37.
func defaultProfile() *spec.Profile {
	p := spec.DefaultProfile()
	p.Release, p.Lacks = KubernetesVersion, spec.ChangesSince(KubernetesVersion)
	p.Filters[0], p.Filters[1] = p.Filters[1], p.Filters[0]
	p.VolumeShape = nil
	return p
}

func (g greedy) SelectVictimsOnNode(ctx context.Context, state fwk.CycleState, p *v1.Pod, node fwk.NodeInfo,
	budgets []*policyv1.PodDisruptionBudget) ([]*v1.Pod, int, *fwk.Status) {
	all := below(p, node)
	_, violations, status := g.Interface.SelectVictimsOnNode(ctx, state, p, node, budgets)
	return all, violations, status
}
