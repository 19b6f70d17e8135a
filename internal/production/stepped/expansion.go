package stepped

import (
	"sync"

	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// Expansion keeps which plugins kube-scheduler runs at each extension point, by the scheduler names of its profiles,
// once the first scheduler has worked that out from those of all points, MultiPoint, which is a fifth of what it takes
// to build one. It is for concurrent use.
type Expansion struct {
	plugins sync.Map
}

// expand names the plugins of each extension point in the profile, if it is known which they are.
func (e *Expansion) expand(profile *config.KubeSchedulerProfile) {
	if e == nil {
		return
	}
	if plugins, ok := e.plugins.Load(profile.SchedulerName); ok {
		profile.Plugins = plugins.(*config.Plugins)
	}
}

// keep keeps what the framework runs.
func (e *Expansion) keep(f framework.Framework) {
	if e == nil {
		return
	}
	if _, known := e.plugins.Load(f.ProfileName()); !known {
		e.plugins.Store(f.ProfileName(), f.ListPlugins())
	}
}
