package decisions

import (
	"encoding/binary"
	"testing"
)

// TestRecent: what came up is remembered, for so many questions at least, and what is remembered is bounded.
func TestRecent(t *testing.T) {
	key := func(n uint64) (k questionKey) {
		binary.BigEndian.PutUint64(k[:], n)
		return k
	}
	var seen recent
	for n := range uint64(5 * mostRecent / 2) {
		if seen.add(key(n)) {
			t.Fatalf("question %d is new", n)
		}
		if before := n - min(n, mostRecent-1); !seen.add(key(before)) {
			t.Fatalf("after question %d, question %d is forgotten", n, before)
		}
		if kept := len(seen.younger) + len(seen.older); kept > 2*mostRecent {
			t.Fatalf("after %d questions, %d are remembered", n, kept)
		}
	}
	if want := 5 * mostRecent / 2; seen.added != want {
		t.Errorf("%d were new, want %d", seen.added, want)
	}
}
