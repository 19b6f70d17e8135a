package spec

import (
	"testing"

	v1 "k8s.io/api/core/v1"
)

func require(key string, operator v1.NodeSelectorOperator, values ...string) v1.NodeSelectorRequirement {
	return v1.NodeSelectorRequirement{Key: key, Operator: operator, Values: values}
}

func terms(requirements ...v1.NodeSelectorRequirement) []v1.NodeSelectorTerm {
	return []v1.NodeSelectorTerm{{MatchExpressions: requirements}}
}

func TestMatchesLabels(t *testing.T) {
	n := node("n")
	n.Labels = map[string]string{"zone": "a", "size": "5", "empty": "", "huge": "9223372036854775808"}
	for _, row := range []struct {
		reason      string
		requirement v1.NodeSelectorRequirement
		want        bool
	}{
		{"In: one of the values", require("zone", v1.NodeSelectorOpIn, "b", "a"), true},
		{"In: none of them", require("zone", v1.NodeSelectorOpIn, "b"), false},
		{"In: a missing label has no value", require("rack", v1.NodeSelectorOpIn, "a", ""), false},
		{"In: an empty value is a value", require("empty", v1.NodeSelectorOpIn, ""), true},
		{"In: without values it is malformed", require("zone", v1.NodeSelectorOpIn), false},
		{"NotIn: another value", require("zone", v1.NodeSelectorOpNotIn, "b"), true},
		{"NotIn: one of the values", require("zone", v1.NodeSelectorOpNotIn, "a", "b"), false},
		{"NotIn: a missing label is not among them", require("rack", v1.NodeSelectorOpNotIn, "a"), true},
		{"NotIn: without values it is malformed", require("zone", v1.NodeSelectorOpNotIn), false},
		{"Exists", require("zone", v1.NodeSelectorOpExists), true},
		{"Exists: an empty label is there", require("empty", v1.NodeSelectorOpExists), true},
		{"Exists: missing", require("rack", v1.NodeSelectorOpExists), false},
		{"Exists: with values it is malformed", require("zone", v1.NodeSelectorOpExists, "a"), false},
		{"DoesNotExist", require("rack", v1.NodeSelectorOpDoesNotExist), true},
		{"DoesNotExist: it does", require("empty", v1.NodeSelectorOpDoesNotExist), false},
		{"Gt", require("size", v1.NodeSelectorOpGt, "4"), true},
		{"Gt: equal is not greater", require("size", v1.NodeSelectorOpGt, "5"), false},
		{"Gt: numbers, not strings", require("size", v1.NodeSelectorOpGt, "10"), false},
		{"Gt: the label is no integer", require("zone", v1.NodeSelectorOpGt, "1"), false},
		{"Gt: the label does not fit 64 bits", require("huge", v1.NodeSelectorOpGt, "1"), false},
		{"Gt: missing label", require("rack", v1.NodeSelectorOpGt, "1"), false},
		{"Gt: the bound is no integer", require("size", v1.NodeSelectorOpGt, "4.5"), false},
		{"Gt: exactly one bound", require("size", v1.NodeSelectorOpGt, "1", "2"), false},
		{"Gt: no bound", require("size", v1.NodeSelectorOpGt), false},
		{"Lt", require("size", v1.NodeSelectorOpLt, "6"), true},
		{"Lt: equal is not less", require("size", v1.NodeSelectorOpLt, "5"), false},
		{"Lt: missing label", require("rack", v1.NodeSelectorOpLt, "9"), false},
		{"an operator nobody knows", require("zone", "Like", "a"), false},
	} {
		if got := MatchesLabels(row.requirement, n); got != row.want {
			t.Errorf("%s: got %v", row.reason, got)
		}
	}
}

func TestMatchesFields(t *testing.T) {
	for _, row := range []struct {
		reason      string
		requirement v1.NodeSelectorRequirement
		want        bool
	}{
		{"the node's name", require("metadata.name", v1.NodeSelectorOpIn, "n"), true},
		{"another's name", require("metadata.name", v1.NodeSelectorOpIn, "m"), false},
		{"not another's name", require("metadata.name", v1.NodeSelectorOpNotIn, "m"), true},
		{"not the node's name", require("metadata.name", v1.NodeSelectorOpNotIn, "n"), false},
		{"exactly one value", require("metadata.name", v1.NodeSelectorOpIn, "n", "m"), false},
		{"no other operator", require("metadata.name", v1.NodeSelectorOpExists), false},
		{"... even with a value", require("metadata.name", v1.NodeSelectorOpGt, "n"), false},
		{"no other field", require("metadata.uid", v1.NodeSelectorOpNotIn, "n"), false},
	} {
		if got := MatchesFields(row.requirement, node("n")); got != row.want {
			t.Errorf("%s: got %v", row.reason, got)
		}
	}
}

func TestNodeAffinity(t *testing.T) {
	inA, inB := require("zone", v1.NodeSelectorOpIn, "a"), require("zone", v1.NodeSelectorOpIn, "b")
	byName := v1.NodeSelectorTerm{
		MatchFields: []v1.NodeSelectorRequirement{require("metadata.name", v1.NodeSelectorOpIn, "n")},
	}
	for _, row := range []struct {
		reason   string
		selector map[string]string
		terms    []v1.NodeSelectorTerm // nil: no required affinity
		added    []v1.NodeSelectorTerm
		want     bool
	}{
		{"nothing is asked", nil, nil, nil, true},
		{"an empty selector asks nothing", map[string]string{}, nil, nil, true},
		{"the selector's labels are there", map[string]string{"zone": "a"}, nil, nil, true},
		{"one of them is not", map[string]string{"zone": "a", "rack": "1"}, nil, nil, false},
		{"a missing label is not the empty one", map[string]string{"rack": ""}, nil, nil, false},
		{"one term of several is enough", nil, append(terms(inB), terms(inA)...), nil, true},
		{"all requirements of a term", nil, terms(inA, inB), nil, false},
		{"no term matches", nil, terms(inB), nil, false},
		{"no terms at all", nil, []v1.NodeSelectorTerm{}, nil, false},
		{"an empty term matches nothing", nil, []v1.NodeSelectorTerm{{}}, nil, false},
		{"... and does not spoil the others", nil, append([]v1.NodeSelectorTerm{{}}, terms(inA)...), nil, true},
		{"a malformed term does not spoil the others", nil, append(terms(require("zone", v1.NodeSelectorOpGt, "x")),
			terms(inA)...), nil, true},
		{"fields alone make a term", nil, []v1.NodeSelectorTerm{byName}, nil, true},
		{"fields and labels are both asked", nil,
			[]v1.NodeSelectorTerm{{MatchExpressions: terms(inB)[0].MatchExpressions, MatchFields: byName.MatchFields}},
			nil, false},
		{"selector and affinity are both asked", map[string]string{"zone": "b"}, terms(inA), nil, false},
		{"the profile's affinity is asked too", nil, terms(inA), terms(inB), false},
		{"... of pods that have none", nil, nil, terms(inB), false},
		{"... and may hold", nil, nil, terms(inA), true},
	} {
		n, p, profile := node("n"), pod("p"), &Profile{}
		n.Labels["zone"] = "a"
		p.Spec.NodeSelector = row.selector
		if row.terms != nil {
			p.Spec.Affinity = &v1.Affinity{NodeAffinity: &v1.NodeAffinity{
				RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{NodeSelectorTerms: row.terms},
			}}
		}
		if row.added != nil {
			profile.AddedAffinity = &v1.NodeAffinity{
				RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{NodeSelectorTerms: row.added},
			}
		}
		if got := NodeAffinity().Holds(profile, p, n, &Snapshot{}); got != row.want {
			t.Errorf("%s: got %v", row.reason, got)
		}
	}
}

func TestNodeAffinityWithoutRequiredTerms(t *testing.T) {
	p := pod("p")
	p.Spec.Affinity = &v1.Affinity{NodeAffinity: &v1.NodeAffinity{}}
	if !NodeAffinity().Holds(&Profile{AddedAffinity: &v1.NodeAffinity{}}, p, node("n"), &Snapshot{}) {
		t.Error("affinity with preferences only, or with nothing, must ask for nothing")
	}
}
