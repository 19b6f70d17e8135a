package audit

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// Budget is a disruption budget that blocks evictions.
type Budget struct {
	Budget *policyv1.PodDisruptionBudget
	// Pods are those on nodes that it covers and that cannot be evicted now, and Nodes is on how many nodes they are.
	Pods  []*v1.Pod
	Nodes int
	// Ever: it allows no disruption however many of its pods are healthy, so it blocks the drain of each of the nodes
	// until it, or the number of replicas, is changed.
	Ever bool
	// Doubly is how many of its pods another budget covers, too: the API server evicts no such pod.
	Doubly int
}

// covers says which budgets cover which pods. Those with the same namespace and labels are covered by the same.
type covers struct {
	budgets []*policyv1.PodDisruptionBudget
	known   map[string][]int
}

func newCovers(s *spec.Snapshot) *covers { return &covers{s.PodDisruptionBudgets, map[string][]int{}} }

// of returns the budgets that cover the pod, by index.
func (c *covers) of(pod *v1.Pod) []int {
	key := pod.Namespace + "\n" + labels.Set(pod.Labels).String()
	found, known := c.known[key]
	if !known {
		for i, budget := range c.budgets {
			if spec.Covers(budget, pod) {
				found = append(found, i)
			}
		}
		c.known[key] = found
	}
	return found
}

// budgets finds out which budgets block evictions now.
func (a *auditor) budgets() {
	cover := newCovers(a.options.Cluster)
	all, covered := make([]Budget, len(cover.budgets)), make([]int, len(cover.budgets))
	for i := range a.result.Nodes {
		last := map[int]bool{}
		for _, pod := range a.result.Nodes[i].Pods {
			if pod.DeletionTimestamp != nil {
				continue
			}
			by := cover.of(pod)
			for _, k := range by {
				covered[k]++
				b := &all[k]
				if len(by) > 1 {
					b.Doubly++
				}
				if len(by) == 1 && evictable(cover.budgets[k], pod, allowed(cover.budgets[k])) {
					continue
				}
				if b.Pods = append(b.Pods, pod); !last[k] {
					b.Nodes++
					last[k] = true
				}
			}
		}
	}
	for k, b := range all {
		b.Budget = cover.budgets[k]
		b.Ever = never(b.Budget, covered[k])
		if len(b.Pods) > 0 && (a.options.Namespace == "" || b.Budget.Namespace == a.options.Namespace) {
			a.result.Budgets = append(a.result.Budgets, b)
		}
	}
	slices.SortStableFunc(a.result.Budgets, func(a, b Budget) int {
		if a.Ever != b.Ever {
			return map[bool]int{true: -1, false: 1}[a.Ever]
		}
		return len(b.Pods) - len(a.Pods)
	})
}

// allowed is how many disruptions the budget allows.
func allowed(budget *policyv1.PodDisruptionBudget) int32 {
	return max(0, budget.Status.DisruptionsAllowed)
}

// evictable reports whether the API server evicts a pod that this budget alone covers, when so many disruptions are
// allowed: one is left; or the pod is not ready, and that is enough by the budget's policy for unhealthy pods.
//
// Source: https://kubernetes.io/docs/tasks/run-application/configure-pdb/#unhealthy-pod-eviction-policy, field docs of
// PodDisruptionBudgetSpec.unhealthyPodEvictionPolicy.
func evictable(budget *policyv1.PodDisruptionBudget, pod *v1.Pod, allowed int32) bool {
	if allowed > 0 || pod.Status.Phase == v1.PodPending {
		return true
	}
	if pod.Status.Phase != v1.PodRunning || ready(pod) {
		return false
	}
	policy := budget.Spec.UnhealthyPodEvictionPolicy
	if policy != nil && *policy == policyv1.AlwaysAllow {
		return true
	}
	return budget.Status.DesiredHealthy > 0 && budget.Status.CurrentHealthy >= budget.Status.DesiredHealthy
}

// ready reports whether the pod has the condition Ready. One that has no conditions at all was never told of: it
// counts as ready.
func ready(pod *v1.Pod) bool {
	i := slices.IndexFunc(pod.Status.Conditions, func(c v1.PodCondition) bool { return c.Type == v1.PodReady })
	return len(pod.Status.Conditions) == 0 || i >= 0 && pod.Status.Conditions[i].Status == v1.ConditionTrue
}

// never reports whether the budget allows no disruption even if all of its pods are healthy.
//
// Source: https://kubernetes.io/docs/tasks/run-application/configure-pdb/#specifying-a-poddisruptionbudget (with a
// maxUnavailable of 0, or a minAvailable of all replicas, "you are requiring zero voluntary evictions"), and
// #rounding-logic-when-specifying-percentages (up).
func never(budget *policyv1.PodDisruptionBudget, covered int) bool {
	expected := max(covered, int(budget.Status.ExpectedPods))
	if most := budget.Spec.MaxUnavailable; most != nil {
		n, err := intstr.GetScaledValueFromIntOrPercent(most, expected, true)
		return err == nil && n == 0
	}
	if least := budget.Spec.MinAvailable; least != nil {
		n, err := intstr.GetScaledValueFromIntOrPercent(least, expected, true)
		return err == nil && n >= expected
	}
	return false
}
