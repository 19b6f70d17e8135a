package decisions

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-a3f26817/modelcheck/spec"
)

func TestFolded(t *testing.T) {
	for _, row := range []struct {
		reason string
		found  []string // what explains it, joined by +; each is seen once
		want   []string // with how often it is seen
	}{
		{"nothing to fold", []string{"a", "b"}, []string{"a 1", "b 1"}},
		{"both are shown alone", []string{"a+b", "a", "b"}, []string{"a 2", "b 2"}},
		{"one is not shown alone", []string{"a", "a+b"}, []string{"a 1", "a+b 1"}},
		{"nothing is left to explain beside a pair", []string{"a", "a+b", "c", "a+b+c"},
			[]string{"a 2", "a+b 2", "c 2"}},
		{"two properties show the same", []string{"a", "a"}, []string{"a 2"}},
		{"no known defect explains it", []string{"", "a", ""}, []string{" 1", "a 1", " 1"}},
	} {
		var findings []Finding
		for _, names := range row.found {
			f := Finding{Count: 1}
			for _, name := range strings.FieldsFunc(names, func(r rune) bool { return r == '+' }) {
				f.Quirks = append(f.Quirks, spec.Quirk{Name: name})
			}
			findings = append(findings, f)
		}
		var got []string
		for _, f := range folded(slices.Clone(findings)) {
			got = append(got, fmt.Sprintf("%s %d", nameOf(f.Quirks), f.Count))
		}
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.reason, diff)
		}
	}
}
