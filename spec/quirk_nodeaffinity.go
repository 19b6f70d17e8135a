package spec

import (
	"strconv"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
)

// UnreadablePreferenceStopsPod is a defect of kube-scheduler v1.36. An API server takes any text as a value of a
// preferred term, and any integer is a bound of Gt and Lt by the documents, also one that is no label value, as -1. A
// preference keeps no pod from being scheduled, and here it does where two nodes or more are feasible.
func UnreadablePreferenceStopsPod() Quirk {
	return Quirk{
		Name: "unreadable-preference-stops-pod", Class: Unconfirmed, Upstream: "not reported",
		Title:  "preferring a label above -1 ends every cycle of the pod",
		Plugin: "NodeAffinity",
		Doc: "Preferred node affinity with a value that no label can have, as the bound -1 of Gt, ends the pod's cycle " +
			"in an error where more than one node is feasible.",
		Needs: func(_ *Profile, pod *v1.Pod, _ *Snapshot) bool { return unreadablePreference(pod) },
		ScoringFails: func(m *Scheduler, pod *v1.Pod, _ *v1.Node, _ *Snapshot) bool {
			return unreadablePreference(pod) && exists(m.Profile.ScorePlugins, func(w Weighted) bool {
				return w.Plugin == "NodeAffinity" && w.Weight > 0
			})
		},
	}
}

// unreadablePreference reports whether a preferred term of the pod's own has a value that no label can have, or a bound
// that is no integer.
func unreadablePreference(pod *v1.Pod) bool {
	if pod.Spec.Affinity == nil || pod.Spec.Affinity.NodeAffinity == nil {
		return false
	}
	terms := pod.Spec.Affinity.NodeAffinity.PreferredDuringSchedulingIgnoredDuringExecution
	return exists(terms, func(t v1.PreferredSchedulingTerm) bool {
		return exists(t.Preference.MatchExpressions, func(r v1.NodeSelectorRequirement) bool {
			return exists(r.Values, func(value string) bool { return unreadableValue(r.Operator, value) })
		})
	})
}

func unreadableValue(operator v1.NodeSelectorOperator, value string) bool {
	_, notANumber := strconv.ParseInt(value, 10, 64)
	bound := contains([]v1.NodeSelectorOperator{v1.NodeSelectorOpGt, v1.NodeSelectorOpLt}, operator)
	return len(validation.IsValidLabelValue(value)) > 0 || bound && notANumber != nil
}
