package invariants

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// eachBinding makes a decision property out of a property of single bindings.
func eachBinding(holds func(c *Case, o spec.Outcome) []Breach) func(*Case) (bool, []Breach) {
	return each(spec.Bind, holds)
}

// PlacementFeasible returns the property that a pod is bound to a feasible node.
func PlacementFeasible() Property {
	return Property{
		Name: "placement-feasible",
		Doc:  "A pod is bound only to a node that is feasible for it at that moment.",
		Decision: eachBinding(func(c *Case, o spec.Outcome) []Breach {
			if c.Expected.Nodes[o.Node].Feasible {
				return nil
			}
			return []Breach{{Reason: fmt.Sprintf("the pod may be bound to %s, which is not feasible", c.node(o.Node))}}
		}),
	}
}

// NoOvercommit returns the property that the pods on a node request no more than is allocatable.
func NoOvercommit() Property {
	return Property{
		Name: "no-overcommit",
		Doc: "Where every pod was placed by the scheduler, the pods on a node together request no more than it has " +
			"to allocate, nor are they more than it takes.",
		Node: func(n Node) (bool, []Breach) {
			if n.PastScheduler || len(n.Pods) == 0 {
				return false, nil
			}
			var breaches []Breach
			for _, resource := range n.Spec.Overcommitted(n.Node, n.Pods, n.Cluster) {
				breaches = append(breaches, overcommitted(n.Node, n.Pods, resource))
			}
			return true, breaches
		},
	}
}

// BindingNeverOvercommits returns the property that no binding overcommits a node, even where somebody else did before.
func BindingNeverOvercommits() Property {
	return Property{
		Name: "binding-never-overcommits",
		Doc: "A pod is bound only to a node that, with it, has enough of every resource the pod requests, and takes " +
			"one pod more.",
		Decision: eachBinding(func(c *Case, o spec.Outcome) []Breach {
			var breaches []Breach
			for _, resource := range c.overcommitted(o.Node) {
				if c.Spec.Requests(c.Question.Pod, resource) || resource == v1.ResourcePods {
					node := c.Question.Snapshot.Nodes[o.Node]
					pods := append(spec.PodsOn(node, c.Question.Snapshot), c.Question.Pod)
					breaches = append(breaches, overcommitted(node, pods, resource))
				}
			}
			return breaches
		}),
	}
}

func (c *Case) overcommitted(node int) []v1.ResourceName {
	if c.Overcommitted != nil {
		return c.Overcommitted(node)
	}
	s := c.Question.Snapshot
	return c.Spec.Overcommitted(s.Nodes[node], append(spec.PodsOn(s.Nodes[node], s), c.Question.Pod), s)
}

func overcommitted(node *v1.Node, pods []*v1.Pod, resource v1.ResourceName) Breach {
	return Breach{
		Plugin: "NodeResourcesFit",
		Reason: fmt.Sprintf("node %s is overcommitted in %s by %s", node.Name, resource, names(pods)),
	}
}

// BoundPodsStay returns the property that a bound pod stays on its node.
func BoundPodsStay() Property {
	return Property{
		Name: "bound-pods-stay",
		Doc:  "A pod that is bound stays on its node until it is gone.",
		Step: func(s *Step) (bool, []Breach) {
			var breaches []Breach
			applies := false
			for i := range s.Before.Nodes {
				before, after := s.Before.Nodes[i].Bound, s.After.Nodes[i].Bound
				applies = applies || len(before) > 0
				if slices.Equal(before, after) {
					continue // as on most nodes
				}
				newcomer := s.Action.Class == model.Bind || s.Action.Class == model.ByHand && s.Action.Node == i
				for _, pod := range after {
					if more := count(after, pod.Template()) - count(before, pod.Template()); more > 1 ||
						more == 1 && (!newcomer || pod.Template() != int(s.Action.Pod)) {
						breaches = append(breaches,
							Breach{Reason: fmt.Sprintf("a %s step puts a bound %s on another node", s.Action.Class,
								s.Scenario.Pods[pod.Template()].Name)})
						break
					}
				}
				leaver := s.Action.Class == model.Gone || s.Action.Class == model.Complete
				if gone := len(before) - len(after); gone > 0 && !leaver {
					breaches = append(breaches,
						Breach{Reason: fmt.Sprintf("a %s step takes a bound pod from its node", s.Action.Class)})
				}
			}
			return applies, breaches
		},
	}
}

func count(pods []model.Pod, kind int) int {
	n := 0
	for _, p := range pods {
		if p.Template() == kind {
			n++
		}
	}
	return n
}

// priority is spec.priority, 0 if unset.
func priority(pod *v1.Pod) int32 { return spec.Priority(pod) }
