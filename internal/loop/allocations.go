package loop

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// allocationsValid returns the property that claims get devices that they may have.
func allocationsValid() Property {
	return Property{
		Name: "allocations-valid",
		Doc: "The devices that a cycle allocates to claims of a pod are a valid allocation on its node, in what the " +
			"scheduler has heard of, with the configuration of claims and classes; and when an allocation is written " +
			"that was not reserved, it goes together with those of others. It is written to the claim it was made for.",
		Broken: func(t *Transition) []Violation {
			if t.Action.Verb.Event() {
				return nil
			}
			before, after := t.Before.View(), t.After.View()
			got := newlyAllocated(before, after)
			broken := t.writtenToOthers()
			if len(got) == 0 || len(broken) > 0 {
				return broken
			}
			if t.Action.Verb == Schedule {
				return t.eitherWay(func(began *State) []Violation {
					as := *t
					as.Before = began
					return as.invalid(got, began.View())
				})
			}
			for _, claim := range got {
				node := t.nodeOfUser(claim)
				if node != nil && !t.Model.Devices().Beside(claim, node, after) {
					broken = append(broken, Violation{But: fmt.Sprintf("the allocation of claim %s is written, of which the "+
						"devices, or what they take, are others' by then", Key(claim))}.explained(t))
				}
			}
			return broken
		},
	}
}

// newlyAllocated returns the claims that have an allocation after, and had none before.
func newlyAllocated(before, after *spec.Snapshot) []*resourcev1.ResourceClaim {
	had := func(claim *resourcev1.ResourceClaim) bool {
		return slices.ContainsFunc(before.ResourceClaims, func(c *resourcev1.ResourceClaim) bool {
			return Key(c) == Key(claim) && c.UID == claim.UID && c.Status.Allocation != nil
		})
	}
	return slices.DeleteFunc(slices.Clone(after.ResourceClaims), func(claim *resourcev1.ResourceClaim) bool {
		return claim.Status.Allocation == nil || claim.Name == Unmade || had(claim)
	})
}

// invalid says in what the allocations that the pod of the cycle has got for its claims are not valid.
func (t *Transition) invalid(got []*resourcev1.ResourceClaim, view *spec.Snapshot) []Violation {
	pod := t.After.Pod(t.Step.Popped)
	if pod == nil {
		return nil
	}
	var known, but string
	for _, node := range t.nodesOfCycle(pod, got) {
		wrong := t.Model.Devices().Allocated(t.model(pod).Profile, got, node, view)
		if wrong == "" {
			return nil
		}
		if but == "" {
			but = fmt.Sprintf("on %s %s", node.Name, wrong)
		}
		if known == "" {
			known = t.explanation(t.Step.Popped, t.Before, func(m *spec.Scheduler, _ *v1.Pod, seen *spec.Snapshot) bool {
				return m.Devices().Allocated(m.Profile, got, node, seen) == ""
			})
		}
		if known == "" {
			known = t.misconfigured(pod, got, node, view)
		}
	}
	if but == "" {
		return nil
	}
	return []Violation{{Pod: t.Step.Popped, But: but, Known: known}}
}

// misconfigured returns the defect by which the allocations for the pod have other configuration than they should, and
// are valid else; empty if there is none.
func (t *Transition) misconfigured(pod *v1.Pod, got []*resourcev1.ResourceClaim, node *v1.Node,
	view *spec.Snapshot) string {
	profile, repeating := t.model(pod).Profile, t.Model.Devices().RepeatingConfiguration()
	switch {
	case repeating.Allocated(profile, got, node, view) == "":
		return t.has(configurationRepeated)
	case repeating.ClassesForAll().Allocated(profile, got, node, view) == "":
		return t.has(classConfigurationForAll)
	}
	return ""
}

// nodesOfCycle returns the node that the pod of a cycle was placed on, which gave it devices for the claims. What is
// written of a binding that failed then is the claims' all the same: it is for one of the nodes that they reach.
func (t *Transition) nodesOfCycle(pod *v1.Pod, got []*resourcev1.ResourceClaim) []*v1.Node {
	was := t.Before.Pod(Key(pod))
	elsewhere := was != nil && was.Spec.NodeName != "" // bound by somebody else, which is unheard
	if node := t.placed(pod); node != nil && !elsewhere {
		return []*v1.Node{node}
	}
	return slices.DeleteFunc(slices.Clone(t.Before.told().Nodes), func(node *v1.Node) bool {
		return slices.ContainsFunc(got, func(claim *resourcev1.ResourceClaim) bool {
			return !spec.AllocationReaches(claim, node)
		})
	})
}

// placed returns the node that the pod is bound to, or assumed on, after the step; nil if there is none.
func (t *Transition) placed(pod *v1.Pod) *v1.Node {
	if pod.Spec.NodeName != "" {
		return nodeOf(t.Before, pod.Spec.NodeName)
	}
	return nodeOf(t.Before, t.After.AssumedOn(Key(pod)))
}

// nodeOfUser returns a node that the allocation of the claim is available on and that a pod is on, or to be, which uses
// it; one that it is available on, if no pod does.
func (t *Transition) nodeOfUser(claim *resourcev1.ResourceClaim) *v1.Node {
	for _, pod := range t.After.API.Pods {
		if node := t.placed(pod); node != nil && spec.AllocationReaches(claim, node) && uses(pod, claim, t.After.API) {
			return node
		}
	}
	for _, node := range t.Before.told().Nodes {
		if spec.AllocationReaches(claim, node) {
			return node
		}
	}
	return nil
}
