package model

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// The disruption controller brings the status of a budget up to date at once or any time later: both are legal. So
// it may do so in any state in which that makes a difference, as often as it likes. Kept of a status is what
// schedulers read: how many disruptions are allowed, and that nobody is being evicted through the API any more.

// refreshes calls each with every budget whose status is out of date, if that makes a difference to anybody.
func (a *Arrangement) refreshes(s *Scenario, each func(Action)) {
	for i := range a.Budgets {
		if slices.Contains(s.counted[i], true) {
			a.outdated(s, i, each)
		}
	}
}

// outdated calls each with the budget if its status is out of date.
func (a *Arrangement) outdated(s *Scenario, i int, each func(Action)) {
	if then := a.allowance(s, i); then != a.Budgets[i] {
		each(Action{Class: Refresh, Pod: uint32(i)<<8 | uint32(then), Node: -1})
	}
}

// refresh brings a status up to date.
func (a *Arrangement) refresh(action Action) { a.Budgets[action.budget()] = uint8(action.Pod) }

// budget is the index of the budget that a Refresh is about.
func (a Action) budget() int { return int(a.Pod >> 8) }

// allowance is what Budgets is to say of a budget that is counted now.
func (a *Arrangement) allowance(s *Scenario, i int) uint8 {
	var pods []*v1.Pod
	healthy := 0
	count := func(p Pod, bound bool) {
		if s.counted[i][p.Template()] && p.Phase() == Running {
			pods = append(pods, s.Pods[p.Template()].Pod)
			if bound {
				healthy++
			}
		}
	}
	for _, p := range a.Pending {
		count(p, false)
	}
	for j := range a.Nodes {
		for _, p := range a.Nodes[j].Bound {
			count(p, true)
		}
		for _, p := range a.Nodes[j].Nominated {
			count(p, false)
		}
	}
	for template, n := range a.Owed {
		for range n {
			count(newPod(template, Running, 0), false)
		}
	}
	budget := s.Around.PodDisruptionBudgets[i]
	allowed := spec.DisruptionsAllowed(budget, pods, healthy, &s.Around)
	if allowed == budget.Status.DisruptionsAllowed && len(budget.Status.DisruptedPods) == 0 {
		return 0
	}
	return uint8(allowed + 1)
}

// Disruptions returns, for each budget that is refreshed, how many disruptions its status allows, and how many it
// would if it were counted now.
func (a *Arrangement) Disruptions(s *Scenario) (status, counted []int) {
	allows := func(i int, n uint8) int {
		if n == 0 {
			return int(s.Around.PodDisruptionBudgets[i].Status.DisruptionsAllowed)
		}
		return int(n) - 1
	}
	for i, n := range a.Budgets {
		status = append(status, allows(i, n))
		counted = append(counted, allows(i, a.allowance(s, i)))
	}
	return status, counted
}

// counts tells, by budget and pod template, whether the budget counts pods of the template.
func (s *Scenario) counts() [][]bool {
	var counted [][]bool
	for _, budget := range s.Around.PodDisruptionBudgets {
		counted = append(counted, make([]bool, len(s.Pods)))
		for template := range s.Pods {
			counted[len(counted)-1][template] = spec.Covers(budget, s.Pods[template].Pod)
		}
	}
	return counted
}

// around returns what is around nodes and pods where the budgets allow so much.
func around(base *spec.Snapshot, budgets []uint8) spec.Snapshot {
	snapshot := *base
	if !slices.ContainsFunc(budgets, func(n uint8) bool { return n > 0 }) {
		return snapshot
	}
	snapshot.PodDisruptionBudgets = slices.Clone(base.PodDisruptionBudgets)
	for i, n := range budgets {
		if n > 0 {
			snapshot.PodDisruptionBudgets[i] = refreshed(base.PodDisruptionBudgets[i], int32(n)-1)
		}
	}
	return snapshot
}

// refreshed returns the budget with a status that allows so many disruptions. What else the status says is left as
// it was: no scheduler reads it.
func refreshed(budget *policyv1.PodDisruptionBudget, allowed int32) *policyv1.PodDisruptionBudget {
	budget = budget.DeepCopy()
	budget.Status.DisruptionsAllowed, budget.Status.DisruptedPods = allowed, nil
	return budget
}
