package stepped

import (
	"sync/atomic"

	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// Expansion keeps which plugins kube-scheduler runs at each extension point, once the first scheduler has worked that
// out from those of all points, MultiPoint, which is a fifth of what it takes to build one. It is for concurrent use.
type Expansion struct {
	plugins atomic.Pointer[config.Plugins]
}

// expand names the plugins of each extension point in the profile, if it is known which they are.
func (e *Expansion) expand(profile *config.KubeSchedulerProfile) {
	if e == nil {
		return
	}
	if plugins := e.plugins.Load(); plugins != nil {
		profile.Plugins = plugins
	}
}

// keep keeps what the framework runs.
func (e *Expansion) keep(f framework.Framework) {
	if e != nil && e.plugins.Load() == nil {
		e.plugins.Store(f.ListPlugins())
	}
}
