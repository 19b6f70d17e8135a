package stepped

import (
	"cmp"
	"context"
	"slices"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
)

// looks is the account of which nodes searches look at.
type looks struct {
	// all are those of the cycle; inTurn are the nodes, that last which was looked at last.
	all    []loop.Look
	inTurn []string
	// hint is the node that an equal pod left for the pod of the cycle.
	hint string
	// scored: the search of the cycle came up with several nodes.
	scored bool
}

// RunFilterPluginsWithNominatedPods implements framework.Framework. A search asks it about each node that it looks at.
func (c *controlled) RunFilterPluginsWithNominatedPods(ctx context.Context, state fwk.CycleState, pod *v1.Pod,
	info fwk.NodeInfo) *fwk.Status {
	status := c.Framework.RunFilterPluginsWithNominatedPods(ctx, state, pod, info)
	if l := c.looks; l != nil {
		fits := status.IsSuccess()
		l.all = append(l.all, loop.Look{Node: info.Node().Name, Fits: fits, Found: fits})
	}
	return status
}

// RunPreScorePlugins implements framework.Framework. It is given what the search came up with, if that is several
// nodes.
func (c *controlled) RunPreScorePlugins(ctx context.Context, state fwk.CycleState, pod *v1.Pod,
	nodes []fwk.NodeInfo) *fwk.Status {
	if l := c.looks; l != nil {
		l.scored = true
		for i := range l.all {
			l.all[i].Found = slices.ContainsFunc(nodes, func(n fwk.NodeInfo) bool { return n.Node().Name == l.all[i].Node })
		}
	}
	return c.Framework.RunPreScorePlugins(ctx, state, pod, nodes)
}

// hinted notes which node an equal pod left for the pod of the cycle; "" if none did.
func (l *looks) hinted(node string) {
	if l != nil {
		l.hint = node
	}
}

// take returns the looks of the search of the cycle of the pod, without that at a node which was tried first, and notes
// them.
func (l *looks) take(pod *v1.Pod) []loop.Look {
	if l == nil || pod == nil {
		return nil
	}
	all, scored, first := l.all, l.scored, cmp.Or(pod.Status.NominatedNodeName, l.hint)
	l.all, l.hint, l.scored = nil, "", false
	if len(all) > 0 && all[0].Node == first {
		all = all[1:]
	}
	if !scored { // only one was found
		one := slices.IndexFunc(all, func(look loop.Look) bool { return look.Fits })
		for i := range all {
			all[i].Found = i == one
		}
	}
	for _, look := range all {
		if look.Counts() {
			l.inTurn = slices.DeleteFunc(l.inTurn, func(node string) bool { return node == look.Node })
			l.inTurn = append(l.inTurn, look.Node)
		}
	}
	return all
}
