package spec

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNewFollowsTheProfile(t *testing.T) {
	m := New(&Profile{
		Filters: []string{"NodeResourcesFit", "SomebodyElses", "NodeName"},
		ScorePlugins: []Weighted{
			{"NodeResourcesBalancedAllocation", 2},
			{"SomebodyElses", 1},
			{"TaintToleration", 5},
		},
	})
	filters := each(m.Filters(), func(f Filter) string { return f.Plugin })
	if diff := cmp.Diff([]string{"NodeResourcesFit", "NodeName"}, filters); diff != "" {
		t.Errorf("filters come in the profile's order (-want +got):\n%s", diff)
	}
	scorePlugins := each(m.ScorePlugins(), func(r ScorePlugin) string { return r.Plugin })
	if diff := cmp.Diff([]string{"NodeResourcesBalancedAllocation", "TaintToleration"}, scorePlugins); diff != "" {
		t.Errorf("score plugins come in the profile's order (-want +got):\n%s", diff)
	}
	if got := m.Weight(m.ScorePlugins()[1]); got != 5 {
		t.Errorf("weight of TaintToleration: %d", got)
	}
	unknownFilters, unknownRaters := m.Unmodelled()
	if diff := cmp.Diff([][]string{{"SomebodyElses"}, {"SomebodyElses"}},
		[][]string{unknownFilters, unknownRaters}); diff != "" {
		t.Errorf("plugins without a predicate are named (-want +got):\n%s", diff)
	}
}

func TestDefaultProfileEnablesTheWholeModel(t *testing.T) {
	m := New(DefaultProfile())
	if len(m.Filters()) != len(Filters()) || len(m.ScorePlugins()) != len(ScorePlugins()) {
		t.Errorf("%d of %d filters and %d of %d score plugins take part", len(m.Filters()), len(Filters()),
			len(m.ScorePlugins()), len(ScorePlugins()))
	}
}
