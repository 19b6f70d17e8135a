package invariants

import (
	"slices"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// LowestVictims returns the property that the victims are pods of the lowest priority that does.
func LowestVictims() Property {
	return Property{
		Name: "lowest-victims",
		Doc: "No pod is evicted where one of lower priority on the same node would do in its place, without breaking " +
			"more budgets.",
		Decision: eachPreemption(func(c *Case, o spec.Outcome) []Breach {
			if len(c.Unmodelled) > 0 {
				return nil
			}
			violations := func(victims []*v1.Pod) int {
				return c.casualty(spec.Candidate{Node: o.Node, Victims: victims}).Violations
			}
			var breaches []Breach
			for i, victim := range o.Victims {
				for _, other := range c.inJeopardy()[o.Node] {
					if priority(other) >= priority(victim) || slices.Contains(o.Victims, other) {
						continue
					}
					instead := slices.Clone(o.Victims)
					instead[i] = other
					if !c.FeasibleWithout(o.Node, instead) || violations(instead) > violations(o.Victims) {
						continue
					}
					b := preemption("victim %s of priority %d dies where %s of priority %d would do",
						podName(victim), priority(victim), podName(other), priority(other))
					b.ByDesign = c.documented(o)
					breaches = append(breaches, b)
				}
			}
			return breaches
		}),
	}
}
