package audit

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// Node is a node with what is on it.
type Node struct {
	Node *v1.Node
	Pods []*v1.Pod
	// Requested is what the pods request together, by resource; "pods" is their number.
	Requested v1.ResourceList
	// Overcommitted are the resources of which they request more than the node has to allocate.
	Overcommitted []v1.ResourceName
	// Unreachable: no pending pod could go there, whoever is evicted.
	Unreachable bool
	// Broken counts the pods whose rules the node no longer keeps, by plugin.
	Broken map[string]int
}

func (n *Node) add(pod *v1.Pod) { n.Pods = append(n.Pods, pod) }

func (n *Node) broke(plugin string) {
	if n.Broken == nil {
		n.Broken = map[string]int{}
	}
	n.Broken[plugin]++
}

// Utilisation is the share of a resource that is requested, in percent rounded down; 0 if the node has none of it.
func (n *Node) Utilisation(name v1.ResourceName) int {
	has, wants := n.Node.Status.Allocatable[name], n.Requested[name]
	if has.Sign() <= 0 {
		return 0
	}
	return int(100 * wants.AsApproximateFloat64() / has.AsApproximateFloat64())
}

// nodes sums up what is on the nodes.
func (a *auditor) nodes() {
	for i := range a.result.Nodes {
		a.result.Nodes[i].sum(a.options.Spec, a.options.Cluster)
	}
}

func (n *Node) sum(m *spec.Scheduler, s *spec.Snapshot) {
	n.Requested = v1.ResourceList{}
	for _, pod := range n.Pods {
		for name, quantity := range spec.Requests(pod) {
			total := n.Requested[name]
			total.Add(quantity)
			n.Requested[name] = total
		}
	}
	n.Requested[v1.ResourcePods] = *resource.NewQuantity(int64(len(n.Pods)), resource.DecimalSI)
	n.Overcommitted = m.Overcommitted(n.Node, n.Pods, s)
}

// Overcommitted returns the nodes whose pods request more than they have, in the cluster's order.
func (r *Result) Overcommitted() []Node {
	return slices.DeleteFunc(slices.Clone(r.Nodes), func(n Node) bool { return len(n.Overcommitted) == 0 })
}

// Unreachable returns the nodes that no pending pod could go to.
func (r *Result) Unreachable() []Node {
	return slices.DeleteFunc(slices.Clone(r.Nodes), func(n Node) bool { return !n.Unreachable })
}
