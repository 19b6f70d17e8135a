package loop

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-a3f26817/modelcheck/checker"
)

func TestFolded(t *testing.T) {
	for _, row := range []struct {
		reason      string
		given, want map[string]int64
	}{
		{"both are shown alone", map[string]int64{"p/a": 1, "p/b": 2, "p/a+b": 4},
			map[string]int64{"p/a": 5, "p/b": 6}},
		{"one of them is not", map[string]int64{"p/a": 1, "p/a+b": 4},
			map[string]int64{"p/a": 1, "p/a+b": 4}},
		{"another property shows it", map[string]int64{"p/a": 1, "q/b": 2, "p/a+b": 4},
			map[string]int64{"p/a": 1, "q/b": 2, "p/a+b": 4}},
		{"in pairs that share one", map[string]int64{"p/a+b": 1, "p/b+c": 2, "p/a+b+c": 4},
			map[string]int64{"p/a+b": 5, "p/b+c": 6}},
		{"news stay", map[string]int64{"p/new/a": 1, "p/new/b": 2, "p/new/a+b": 4, "p/new": 8},
			map[string]int64{"p/new/a": 1, "p/new/b": 2, "p/new/a+b": 4, "p/new": 8}},
		{"a name that begins with another", map[string]int64{"p/a": 1, "p/a-b": 2, "p/a+b": 4},
			map[string]int64{"p/a": 1, "p/a-b": 2, "p/a+b": 4}},
	} {
		var given []checker.Finding
		for _, key := range sortedKeys(row.given) {
			given = append(given, checker.Finding{Key: key, Count: row.given[key]})
		}
		got := map[string]int64{}
		for _, f := range folded(given) {
			got[f.Key] = f.Count
		}
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.reason, diff)
		}
	}
}
