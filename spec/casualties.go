package spec

import (
	"slices"
	"sync"

	v1 "k8s.io/api/core/v1"
)

// Casualties returns CasualtyOf for the sake of the pod, where many sets of pods are weighed: which budgets protect
// pods with the same labels is found out once.
func (m *Scheduler) Casualties(pod *v1.Pod, s *Snapshot) func(Candidate) Casualty {
	cover := newDisruptionCover(m.rules.budgets, s)
	on := sync.OnceValue(func() map[string][]*v1.Pod {
		on := map[string][]*v1.Pod{}
		for _, other := range s.Pods {
			on[other.Spec.NodeName] = append(on[other.Spec.NodeName], other)
		}
		return on
	})
	return func(c Candidate) Casualty {
		weighed := c.Victims
		if cover.rules.SpentOnSpared {
			node := s.Nodes[c.Node]
			weighed = Jeopardy(pod, node, &Snapshot{Pods: on()[node.Name]})
		}
		at := make(map[*v1.Pod]int, len(weighed))
		for i, other := range weighed {
			at[other] = i
		}
		var victims []int
		for _, victim := range c.Victims {
			i, there := at[victim]
			if !there { // a victim that should not be one
				return m.CasualtyOf(pod, c, s)
			}
			victims = append(victims, i)
		}
		slices.Sort(victims)
		d := cover.on(weighed)
		return d.damage(victims)
	}
}
