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
	// UpToFirst: who finds a budget used up uses up those before it, by their names, and none behind it.
	UpToFirst bool
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
	used := map[*policyv1.PodDisruptionBudget]int{}
	for len(evicted) < len(victims) {
		next := mostImportant(minus(victims, evicted))[0]
		evicted = append(evicted, next)
		uses := filter(s.PodDisruptionBudgets, func(budget *policyv1.PodDisruptionBudget) bool {
			return b.Protects(budget, next)
		})
		usedUp := filter(uses, func(budget *policyv1.PodDisruptionBudget) bool {
			return used[budget] >= int(max(budget.Status.DisruptionsAllowed, 0))
		})
		if b.UpToFirst {
			uses = filter(uses, func(budget *policyv1.PodDisruptionBudget) bool {
				return all(usedUp, func(first *policyv1.PodDisruptionBudget) bool { return budget.Name <= first.Name })
			})
		}
		for _, budget := range uses {
			used[budget]++
		}
		if len(usedUp) > 0 {
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

// CountedToFirst is what kube-scheduler does since v1.37, where single pods are counted as pod groups are. No document
// says in which order victims use a budget up. Whatever order the cache lists budgets in, those who find none used up
// are within all budgets together, and the others break one even if they are evicted last: so as many violations
// are counted as if the pods that break no budget were evicted first.
func CountedToFirst() Quirk {
	return Quirk{
		Name: "budgets-counted-to-first", Class: Interpretation, Upstream: "not reported",
		Title:  "a pod that breaks a budget uses no further budgets up",
		Plugin: "DefaultPreemption",
		Since:  "v1.37",
		Doc: "A pod that several budgets protect is counted in one after the other up to the first that it breaks: of the " +
			"others it uses nothing up. Which come first is left to chance.",
		Needs:   func(_ *Profile, _ *v1.Pod, s *Snapshot) bool { return len(s.PodDisruptionBudgets) > 1 },
		Budgets: func(b *Budgets) { b.UpToFirst = true },
	}
}
