package model

import (
	"encoding/binary"
	"math"
)

// Slice is some of the initial clusters of a scenario, by index: all those with the same numbers of nodes of each
// template. No action adds or removes a node, so no state can be reached from two slices, and no question is asked
// in two.
type Slice struct {
	Initial []int
	// Share is about how many states it has, in an unknown unit, which is the same for all slices of a scenario.
	Share float64
}

// Slices cuts a scenario as finely as that goes. The slices are in the order of their first initial clusters.
func (s *Scenario) Slices() []Slice {
	var slices []Slice
	at := map[string]int{}
	for i := range s.Initial {
		nodes := s.nodesOf(i)
		var key []byte
		for _, n := range nodes {
			key = binary.AppendUvarint(key, uint64(n))
		}
		if _, known := at[string(key)]; !known {
			at[string(key)] = len(slices)
			slices = append(slices, Slice{Share: s.share(nodes, s.Actions.Arrivals-s.Initial[i].Fewer)})
		}
		slice := &slices[at[string(key)]]
		slice.Initial = append(slice.Initial, i)
	}
	return slices
}

// nodesOf counts the nodes of an initial cluster by template.
func (s *Scenario) nodesOf(initial int) []int {
	counts := make([]int, len(s.Nodes))
	for _, nodeState := range s.Initial[initial].Nodes {
		counts[nodeState.Template]++
	}
	return counts
}

// share counts the ways to put the pods on the nodes or to leave them pending, whether they fit or not: multisets
// out of all pairs of a template of pod and a node or none, of as many as arrive, divided by the number of ways to
// order the nodes of a template.
func (s *Scenario) share(nodes []int, arrivals int) float64 {
	total, orders := 0, 0.0
	for _, n := range nodes {
		total += n
		order, _ := math.Lgamma(float64(n) + 1)
		orders += order
	}
	return multisetsUpTo(len(s.Pods)*(total+1), arrivals) / math.Exp(orders)
}
