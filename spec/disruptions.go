package spec

import (
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Covers reports whether the budget is about the pod: it is in the budget's namespace, and the selector matches its
// labels.
//
// Source: field doc of PodDisruptionBudgetSpec.selector.
func Covers(budget *policyv1.PodDisruptionBudget, pod *v1.Pod) bool {
	return budget.Namespace == pod.Namespace && Selects(budget.Spec.Selector, pod.Labels)
}

// DisruptionsAllowed is what the disruption controller writes to status.disruptionsAllowed, if it counts now. The
// pods are those that the budget covers and that are not being deleted, those included that controllers are about
// to create; so many of them are healthy.
//
//	Max(0, Healthy - MinAvailable)                if minAvailable is set, of expected pods if it is a percentage
//	Max(0, Healthy - (Expected - MaxUnavailable)) if maxUnavailable is set
//
// Percentages are of the pods that are expected, and round up. So many pods are expected as the controllers of the
// pods ask for; a pod without a controller that says how many, and one whose controller is not in the snapshot,
// counts for itself. That is the choice here where the documents say that such budgets are not supported. A budget
// that sets neither allows nothing.
//
// Source: field docs of PodDisruptionBudgetSpec and PodDisruptionBudgetStatus, and
// https://kubernetes.io/docs/tasks/run-application/configure-pdb/#rounding-logic-when-specifying-percentages.
func DisruptionsAllowed(budget *policyv1.PodDisruptionBudget, pods []*v1.Pod, healthy int, s *Snapshot) int32 {
	spec := budget.Spec
	desired := healthy
	switch {
	case spec.MinAvailable != nil:
		desired = scaled(spec.MinAvailable, func() int { return expectedPods(pods, s) })
	case spec.MaxUnavailable != nil:
		expected := expectedPods(pods, s)
		desired = max(0, expected-scaled(spec.MaxUnavailable, func() int { return expected }))
	}
	return int32(max(0, healthy-desired))
}

// scaled returns a number, or so many percent of another, rounded up. A text that is no percentage, which the API
// server takes from nobody, is 0.
func scaled(value *intstr.IntOrString, of func() int) int {
	if value.Type == intstr.Int {
		return value.IntValue()
	}
	n, err := intstr.GetScaledValueFromIntOrPercent(value, of(), true)
	if err != nil {
		return 0
	}
	return n
}

// expectedPods is how many pods there are to be: those that controllers ask for, and every other pod.
func expectedPods(pods []*v1.Pod, s *Snapshot) int {
	type controller struct{ namespace, kind, name string }
	asked := map[controller]int32{}
	expected := 0
	for _, pod := range pods {
		owner := metav1.GetControllerOf(pod)
		if owner == nil {
			expected++
			continue
		}
		replicas, known := replicasOf(owner, pod.Namespace, s)
		if !known {
			expected++
			continue
		}
		asked[controller{pod.Namespace, owner.Kind, owner.Name}] = replicas
	}
	for _, replicas := range asked {
		expected += int(replicas)
	}
	return expected
}

// replicasOf is how many pods a controller asks for; 1 where it does not say.
//
// Source: field docs of spec.replicas.
func replicasOf(owner *metav1.OwnerReference, namespace string, s *Snapshot) (replicas int32, known bool) {
	number := func(n *int32) (int32, bool) {
		if n == nil {
			return 1, true
		}
		return *n, true
	}
	for _, rs := range s.ReplicaSets {
		if owner.Kind == "ReplicaSet" && rs.Namespace == namespace && rs.Name == owner.Name {
			return number(rs.Spec.Replicas)
		}
	}
	for _, set := range s.StatefulSets {
		if owner.Kind == "StatefulSet" && set.Namespace == namespace && set.Name == owner.Name {
			return number(set.Spec.Replicas)
		}
	}
	for _, rc := range s.ReplicationControllers {
		if owner.Kind == "ReplicationController" && rc.Namespace == namespace && rc.Name == owner.Name {
			return number(rc.Spec.Replicas)
		}
	}
	return 0, false
}
