package decisions

import (
	"slices"
	"testing"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestLeast: what explains is found, though with another one beside it nothing would be explained.
func TestLeast(t *testing.T) {
	a, b, hides := spec.Quirk{Name: "a"}, spec.Quirk{Name: "b"}, spec.Quirk{Name: "hides"}
	all := []spec.Quirk{hides, a, b}
	names := func(quirks []spec.Quirk) (names []string) {
		for _, q := range quirks {
			names = append(names, q.Name)
		}
		return names
	}
	for _, row := range []struct {
		reason string
		among  []spec.Quirk
		want   []string
		needs  []string // what explains, if hides is not there
	}{
		{"nothing to choose from", nil, nil, nil},
		{"two that are both needed", []spec.Quirk{a, b}, []string{"a", "b"}, []string{"a", "b"}},
		{"one that another one hides", all, []string{"b"}, []string{"b"}},
		{"none does", all, nil, []string{"c"}},
	} {
		explained := func(quirks []spec.Quirk) bool {
			got := names(quirks)
			return !slices.Contains(got, "hides") && !slices.ContainsFunc(row.needs, func(name string) bool {
				return !slices.Contains(got, name)
			})
		}
		if got := names(least(row.among, explained)); !slices.Equal(got, row.want) {
			t.Errorf("%s: %q, want %q", row.reason, got, row.want)
		}
	}
}
