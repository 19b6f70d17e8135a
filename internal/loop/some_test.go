package loop

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSome: of a few all are taken, of many some, in their order, and of those of a kind, though they are rare.
func TestSome(t *testing.T) {
	all := make([]int, 1000)
	for i := range all {
		all[i] = i
	}
	draw := rand.New(rand.NewPCG(1, 1))
	rare := func(i int) bool { return i == 137 || i == 901 }
	if got := some(all[:16], rare, draw); len(got) != 16 {
		t.Errorf("of 16 it takes %d", len(got))
	}
	met := map[int]bool{}
	for range 1000 {
		got := some(all, rare, draw)
		if len(got) != 18 || !slices.IsSorted(got) || !slices.Contains(got, 137) || !slices.Contains(got, 901) {
			t.Fatalf("of 1,000 with two of the kind it takes %v", got)
		}
		for _, i := range got {
			met[i] = true
		}
	}
	if len(met) != len(all) {
		t.Errorf("%d of %d are never taken", len(all)-len(met), len(all))
	}
}
