package invariants

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// eachPreemption makes a decision property out of a property of single preemptions.
func eachPreemption(holds func(c *Case, o spec.Outcome) []Breach) func(*Case) (bool, []Breach) {
	return each(spec.Preempt, holds)
}

// weighed makes a decision property out of a property of single preemptions that compares them with the least damage.
// Where that is not known it says nothing.
func weighed(holds func(c *Case, o spec.Outcome) []Breach) func(*Case) (bool, []Breach) {
	return func(c *Case) (bool, []Breach) {
		if c.Expected.NotWeighed > 0 {
			return false, nil
		}
		return eachPreemption(holds)(c)
	}
}

// each makes a decision property out of a property of single outcomes of a kind.
func each(kind spec.OutcomeType, holds func(c *Case, o spec.Outcome) []Breach) func(*Case) (bool, []Breach) {
	return func(c *Case) (applies bool, breaches []Breach) {
		for _, outcome := range c.Decision.Outcomes {
			if outcome.Type == kind {
				applies = true
				breaches = append(breaches, holds(c, outcome)...)
			}
		}
		return applies, breaches
	}
}

// VictimsLowerPriority returns the property that victims have a lower priority than the preemptor.
func VictimsLowerPriority() Property {
	return Property{
		Name: "victims-lower-priority",
		Doc:  "Every victim has a lower priority than the preemptor.",
		Decision: eachPreemption(func(c *Case, o spec.Outcome) []Breach {
			var breaches []Breach
			for _, victim := range o.Victims {
				if priority(victim) >= priority(c.Question.Pod) {
					breaches = append(breaches, preemption("victim %s of priority %d dies for a pod of priority %d",
						victim.Name, priority(victim), priority(c.Question.Pod)))
				}
			}
			return breaches
		}),
	}
}

// VictimsOnNominatedNode returns the property that victims are on the nominated node.
func VictimsOnNominatedNode() Property {
	return Property{
		Name: "victims-on-nominated-node",
		Doc:  "Every victim is bound to the node that the preemptor is nominated to.",
		Decision: eachPreemption(func(c *Case, o spec.Outcome) []Breach {
			var breaches []Breach
			for _, victim := range o.Victims {
				if victim.Spec.NodeName != c.node(o.Node) {
					breaches = append(breaches, preemption("victim %s is on %s, the nomination goes to %s",
						victim.Name, victim.Spec.NodeName, c.node(o.Node)))
				}
			}
			return breaches
		}),
	}
}

// PreemptionSound returns the property that a preemption makes room for the preemptor.
func PreemptionSound() Property {
	return Property{
		Name: "preemption-sound",
		Doc:  "Once the victims are gone, the preemptor is feasible on the node it is nominated to.",
		Decision: eachPreemption(func(c *Case, o spec.Outcome) []Breach {
			if c.FeasibleWithout(o.Node, o.Victims) {
				return nil
			}
			return []Breach{preemption("%s is not feasible for the pod even without %s", c.node(o.Node),
				names(o.Victims))}
		}),
	}
}

// PreemptionIrredundant returns the property that every victim of a preemption is needed.
func PreemptionIrredundant() Property {
	return Property{
		Name: "preemption-irredundant",
		Doc:  "No victim could be spared: with any one of them back, the preemptor is not feasible.",
		Decision: eachPreemption(func(c *Case, o spec.Outcome) []Breach {
			if len(c.Unmodelled) > 0 {
				return nil // a plugin that the model does not know may need the victim gone
			}
			var breaches []Breach
			for i, victim := range o.Victims {
				others := slices.Delete(slices.Clone(o.Victims), i, i+1)
				if c.FeasibleWithout(o.Node, others) {
					breaches = append(breaches, preemption("victim %s dies for nothing: the pod fits %s with it",
						victim.Name, c.node(o.Node)))
				}
			}
			return breaches
		}),
	}
}

// NoNeedlessPreemption returns the property that no pod preempts while a node is feasible.
func NoNeedlessPreemption() Property {
	return Property{
		Name: "no-needless-preemption",
		Doc:  "Nobody is preempted when a node is feasible without.",
		Decision: eachPreemption(func(c *Case, o spec.Outcome) []Breach {
			if len(c.Unmodelled) > 0 {
				return nil // a plugin that the model does not know may have rejected the node
			}
			for i, node := range c.Expected.Nodes {
				if node.Feasible {
					return []Breach{preemption("%s die, though %s is feasible", names(o.Victims), c.node(i))}
				}
			}
			return nil
		}),
	}
}

// NeverPreempts returns the property that preemptionPolicy Never is respected.
func NeverPreempts() Property {
	return Property{
		Name: "never-preempts",
		Doc:  "A pod with preemptionPolicy Never preempts nobody.",
		Decision: func(c *Case) (bool, []Breach) {
			policy := c.Question.Pod.Spec.PreemptionPolicy
			if policy == nil || *policy != v1.PreemptNever {
				return false, nil
			}
			_, breaches := eachPreemption(func(c *Case, o spec.Outcome) []Breach {
				return []Breach{preemption("the pod never preempts, yet %s die", names(o.Victims))}
			})(c)
			return true, breaches
		},
	}
}

func preemption(format string, args ...any) Breach {
	return Breach{Plugin: "DefaultPreemption", Reason: fmt.Sprintf(format, args...)}
}
