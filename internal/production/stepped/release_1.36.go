//go:build before1.37 && !before1.36

package stepped

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
)

// aroundEviction has around called for every eviction, with what evicts.
func (e *evictions) aroundEviction(around func(context.Context, *v1.Pod, func(context.Context) error) error) {
	preempt := e.plugin.Executor.PreemptPod
	e.plugin.Executor.PreemptPod = func(ctx context.Context, c preemption.Candidate,
		preemptor preemption.ExecutorPreemptor, victim *v1.Pod, pluginName string) error {
		return around(ctx, victim, func(ctx context.Context) error { return preempt(ctx, c, preemptor, victim, pluginName) })
	}
}
