//go:build before1.35

package production

import (
	"time"

	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework/parallelize"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// What is the same in v1.34 and earlier.

// Parallelizer implements framework.Handle. A release before v1.35 takes no other one, so that a panic in work on nodes
// ends the process.
func (handle) Parallelizer() parallelize.Parallelizer { return parallelize.NewParallelizer(1) }

// BindingTimeout returns how long the profile lets drivers take until devices are ready. It cannot say so.
func BindingTimeout(*config.KubeSchedulerProfile) time.Duration {
	return spec.DefaultProfile().BindingTimeout
}
