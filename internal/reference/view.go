package reference

import (
	"fmt"
	"strings"
)

// View is a state of the formal model in words: the names of pods by where they are. With symmetry, pods that
// nothing tells apart go by one name, which is repeated, and so it is open which of several nodes that are alike is
// which.
type View struct {
	Nodes []ViewNode
	// Unbound are pending, and Left are gone for the time being or for good.
	Unbound, Left []string
}

// ViewNode is a node and the pods bound to it.
type ViewNode struct {
	Name string
	Pods []string
}

// View puts a state in words.
func (m *Model) View(state []byte) View {
	cells := m.cellsOf(state)
	view := View{Unbound: m.podNames(cells[0])}
	left := m.all - cells[0]
	for i, cell := range cells[1:] {
		view.Nodes = append(view.Nodes, ViewNode{m.nodeName(i), m.podNames(cell)})
		left -= cell
	}
	view.Left = m.podNames(left)
	return view
}

// String returns the view in one line.
func (v View) String() string {
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
func (m *Model) Step(before []byte, action uint32, after []byte) string {
	pod, node := m.podName(int(action>>16&0xfff)), m.nodeName(int(action&0xffff))
	switch m.ClassOf(action) {
	case Bind:
		return fmt.Sprintf("the scheduler binds %s to %s", pod, node)
	case Preempt:
		from, to := m.cellsOf(before), m.cellsOf(after)
		return fmt.Sprintf("the scheduler evicts %s from %s for %s", names(m.podNames(to[0]-from[0])), node, pod)
	case Unbind:
		return fmt.Sprintf("%s on %s is unbound", pod, node)
	case Leave:
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
func (m *Model) podNames(cell uint64) []string {
	var names []string
	for i := range m.pods {
		for range m.pods[i].count(cell) {
			names = append(names, m.podName(i))
		}
	}
	return names
}

// podName names a pod of the template: the first one, if it stands for several.
func (m *Model) podName(pod int) string {
	p := &m.pods[pod]
	template := &m.Scenario.Pods[p.template]
	if i := max(p.number, 0); i < len(template.Fixed) {
		return template.Fixed[i]
	}
	return fmt.Sprintf("%s-%d", template.Name, max(p.number, 0)+1)
}

// nodeName names the node of a cell.
func (m *Model) nodeName(node int) string {
	n := &m.nodes[node]
	initial := m.Scenario.Initial[0].Nodes[n.number]
	return m.Scenario.Nodes[n.template].Object(max(initial.ID-1, 0)).Name
}
