//go:build before1.37 && !before1.35

package stepped

import "k8s.io/kubernetes/pkg/scheduler/framework"

// nodeList are nodes, the best first.
type nodeList struct{ names []string }

var _ framework.SortedScoredNodes = (*nodeList)(nil)

// Pop implements framework.SortedScoredNodes.
func (l *nodeList) Pop() string {
	first := l.names[0]
	l.names = l.names[1:]
	return first
}

// Len implements framework.SortedScoredNodes.
func (l *nodeList) Len() int { return len(l.names) }

// listOf returns the nodes as a list that can be looked at.
func listOf(nodes framework.SortedScoredNodes) *nodeList {
	if list, ok := nodes.(*nodeList); ok {
		return list
	}
	list := &nodeList{}
	for nodes.Len() > 0 {
		list.names = append(list.names, nodes.Pop())
	}
	return list
}

// scores are not kept in these releases.
func (l *nodeList) scores() string { return "" }
