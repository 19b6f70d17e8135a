package invariants

import (
	"fmt"
	"slices"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// NominationsRespected returns the property that the resources which preemption frees are left to the nominated pod.
func NominationsRespected() Property {
	return Property{
		Name: "nominations-respected",
		Doc:  "No pod takes the room of another of at least its priority that is nominated to the node.",
		Decision: func(c *Case) (bool, []Breach) {
			applies := false
			var breaches []Breach
			for _, o := range c.Decision.Outcomes {
				if o.Type != spec.Bind || len(c.Unmodelled) > 0 {
					continue
				}
				node := &c.Expected.Nodes[o.Node]
				respected := spec.Respected(c.Question.Pod, c.Question.Snapshot.Nodes[o.Node], c.Question.Snapshot)
				applies = applies || len(respected) > 0
				alone := !slices.ContainsFunc(node.Statuses, func(v spec.AllowedStatuses) bool { return !v.Holds })
				if len(respected) > 0 && !node.Feasible && alone {
					breaches = append(
						breaches,
						Breach{
							Reason: fmt.Sprintf("the pod may be bound to %s, where %s is nominated and would not fit "+
								"beside it", c.node(o.Node), names(respected)),
						},
					)
				}
			}
			return applies, breaches
		},
	}
}
