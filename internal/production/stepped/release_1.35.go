//go:build before1.36 && !before1.35

package stepped

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"
)

// GetNodeHint implements framework.Framework.
func (c *controlled) GetNodeHint(ctx context.Context, pod *v1.Pod, state fwk.CycleState, cycle int64) (string,
	fwk.PodSignature) {
	c.batch.beforeHint()
	defer c.batch.afterHint()
	return c.Framework.GetNodeHint(ctx, pod, state, cycle)
}

// preempting reports whether the pod has preempted, and its victims are being evicted.
func (s *Scheduler) preempting(pod types.UID) bool {
	return s.evictions.plugin.Evaluator.IsPodRunningPreemption(pod)
}
