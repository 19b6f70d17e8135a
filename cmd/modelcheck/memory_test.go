package main

import "testing"

func TestMemoryLimit(t *testing.T) {
	tests := []struct {
		reason, flag string
		want         int64
		fails        bool
	}{
		{"binary", "4Gi", 4 << 30, false},
		{"decimal", "500M", 500_000_000, false},
		{"plain bytes", "1048576", 1 << 20, false},
		{"nothing to work with", "0", 0, true},
		{"negative", "-1Gi", 0, true},
		{"no quantity", "lots", 0, true},
	}
	for _, tt := range tests {
		got, err := (&options{memory: tt.flag}).memoryLimit()
		if got != tt.want || (err != nil) != tt.fails {
			t.Errorf("%s: memoryLimit of %q = %d, %v; want %d, failure %t", tt.reason, tt.flag, got, err, tt.want,
				tt.fails)
		}
	}
}
