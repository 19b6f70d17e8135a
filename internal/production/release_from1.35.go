//go:build !before1.35

package production

import (
	"cmp"
	"context"
	"slices"
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

// inNodeOrder returns the statuses, of which the nodes come in the order of the snapshot: else the order in which a
// preemption is tried on them would be left to chance, and what it finds where it does not try all.
func (c *cycle) inNodeOrder() fwk.NodeToStatusReader { return ordered{c.statuses, c} }

type ordered struct {
	fwk.NodeToStatusReader
	cycle *cycle
}

// NodesForStatusCode implements fwk.NodeToStatusReader.
func (o ordered) NodesForStatusCode(lister fwk.NodeInfoLister, code fwk.Code) ([]fwk.NodeInfo, error) {
	nodes, err := o.NodeToStatusReader.NodesForStatusCode(lister, code)
	nodes = slices.Clone(nodes) // it may be the list of all
	slices.SortFunc(nodes, func(x, y fwk.NodeInfo) int { return cmp.Compare(o.cycle.place(x), o.cycle.place(y)) })
	return nodes, err
}

// place is where the snapshot has the node; after all others if it does not.
func (c *cycle) place(node fwk.NodeInfo) int {
	if i, err := c.index(node.Node().Name); err == nil {
		return i
	}
	return len(c.question.Snapshot.Nodes)
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
