package invariants

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// Optional returns the properties that are checked only when asked for: wishes that many clusters have and that no
// scheduler promises.
func Optional() []Property {
	return []Property{ExtendedResourcesReserved()}
}

// ExtendedResourcesReserved returns the property that nodes with extended resources are left to the pods that request
// them: the question of the formal model's case study, about GPUs.
func ExtendedResourcesReserved() Property {
	return Property{
		Name: "extended-resources-reserved",
		Doc:  "A pod that requests no extended resource is bound only to nodes that have none.",
		Decision: func(c *Case) (bool, []Breach) {
			if len(extended(spec.Requests(c.Question.Pod))) > 0 {
				return false, nil
			}
			return eachBinding(func(c *Case, o spec.Outcome) []Breach {
				has := extended(c.Question.Snapshot.Nodes[o.Node].Status.Allocatable)
				if len(has) == 0 {
					return nil
				}
				return []Breach{{Reason: fmt.Sprintf(
					"the pod requests no extended resource and may be bound to %s, which has %s",
					c.node(o.Node), has[0])}}
			})(c)
		},
	}
}

// extended returns the extended resources that the list has some of, sorted.
func extended(list v1.ResourceList) []v1.ResourceName {
	var names []v1.ResourceName
	for name, quantity := range list {
		if spec.Extended(name) && !quantity.IsZero() {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
