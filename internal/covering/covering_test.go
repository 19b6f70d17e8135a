package covering

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestArray: whichever fields are taken, all combinations of their values are there.
func TestArray(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.IntRange(1, 5), 1, 7).Draw(t, "values")
		strength := rapid.IntRange(1, 3).Draw(t, "strength")
		rows := Array(values, strength)
		for _, row := range rows {
			for f, v := range row {
				if v < 0 || v >= values[f] {
					t.Fatalf("field %d has the value %d of %d", f, v, values[f])
				}
			}
		}
		for _, c := range combinations(values, min(strength, len(values))) {
			found := false
			for _, row := range rows {
				found = found || c.in(row)
			}
			if !found {
				t.Fatalf("%v of fields %v are in none of %v", c.values, c.fields, rows)
			}
		}
		if diff := cmp.Diff(rows, Array(values, strength)); diff != "" {
			t.Fatalf("the same arguments give other rows:\n%s", diff)
		}
	})
}

// TestSize: the rows are few. The least number for pairs is the product of the two largest fields.
func TestSize(t *testing.T) {
	tests := []struct {
		reason         string
		values         []int
		strength, most int
	}{
		{"no field", nil, 2, 0},
		{"a field without values", []int{2, 0}, 2, 0},
		{"one field: each value", []int{4}, 2, 4},
		{"two fields: all pairs", []int{3, 4}, 2, 12},
		{"ten switches: a dozen, not a thousand", []int{2, 2, 2, 2, 2, 2, 2, 2, 2, 2}, 2, 12},
		{"eight fields of three", []int{3, 3, 3, 3, 3, 3, 3, 3}, 2, 22},
		{"six fields of four, triples", []int{4, 4, 4, 4, 4, 4}, 3, 130},
	}
	for _, tt := range tests {
		if got := len(Array(tt.values, tt.strength)); got > tt.most {
			t.Errorf("%s: %d rows, more than %d", tt.reason, got, tt.most)
		}
	}
}
