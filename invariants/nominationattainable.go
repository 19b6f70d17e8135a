package invariants

import (
	"slices"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// NominationAttainable returns the property that no pod is nominated to a node that can never take it.
func NominationAttainable() Property {
	return Property{
		Name: "nomination-attainable",
		Doc: "No pod is nominated to a node that would take it neither once the victims nor if every pod on it were " +
			"gone.",
		Decision: eachPreemption(func(c *Case, o spec.Outcome) []Breach {
			f := slices.IndexFunc(c.Expected.Nodes[o.Node].Statuses, neverFits)
			if f < 0 || c.FeasibleWithout(o.Node, o.Victims) { // some that stay may be whom the pod wants beside it
				return nil
			}
			return []Breach{
				preemption("the pod is nominated to %s, which it never fits: so says %s", c.node(o.Node),
					c.Expected.Filters[f]),
			}
		}),
	}
}

// neverFits reports whether the filter would fail even if every pod on the node were gone. An error is not that.
func neverFits(v spec.AllowedStatuses) bool { return !v.Holds && !v.HoldsEmpty && !v.Fails }
