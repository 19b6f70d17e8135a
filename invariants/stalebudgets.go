package invariants

import (
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// NoStaleDisruption returns the property that disruption budgets are up to date when it matters.
//
// Nobody promises it. The status is another controller's, budgets are respected on a best effort basis, and one
// preemption does not tell the next what it took: so what breaks it is by design.
//
// Source:
// https://kubernetes.io/docs/concepts/scheduling-eviction/pod-priority-preemption/#poddisruptionbudget-is-supported-but-not-guaranteed
func NoStaleDisruption() Property {
	return Property{
		Name: "no-stale-disruption",
		Doc: "No preemption evicts more pods of a disruption budget than the budget allows at that moment, because " +
			"its status, out of date, allows them.",
		Step: func(s *Step) (bool, []Breach) {
			if s.Action.Class != model.Preempt || len(s.Before.Budgets) == 0 {
				return false, nil
			}
			evicted := make([]int, len(s.Scenario.Pods)) // by kind
			for i := range s.Before.Nodes {
				for _, p := range s.Before.Nodes[i].Bound {
					if p.Phase() == model.Running {
						evicted[p.Template()]++
					}
				}
				for _, p := range s.After.Nodes[i].Bound {
					if p.Phase() == model.Running {
						evicted[p.Template()]--
					}
				}
			}
			applies := false
			var breaches []Breach
			status, counted := s.Before.Disruptions(s.Scenario)
			for i, budget := range s.Scenario.Around.PodDisruptionBudgets {
				n := 0
				for kind, victims := range evicted {
					if victims > 0 && spec.Covers(budget, s.Scenario.Pods[kind].Pod) {
						n += victims
					}
				}
				applies = applies || n > 0
				if n > counted[i] && n <= status[i] {
					b := preemption("%d of the pods of budget %s/%s are evicted: its status allows %d, but counted at "+
						"that moment it "+"allows %d", n, budget.Namespace, budget.Name, status[i], counted[i])
					b.ByDesign = true
					breaches = append(breaches, b)
				}
			}
			return applies, breaches
		},
	}
}
