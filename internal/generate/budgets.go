package generate

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// budgets returns the cluster disruption budgets, several of which may protect a pod, and none, some or all may be
// spent. Pods get labels, unless they have some.
func budgets(t *rapid.T, s *spec.Snapshot) {
	for _, pod := range s.Pods {
		if value := rapid.SampledFrom([]string{"x", "x", "y", ""}).Draw(t, "app"); value != "" && len(pod.Labels) == 0 {
			pod.Labels["app"] = value
		}
	}
	for i := range rapid.SampledFrom([]int{1, 2, 3}).Draw(t, "budgets") {
		budget := Budget(s.Pods).Draw(t, "budget")
		budget.Name = fmt.Sprintf("budget-%d", i)
		budget.UID = types.UID(budget.Name)
		s.PodDisruptionBudgets = append(s.PodDisruptionBudgets, budget)
	}
}

// Budget draws a disruption budget without a name, for pods with the label app, which is x or y. Rarely, one of the
// pods is being evicted. There must be a pod.
func Budget(pods []*v1.Pod) *rapid.Generator[*policyv1.PodDisruptionBudget] {
	return rapid.Custom(func(t *rapid.T) *policyv1.PodDisruptionBudget {
		budget := &policyv1.PodDisruptionBudget{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: rapid.SampledFrom([]string{"default", "default", "prod"}).Draw(t, "namespace"),
			},
			Spec: policyv1.PodDisruptionBudgetSpec{Selector: labelSelector(t, "app", "x", "y")},
			Status: policyv1.PodDisruptionBudgetStatus{
				DisruptionsAllowed: rapid.SampledFrom([]int32{0, 1, 2}).Draw(t, "allowed"),
			},
		}
		budget.Status.DisruptedPods = disrupted(t, pods)
		return budget
	})
}

// disrupted notes, rarely, that somebody is evicting a pod.
func disrupted(t *rapid.T, pods []*v1.Pod) map[string]metav1.Time {
	if rapid.IntRange(0, 7).Draw(t, "disrupts") < 7 {
		return nil
	}
	return map[string]metav1.Time{rapid.SampledFrom(pods).Draw(t, "disrupted").Name: metav1.NewTime(epoch)}
}
