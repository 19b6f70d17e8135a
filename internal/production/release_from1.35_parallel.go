//go:build !before1.35

package production

import (
	"context"

	"k8s.io/client-go/util/workqueue"
	fwk "k8s.io/kube-scheduler/framework"
)

// Parallelizer implements fwk.Handle.
func (handle) Parallelizer() fwk.Parallelizer { return inOrder{} }

type inOrder struct{}

// Until implements fwk.Parallelizer: pieces are begun as long as the context is not cancelled.
func (inOrder) Until(ctx context.Context, results int, do workqueue.DoWorkPieceFunc, _ string) {
	for result := 0; result < results && ctx.Err() == nil; result++ {
		do(result)
	}
}
