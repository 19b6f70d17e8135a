//go:build !before1.35

package production

import (
	"context"
	"time"

	"k8s.io/client-go/util/workqueue"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// What is the same in v1.35 and later.

// Parallelizer implements fwk.Handle.
func (handle) Parallelizer() fwk.Parallelizer { return inOrder{} }

type inOrder struct{}

// Until implements fwk.Parallelizer: pieces are begun as long as the context is not cancelled.
func (inOrder) Until(ctx context.Context, results int, do workqueue.DoWorkPieceFunc, _ string) {
	for result := 0; result < results && ctx.Err() == nil; result++ {
		do(result)
	}
}

// BindingTimeout returns how long the profile lets drivers take until devices are ready.
func BindingTimeout(profile *config.KubeSchedulerProfile) time.Duration {
	for _, plugin := range profile.PluginConfig {
		if args, ok := plugin.Args.(*config.DynamicResourcesArgs); ok && args.BindingTimeout != nil {
			return args.BindingTimeout.Duration
		}
	}
	return spec.DefaultProfile().BindingTimeout // DRADeviceBindingConditions is off
}
