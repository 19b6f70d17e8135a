package main

import "testing"

func TestMemTotal(t *testing.T) {
	tests := []struct {
		reason, meminfo string
		want            int64
		ok              bool
	}{
		{"as Linux writes it", "MemFree:  1 kB\nMemTotal:       16318480 kB\n", 16318480 << 10, true},
		{"no such line", "MemFree: 1 kB\n", 0, false},
		{"no number", "MemTotal: lots kB\n", 0, false},
		{"nothing", "", 0, false},
	}
	for _, tt := range tests {
		if got, ok := memTotal(tt.meminfo); got != tt.want || ok != tt.ok {
			t.Errorf("%s: memTotal = %d, %t; want %d, %t", tt.reason, got, ok, tt.want, tt.ok)
		}
	}
}

func TestMachineMemoryIsPositive(t *testing.T) {
	if got := machineMemory(); got <= 0 {
		t.Errorf("machineMemory() = %d", got)
	}
}

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

func TestBytes(t *testing.T) {
	tests := []struct {
		n    float64
		want string
	}{{0, "0"}, {1023, "1.02e+03"}, {1024, "1Ki"}, {64 << 20, "64Mi"}, {1.5 * (1 << 40), "1.5Ti"}}
	for _, tt := range tests {
		if got := bytes(tt.n); got != tt.want {
			t.Errorf("bytes(%g) = %s, want %s", tt.n, got, tt.want)
		}
	}
}
