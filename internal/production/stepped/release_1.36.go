//go:build before1.37 && !before1.36

package stepped

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
)

// aroundEviction has around called for every eviction, with what evicts.
func (e *evictions) aroundEviction(around aroundEviction) {
	preempt := e.plugin.Executor.PreemptPod
	e.plugin.Executor.PreemptPod = func(ctx context.Context, c preemption.Candidate,
		preemptor preemption.ExecutorPreemptor, victim *v1.Pod, pluginName string) error {
		return around(ctx, victim, func(ctx context.Context) (bool, error) {
			return false, preempt(ctx, c, preemptor, victim, pluginName)
		})
	}
}

// activates reports whether an eviction that ended so lets the preemptor be tried again in the end.
func activates(err error, _ *evicting, _, _ bool) bool { return err != nil }
