package production

import (
	"cmp"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/node/topology"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// Starts say where the searches begin that production ends before it has looked at all nodes. A snapshot does not show
// that: the search for feasible nodes goes on where that for the last pod ended, and the one for candidates of a
// preemption begins by chance. The zero value begins both at the first node.
type Starts struct {
	// Node is the index of the first node to be looked at, in production's order of the nodes (see treeOrder), and
	// Candidate that of the first on which a preemption is tried, among those that are; both modulo their number.
	Node, Candidate int
}

// sampledNodes is the number of nodes from which on kube-scheduler looks at a sample of them.
//
// Source: https://kubernetes.io/docs/concepts/scheduling-eviction/scheduler-perf-tuning/
const sampledNodes = 100

// enoughFeasible returns how many feasible nodes production is content with where it can look at so many: what its
// unexported numFeasibleNodesToFind does. TestAgreesOnSamples holds both together.
func (e *engine) enoughFeasible(nodes int) int {
	if nodes < sampledNodes {
		return nodes
	}
	percentage := 0
	if configured := e.framework.PercentageOfNodesToScore(); configured != nil {
		percentage = int(*configured)
	}
	if percentage == 0 {
		percentage = max(50-nodes/125, 5)
	}
	return max(nodes*percentage/100, sampledNodes)
}

// sought returns how many feasible nodes the search among the nodes is content with, and notes in the decision if these
// are not all; an error if it matters where the search begins and nobody says so. Without score plugins production takes
// the first feasible node; each of them could be that.
func (c *cycle) sought(nodes []int) (enough int, err error) {
	enough = len(nodes)
	if c.framework.HasScorePlugins() {
		enough = c.enoughFeasible(len(nodes))
	}
	if enough == len(nodes) {
		return enough, nil
	}
	if c.starts == nil {
		return 0, fmt.Errorf("the snapshot has %d nodes: from %d on production looks at a sample of them; ask with fewer",
			len(c.question.Snapshot.Nodes), sampledNodes)
	}
	c.decision.Sample = &spec.Search{Nodes: len(nodes), Enough: enough}
	return enough, nil
}

// first returns where a search among so many nodes begins.
func (s *Starts) first(nodes int) int {
	if s == nil || nodes == 0 {
		return 0
	}
	return s.Node % nodes
}

// treeOrder returns the indexes of the nodes in the order in which production's cache lists them, which is that of its
// unexported nodeTree: from zone to zone, in each the nodes as they came. They came in the snapshot's order.
func treeOrder(nodes []*v1.Node) []int {
	type seat struct{ turn, zone, node int }
	zones, sizes := map[string]int{}, []int(nil)
	seats := make([]seat, len(nodes))
	for i, node := range nodes {
		key := topology.GetZoneKey(node)
		zone, known := zones[key]
		if !known {
			zone = len(sizes)
			zones[key], sizes = zone, append(sizes, 0)
		}
		seats[i] = seat{sizes[zone], zone, i}
		sizes[zone]++
	}
	slices.SortFunc(seats, func(a, b seat) int { return cmp.Or(cmp.Compare(a.turn, b.turn), cmp.Compare(a.zone, b.zone)) })
	order := make([]int, len(seats))
	for i, s := range seats {
		order[i] = s.node
	}
	return order
}
