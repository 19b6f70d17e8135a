package spec

import v1 "k8s.io/api/core/v1"

// TaintToleration is the filter
//
//	Holds == \A Taint \in Node.Spec.Taints : Taint.Effect \in {NoSchedule, NoExecute} => Tolerated(Taint, Pod)
//
// It answers for the filter of the plugin TaintToleration, and reads only the node.
//
// Source: https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/.
// PreferNoSchedule is a score (see PreferNoSchedule). How long a toleration of NoExecute lasts
// (tolerationSeconds) matters to eviction, not to placement.
func TaintToleration() Filter {
	return Filter{
		Plugin:    "TaintToleration",
		Footprint: ReadsNode,
		Holds: func(_ *Profile, pod *v1.Pod, node *v1.Node, _ *Snapshot) bool {
			return toleratesTaints(pod, node)
		},
	}
}

// toleratesTaints reports whether the pod tolerates all taints of the node that keep pods off it.
func toleratesTaints(pod *v1.Pod, node *v1.Node) bool {
	return all(node.Spec.Taints, func(t v1.Taint) bool { return !mustBeTolerated(t) || Tolerated(t, pod) })
}

func mustBeTolerated(taint v1.Taint) bool {
	return contains([]v1.TaintEffect{v1.TaintEffectNoSchedule, v1.TaintEffectNoExecute}, taint.Effect)
}

// Tolerated reports whether the pod tolerates the taint:
//
//	Tolerated(Taint, Pod) == \E Toleration \in Pod.Spec.Tolerations : Tolerates(Toleration, Taint)
func Tolerated(taint v1.Taint, pod *v1.Pod) bool {
	return exists(pod.Spec.Tolerations, func(t v1.Toleration) bool { return Tolerates(t, taint) })
}

// Tolerates reports whether the toleration matches the taint:
//
//	Tolerates(Toleration, Taint) ==
//	    /\ Toleration.Effect \in {"", Taint.Effect}
//	    /\ Toleration.Key    \in {"", Taint.Key}
//	    /\ \/ Toleration.Operator = Exists
//	       \/ Toleration.Operator \in {"", Equal} /\ Toleration.Value = Taint.Value
//
// Source: field docs of Toleration. Lt and Gt never match: they need the feature
// TaintTolerationComparisonOperators, which is alpha and off in v1.36. An empty key with Equal is
// refused by the API; the formula gives it the meaning "any key, this value".
func Tolerates(toleration v1.Toleration, taint v1.Taint) bool {
	return contains([]v1.TaintEffect{"", taint.Effect}, toleration.Effect) &&
		contains([]string{"", taint.Key}, toleration.Key) &&
		(toleration.Operator == v1.TolerationOpExists ||
			contains([]v1.TolerationOperator{"", v1.TolerationOpEqual}, toleration.Operator) &&
				toleration.Value == taint.Value)
}
