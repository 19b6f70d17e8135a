//go:build before1.37 && !before1.35

package stepped

import (
	"slices"

	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// nodeList are nodes, the best first.
type nodeList struct{ left []string }

var _ framework.SortedScoredNodes = (*nodeList)(nil)

// Pop implements framework.SortedScoredNodes.
func (l *nodeList) Pop() string {
	first := l.left[0]
	l.left = l.left[1:]
	return first
}

// Len implements framework.SortedScoredNodes.
func (l *nodeList) Len() int { return len(l.left) }

// listOf returns the nodes as a list that can be looked at.
func listOf(nodes framework.SortedScoredNodes) *nodeList {
	if list, ok := nodes.(*nodeList); ok {
		return list
	}
	list := &nodeList{}
	for nodes.Len() > 0 {
		list.left = append(list.left, nodes.Pop())
	}
	return list
}

// kept returns the nodes in the order in which they are taken; scores are not kept in these releases.
func (l *nodeList) kept() (names []string, scores string) { return slices.Clone(l.left), "" }
