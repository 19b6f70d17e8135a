package decisions

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
