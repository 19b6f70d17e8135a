//go:build before1.36

package production

import (
	"context"

	"github.com/go-logr/logr"
	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
)

// What is the same in v1.35 and earlier.

// byChance is the filter that may say something else when it is asked again: it looks at pools of devices in no order,
// where they are many.
const byChance = names.DynamicResources

// recorder is given to kube-scheduler as a whole; it has no channel, so throws events away.
func recorder(string) events.EventRecorder { return &events.FakeRecorder{} }

// beforeEviction calls begin before the plugin evicts a pod, with the context of the evictions, and has the eviction
// log nothing.
func beforeEviction(plugin *defaultpreemption.DefaultPreemption, begin func(context.Context)) {
	preempt := plugin.Evaluator.PreemptPod
	plugin.Evaluator.PreemptPod = func(ctx context.Context, c preemption.Candidate, preemptor, victim *v1.Pod,
		pluginName string) error {
		begin(ctx)
		return preempt(klog.NewContext(ctx, logr.Discard()), c, preemptor, victim, pluginName)
	}
}
