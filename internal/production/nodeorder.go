package production

import (
	"cmp"
	"slices"

	fwk "github.com/seed-a3f26817/modelcheck/internal/production/frameworkapi"
)

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
