package spec

import (
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Budgets are the rules by which preemption heeds disruption budgets.
type Budgets struct {
	// Protects reports whether a budget counts a pod. It reads the pod's namespace, name and labels.
	Protects func(budget *policyv1.PodDisruptionBudget, pod *v1.Pod) bool
	// SpentOnSpared: what budgets allow is spent on all pods in jeopardy, also on those that are spared.
	SpentOnSpared bool
}

// DocumentedBudgets are the rules that Kubernetes documents.
func DocumentedBudgets() Budgets { return Budgets{Protects: Protects} }

// Protected returns, of the pods in jeopardy on a node, those whose eviction breaks a budget.
func (b Budgets) Protected(jeopardy []*v1.Pod, s *Snapshot) []*v1.Pod {
	if b.SpentOnSpared {
		return exhausting(b, jeopardy, s)
	}
	return protected(b, jeopardy, s)
}

// Violations counts the victims whose eviction breaks a budget; jeopardy has the victims and the pods that were
// spared.
func (b Budgets) Violations(victims, jeopardy []*v1.Pod, s *Snapshot) int {
	if b.SpentOnSpared {
		return count(exhausting(b, jeopardy, s), func(pod *v1.Pod) bool { return contains(victims, pod) })
	}
	return violations(b, victims, s)
}

// Protects reports whether the budget counts the pod: it is in the budget's namespace, the selector matches its labels,
// and the API server has not let it be evicted already.
//
// Source: field docs of PodDisruptionBudgetSpec.selector ("a null selector will match no pods, while an empty ({})
// selector will select all pods within the namespace") and of PodDisruptionBudgetStatus.disruptedPods.
func Protects(budget *policyv1.PodDisruptionBudget, pod *v1.Pod) bool {
	_, disrupted := budget.Status.DisruptedPods[pod.Name]
	return Covers(budget, pod) && !disrupted
}

// protected: some budget that counts the pod allows no disruption. Whoever else is evicted makes no difference.
//
// Source: field doc of PodDisruptionBudgetStatus.disruptionsAllowed.
func protected(b Budgets, jeopardy []*v1.Pod, s *Snapshot) []*v1.Pod {
	return filter(jeopardy, func(pod *v1.Pod) bool {
		return exists(s.PodDisruptionBudgets, func(budget *policyv1.PodDisruptionBudget) bool {
			return b.Protects(budget, pod) && budget.Status.DisruptionsAllowed <= 0
		})
	})
}

// violations: victims are evicted one after the other, the most important first.
//
//	Cardinality({Victim : \E Budget : Protects(Budget, Victim) /\
//	    Cardinality({Victim and those before it that Budget protects}) > Budget.Status.DisruptionsAllowed})
//
// Source:
// https://kubernetes.io/docs/concepts/scheduling-eviction/pod-priority-preemption/#poddisruptionbudget-is-supported-but-not-guaranteed
// speaks of victims whose budgets are violated by preemption. In which order victims use a budget up, which matters
// only to pods that several budgets protect, is not documented.
func violations(b Budgets, victims []*v1.Pod, s *Snapshot) int {
	return len(exhausting(b, victims, s))
}

// exhausting returns the pods that find a budget used up when they are evicted one after the other, the most
// important first.
func exhausting(b Budgets, victims []*v1.Pod, s *Snapshot) []*v1.Pod {
	if len(s.PodDisruptionBudgets) == 0 {
		return nil
	}
	var broken, evicted []*v1.Pod
	for len(evicted) < len(victims) {
		next := mostImportant(minus(victims, evicted))[0]
		evicted = append(evicted, next)
		if exists(s.PodDisruptionBudgets, func(budget *policyv1.PodDisruptionBudget) bool {
			used := filter(evicted, func(pod *v1.Pod) bool { return b.Protects(budget, pod) })
			return b.Protects(budget, next) && len(used) > int(max(budget.Status.DisruptionsAllowed, 0))
		}) {
			broken = append(broken, next)
		}
	}
	return broken
}

// EmptySelectorProtectsNobody is a defect of kube-scheduler v1.36.
func EmptySelectorProtectsNobody() Quirk {
	return Quirk{
		Name: "empty-selector-protects-nobody", Class: Reported, Upstream: "kubernetes/kubernetes#141785",
		Title:  "a budget with selector {} protects nobody",
		Plugin: "DefaultPreemption",
		Doc: "A disruption budget with the selector {} protects nobody, and a pod without labels is protected by no " +
			"budget.",
		Budgets: func(b *Budgets) {
			b.Protects = func(budget *policyv1.PodDisruptionBudget, pod *v1.Pod) bool {
				selector, err := metav1.LabelSelectorAsSelector(budget.Spec.Selector)
				return err == nil && !selector.Empty() && len(pod.Labels) > 0 && Protects(budget, pod)
			}
		},
	}
}

// BudgetSpentOnSpared is a defect of kube-scheduler v1.36.
func BudgetSpentOnSpared() Quirk {
	return Quirk{
		Name: "budget-spent-on-spared", Class: Reported, Upstream: "kubernetes/kubernetes#91492 and related issues",
		Title:  "budgets are spent on pods that are then reprieved",
		Plugin: "DefaultPreemption",
		Doc: "The disruptionsAllowed of a PodDisruptionBudget are spent on all pods of lower priority, the most important " +
			"first, also on those that are reprieved afterwards.",
		Budgets: func(b *Budgets) { b.SpentOnSpared = true },
	}
}
