package model

import (
	"fmt"
	"strings"
)

// FormalView is a state of the formal model in words: the names of pods by where they are. With symmetry, pods that
// nothing tells apart go by one name, which is repeated, and so it is open which of several nodes that are alike is
// which.
type FormalView struct {
	Nodes []FormalViewNode
	// Unbound are pending, and Left are gone for the time being or for good.
	Unbound, Left []string
}

// FormalViewNode is a node and the pods bound to it.
type FormalViewNode struct {
	Name string
	Pods []string
}

// View puts a state in words.
func (f *Formal) View(state []byte) FormalView {
	cells := f.cellsOf(state)
	view := FormalView{Unbound: f.podNames(cells[0])}
	left := f.all - cells[0]
	for i, cell := range cells[1:] {
		view.Nodes = append(view.Nodes, FormalViewNode{f.nodeName(i), f.podNames(cell)})
		left -= cell
	}
	view.Left = f.podNames(left)
	return view
}

// String returns the view in one line.
func (v FormalView) String() string {
	var parts []string
	for _, node := range v.Nodes {
		parts = append(parts, node.Name+": "+names(node.Pods))
	}
	parts = append(parts, "unbound: "+names(v.Unbound))
	if len(v.Left) > 0 {
		parts = append(parts, "left: "+names(v.Left))
	}
	return strings.Join(parts, "; ")
}

// Step puts a step in words: the action that leads from one state to the next.
func (f *Formal) Step(before []byte, action uint32, after []byte) string {
	pod, node := f.podName(int(action>>16&0xfff)), f.nodeName(int(action&0xffff))
	switch f.ClassOf(action) {
	case FormalSchedule:
		return fmt.Sprintf("the scheduler binds %s to %s", pod, node)
	case FormalPreempt:
		from, to := f.cellsOf(before), f.cellsOf(after)
		return fmt.Sprintf("the scheduler evicts %s from %s for %s", names(f.podNames(to[0]-from[0])), node, pod)
	case FormalUnbind:
		return fmt.Sprintf("%s on %s is unbound", pod, node)
	case FormalLeave:
		return fmt.Sprintf("%s on %s completes", pod, node)
	default:
		return fmt.Sprintf("%s comes back", pod)
	}
}

func names(of []string) string {
	if len(of) == 0 {
		return "-"
	}
	return strings.Join(of, " ")
}

// podNames names the pods of a cell.
func (f *Formal) podNames(cell uint64) []string {
	var names []string
	for i := range f.pods {
		for range f.pods[i].count(cell) {
			names = append(names, f.podName(i))
		}
	}
	return names
}

// podName names a pod of the template: the first one, if it stands for several.
func (f *Formal) podName(pod int) string {
	p := &f.pods[pod]
	template := &f.Scenario.Pods[p.template]
	if i := max(p.number, 0); i < len(template.Fixed) {
		return template.Fixed[i]
	}
	return fmt.Sprintf("%s-%d", template.Name, max(p.number, 0)+1)
}

// nodeName names the node of a cell.
func (f *Formal) nodeName(node int) string {
	n := &f.nodes[node]
	nodeState := f.Scenario.Initial[0].Nodes[n.number]
	return f.Scenario.Nodes[n.template].object(max(nodeState.ID-1, 0)).Name
}
