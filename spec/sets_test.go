package spec

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSets(t *testing.T) {
	abc := []string{"a", "b", "c"}
	same := func(a, b string) bool { return a == b }
	for _, row := range []struct {
		reason    string
		got, want any
	}{
		{"all subsets, smaller ones first", subsets(abc), [][]string{nil, {"a"}, {"b"}, {"c"}, {"a", "b"}, {"a", "c"},
			{"b", "c"}, {"a", "b", "c"}}},
		{"the empty set has one subset", subsets[string](nil), [][]string{nil}},
		{"difference keeps the order", minus(abc, []string{"b", "x"}), []string{"a", "c"}},
		{"the first of equals stays", distinct([]string{"b", "a", "b"}, same), []string{"b", "a"}},
		{"union keeps equals apart", union(abc, func(x string) []string { return []string{x, "-"} }),
			[]string{"a", "-", "b", "-", "c", "-"}},
		{"all of nothing", all(nil, func(string) bool { return false }), true},
		{"nothing exists in nothing", exists(nil, func(string) bool { return true }), false},
	} {
		if diff := cmp.Diff(row.want, row.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.reason, diff)
		}
	}
}
