package decisions

import (
	"os"
	"testing"
)

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

// TestMachineMemory: the least of what the machine has and what the control groups may take counts.
func TestMachineMemory(t *testing.T) {
	const meminfo = "MemTotal: 8388608 kB\n" // 8 GiB
	for _, row := range []struct {
		reason string
		files  map[string]string
		want   int64
	}{
		{"nothing is known", nil, unknownMemory},
		{"no limit", map[string]string{"/proc/meminfo": meminfo, "/sys/fs/cgroup/memory.max": "max\n"}, 8 << 30},
		{"of a container", map[string]string{"/proc/meminfo": meminfo, "/sys/fs/cgroup/memory.max": "1048576\n"}, 1 << 20},
		{"of a group around, version 2", map[string]string{"/proc/meminfo": meminfo, "/proc/self/cgroup": "0::/a/b\n",
			"/sys/fs/cgroup/a/b/memory.max": "max\n", "/sys/fs/cgroup/a/memory.max": "2097152\n"}, 2 << 20},
		{"of a group, version 1", map[string]string{"/proc/meminfo": meminfo,
			"/proc/self/cgroup":                                   "5:cpu,cpuacct:/a\n4:memory:/a\n",
			"/sys/fs/cgroup/memory/memory.limit_in_bytes":         "9223372036854771712\n",
			"/sys/fs/cgroup/memory/a/memory.limit_in_bytes":       "3145728\n",
			"/sys/fs/cgroup/cpu,cpuacct/a/memory.limit_in_bytes":  "1\n",
			"/sys/fs/cgroup/memory/other/a/memory.limit_in_bytes": "1\n",
			"/sys/fs/cgroup/memory/a/below/memory.limit_in_bytes": "1\n",
		}, 3 << 20},
		{"what is no control group", map[string]string{"/proc/meminfo": meminfo, "/proc/self/cgroup": "0\n::\n"}, 8 << 30},
	} {
		got := machineMemory(func(file string) ([]byte, error) {
			text, ok := row.files[file]
			if !ok {
				return nil, os.ErrNotExist
			}
			return []byte(text), nil
		})
		if got != row.want {
			t.Errorf("%s: machineMemory() = %d, want %d", row.reason, got, row.want)
		}
	}
}
