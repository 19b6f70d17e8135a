package spec

import (
	"slices"

	v1 "k8s.io/api/core/v1"
)

// Search is what became of a search for nodes that ends once it has found enough. Which nodes it finds depends on where
// it begins, which no snapshot shows, and on which of its workers is first; so a decision tells, and the model says what
// follows from that. Every set of so many nodes is allowed.
type Search struct {
	// Nodes is how many nodes could be looked at, and Enough how many found ones end the search.
	Nodes, Enough int
	// Found are the nodes that were found, by their index in Snapshot.Nodes, ascending.
	Found []int
}

// Of returns those of the nodes that were found, in their order; all if nothing is known of a search (nil), or if none
// of them was found.
func (f *Search) Of(nodes []*v1.Node, s *Snapshot) []*v1.Node {
	if f == nil {
		return nodes
	}
	in := make(map[*v1.Node]bool, len(f.Found))
	for _, i := range f.Found {
		in[s.Nodes[i]] = true
	}
	if found := filter(nodes, func(node *v1.Node) bool { return in[node] }); len(found) > 0 {
		return found
	}
	return nodes
}

// Has reports whether the node was found, by its index in Snapshot.Nodes; every node was if nothing is known of a
// search (nil).
func (f *Search) Has(node int) bool {
	if f == nil {
		return true
	}
	_, found := slices.BinarySearch(f.Found, node)
	return found
}

// Limits say when searches for nodes have found enough.
type Limits struct {
	// PercentageOfNodesToScore is how many of the nodes, in percent, are enough if they are feasible; 0 leaves it to
	// the scheduler.
	PercentageOfNodesToScore int32
	// MinCandidateNodesPercentage and MinCandidateNodesAbsolute are how many of the nodes, in percent and as a number,
	// are to be found at least on which a preemption helps.
	MinCandidateNodesPercentage, MinCandidateNodesAbsolute int32
}

// smallCluster is the number of nodes up to which all are looked at, and the least number of feasible nodes that is
// enough.
const smallCluster = 100

// Feasible returns how many feasible nodes are enough if there are so many nodes:
//
//	EnoughFeasible(N) == IF N < 100 THEN N ELSE Max(100, N * Percentage \div 100)
//
// where a Percentage of 0 is Max(5, 50 - N \div 125).
//
// Source: https://kubernetes.io/docs/concepts/scheduling-eviction/scheduler-perf-tuning/ ("a linear formula that yields
// 50% for a 100-node cluster and yields 10% for a 5000-node cluster. The lower bound for the automatic value is 5%"),
// field doc of KubeSchedulerConfiguration.percentageOfNodesToScore. The whole percent in between is our reading.
func (l Limits) Feasible(nodes int) int {
	if nodes < smallCluster {
		return nodes
	}
	percentage := int(l.PercentageOfNodesToScore)
	if percentage == 0 {
		percentage = max(5, 50-nodes/125)
	}
	return max(smallCluster, nodes*percentage/100)
}

// Candidates returns how many nodes on which a preemption helps are enough if there are so many on which it may:
//
//	EnoughCandidates(N) == Min(N, Max(N * MinCandidateNodesPercentage \div 100, MinCandidateNodesAbsolute))
//
// Source: field docs of DefaultPreemptionArgs. They take the percentage "of number of nodes", and of "the cluster size";
// that nodes where no eviction helps do not count is our reading.
func (l Limits) Candidates(nodes int) int {
	return min(nodes, max(nodes*int(l.MinCandidateNodesPercentage)/100, int(l.MinCandidateNodesAbsolute)))
}
