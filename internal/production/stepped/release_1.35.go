//go:build before1.36 && !before1.35

package stepped

import (
	"context"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// GetNodeHint implements framework.Framework.
func (c *controlled) GetNodeHint(ctx context.Context, pod *v1.Pod, state fwk.CycleState, cycle int64) (string,
	fwk.PodSignature) {
	c.batch.beforeHint()
	defer c.batch.afterHint()
	hint, signature := c.Framework.GetNodeHint(ctx, pod, state, cycle)
	c.looks.hinted(hint)
	return hint, signature
}

// activates reports whether an eviction that ended so lets the preemptor be tried again in the end.
func activates(err error, _ *evicting, _, _ bool) bool { return err != nil }
