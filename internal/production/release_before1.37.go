//go:build before1.37

package production

import (
	"context"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	fwk "github.com/seed-a3f26817/modelcheck/internal/production/frameworkapi"
)

// What is the same in v1.36 and earlier.

// SelectVictimsOnNode implements preemption.Interface.
func (w *preemptionWatch) SelectVictimsOnNode(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo,
	budgets []*policyv1.PodDisruptionBudget) ([]*v1.Pod, int, *fwk.Status) {
	victims, violations, status := w.Interface.SelectVictimsOnNode(ctx, state, pod, node, budgets)
	w.note(node, victims, violations, status)
	return victims, violations, status
}

// popNext has the scheduler take the pod next.
func popNext(s *scheduler.Scheduler, pod *framework.QueuedPodInfo) {
	s.NextPod = func(klog.Logger) (*framework.QueuedPodInfo, error) { return pod, nil }
}

// MessageFor returns the message as it is, which does not tell where a preemption makes room.
func MessageFor(message, _ string, _ int) string { return message }
