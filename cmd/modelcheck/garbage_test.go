package main

import "testing"

// TestPercentFor: as much as there is room for may come together, and never less than the runtime is asked for at
// least.
func TestPercentFor(t *testing.T) {
	tests := []struct {
		reason         string
		inUse, garbage int64
		want           int
	}{
		{"a small heap may fill the room", 64 << 20, 1 << 30, 1600},
		{"a large one is collected by its size", 4 << 30, 1 << 30, leastPercent},
		{"nothing in use yet", 0, 1 << 30, 1600},
		{"little memory", 64 << 20, 128 << 20, leastPercent},
	}
	for _, tt := range tests {
		if got := percentFor(tt.inUse, tt.garbage); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.reason, got, tt.want)
		}
	}
}
