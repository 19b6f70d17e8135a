package invariants

import (
	"github.com/seed-a3f26817/modelcheck/spec"
)

// NoAvoidableViolation returns the property that disruption budgets are violated only where they must be.
func NoAvoidableViolation() Property {
	return Property{
		Name: "no-avoidable-violation",
		Doc: "No preemption breaks more disruption budgets than another one would that helps the pod as well, on any " +
			"node and with any victims.",
		Decision: weighed(func(c *Case, o spec.Outcome) []Breach {
			if len(c.Unmodelled) > 0 || len(c.Expected.Ideal) == 0 {
				return nil
			}
			violations := func(candidate spec.Candidate) int { return c.casualty(candidate).Violations }
			best := c.Expected.Ideal[0]
			broken, must := violations(spec.Candidate{Node: o.Node, Victims: o.Victims}), violations(best)
			if broken <= must {
				return nil
			}
			b := preemption("to evict %s from %s breaks budgets %d times; to evict %s from %s, %d times",
				names(o.Victims), c.node(o.Node), broken, names(best.Victims), c.node(best.Node), must)
			b.ByDesign = c.documented(o)
			return []Breach{b}
		}),
	}
}

// documented reports whether Kubernetes documents the outcome.
func (c *Case) documented(o spec.Outcome) bool {
	return c.Expected.Allows(o)
}
