package audit

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
)

// health keeps the status of budgets as the disruption controller would: a pod that leaves is one healthy pod less,
// one that is bound starts at once and is one more.
type health struct {
	cover *covers
	// began are the budgets in the beginning, and change is by how many healthy pods each has more since.
	began  []*policyv1.PodDisruptionBudget
	change []int32
}

func newHealth(cover *covers) *health {
	return &health{cover: cover, began: cover.budgets, change: make([]int32, len(cover.budgets))}
}

// count counts a pod that left (-1) or came (1), and reports whether a budget covers it.
func (h *health) count(pod *v1.Pod, by int32) bool {
	if by < 0 && !ready(pod) {
		return false
	}
	cover := h.cover.of(pod)
	for _, k := range cover {
		h.change[k] += by
	}
	return len(cover) > 0
}

// budgets returns the budgets as they are now.
func (h *health) budgets() []*policyv1.PodDisruptionBudget {
	now := slices.Clone(h.began)
	for k, budget := range h.began {
		if h.change[k] == 0 {
			continue
		}
		now[k] = budget.DeepCopy()
		now[k].Status.DisruptionsAllowed = h.allowed(k)
		now[k].Status.CurrentHealthy = max(0, budget.Status.CurrentHealthy+h.change[k])
	}
	return now
}

// allowed is how many disruptions a budget allows now. One that allowed none in the beginning may have had fewer
// healthy pods than it desires.
func (h *health) allowed(k int) int32 {
	status := h.began[k].Status
	if status.DisruptionsAllowed > 0 {
		return max(0, status.DisruptionsAllowed+h.change[k])
	}
	return max(0, min(0, status.CurrentHealthy-status.DesiredHealthy)+h.change[k])
}
