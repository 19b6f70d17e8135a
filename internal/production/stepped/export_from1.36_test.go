//go:build !before1.36

package stepped

import "k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"

// evictor returns where the function is that evicts.
func evictor(plugin *defaultpreemption.DefaultPreemption) any { return &plugin.Executor.PreemptPod }
