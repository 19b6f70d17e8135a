package generate

import (
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"
)

func nodeSelector(t *rapid.T) map[string]string {
	selector := map[string]string{}
	switch rapid.IntRange(0, 15).Draw(t, "selects") {
	case 14:
		selector[zone] = rapid.SampledFrom(zones).Draw(t, zone)
	case 15:
		selector[cores] = rapid.SampledFrom(coreCounts).Draw(t, cores)
	}
	return selector
}

// affinity draws required and preferred node affinity; mostly none.
func affinity(t *rapid.T) *v1.Affinity {
	node := &v1.NodeAffinity{}
	if rapid.IntRange(0, 7).Draw(t, "requires") == 7 {
		node.RequiredDuringSchedulingIgnoredDuringExecution = &v1.NodeSelector{
			NodeSelectorTerms: rapid.SliceOfN(rapid.Custom(requiredTerm), 1, 2).Draw(t, "terms"),
		}
	}
	if rapid.IntRange(0, 3).Draw(t, "prefers") == 3 {
		node.PreferredDuringSchedulingIgnoredDuringExecution = preferences(t)
	}
	if rapid.IntRange(0, 1).Draw(t, "without affinity") == 0 &&
		node.RequiredDuringSchedulingIgnoredDuringExecution == nil &&
		len(node.PreferredDuringSchedulingIgnoredDuringExecution) == 0 {
		return nil
	}
	return &v1.Affinity{NodeAffinity: node}
}

// The bounds of Gt and Lt. That one is no integer is accepted by the API server; a pod that
// prefers by such a bound is never scheduled, so that preferences are drawn without.
var (
	integers  = []string{"8", "12", "08", "0", "9223372036854775807"}
	allSorts  = append([]string{"junk", "1.5", "9223372036854775808"}, integers...)
	operators = []v1.NodeSelectorOperator{v1.NodeSelectorOpIn, v1.NodeSelectorOpNotIn, v1.NodeSelectorOpExists,
		v1.NodeSelectorOpDoesNotExist, v1.NodeSelectorOpGt, v1.NodeSelectorOpLt}
	nodesByName = []string{"node-0", "node-1", "node-2", "absent"}
)

func requiredTerm(t *rapid.T) v1.NodeSelectorTerm { return term(t, allSorts) }

func preferredTerm(t *rapid.T) v1.NodeSelectorTerm { return term(t, integers) }

func preferences(t *rapid.T) []v1.PreferredSchedulingTerm {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) v1.PreferredSchedulingTerm {
		return v1.PreferredSchedulingTerm{
			Weight: rapid.SampledFrom([]int32{1, 3, 50, 100}).Draw(t, "weight"), Preference: preferredTerm(t),
		}
	}), 1, 3).Draw(t, "preferences")
}

// term draws a term; it may be empty, which matches nothing.
func term(t *rapid.T, bounds []string) v1.NodeSelectorTerm {
	expression := rapid.Custom(func(t *rapid.T) v1.NodeSelectorRequirement { return requirement(t, bounds) })
	drawn := v1.NodeSelectorTerm{
		MatchExpressions: rapid.SliceOfN(expression, 0, rapid.SampledFrom([]int{1, 1, 2}).Draw(t, "most")).Draw(t,
			"expressions"),
	}
	if rapid.IntRange(0, 3).Draw(t, "by name") == 3 {
		drawn.MatchFields = []v1.NodeSelectorRequirement{{
			Key:      metav1.ObjectNameField,
			Operator: rapid.SampledFrom(operators[:2]).Draw(t, "operator"),
			Values:   []string{rapid.SampledFrom(nodesByName).Draw(t, "name")},
		}}
	}
	return drawn
}

func requirement(t *rapid.T, bounds []string) v1.NodeSelectorRequirement {
	r := v1.NodeSelectorRequirement{
		Key:      rapid.SampledFrom([]string{zone, cores, "absent"}).Draw(t, "key"),
		Operator: rapid.SampledFrom(operators).Draw(t, "operator"),
	}
	values := zones
	if r.Key == cores {
		values = coreCounts
	}
	switch r.Operator {
	case v1.NodeSelectorOpIn, v1.NodeSelectorOpNotIn:
		r.Values = rapid.SliceOfN(rapid.SampledFrom(values), 1, 2).Draw(t, "values")
	case v1.NodeSelectorOpGt, v1.NodeSelectorOpLt:
		r.Values = []string{rapid.SampledFrom(bounds).Draw(t, "bound")}
	}
	return r
}
