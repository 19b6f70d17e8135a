package decisions

import (
	"os"
	"strconv"
	"strings"
)

// unknownMemory is taken for the memory of a machine that does not tell.
const unknownMemory = 4 << 30

// DefaultMemory returns the memory that a run takes if nobody says how much, in bytes: three quarters of the
// machine's.
func DefaultMemory() int64 { return machineMemory() / 4 * 3 }

// machineMemory returns the memory the process may hope for, in bytes: that of the machine, or less where a
// container is limited.
func machineMemory() int64 {
	memory := int64(unknownMemory)
	if meminfo, err := os.ReadFile("/proc/meminfo"); err == nil {
		if total, ok := memTotal(string(meminfo)); ok {
			memory = total
		}
	}
	if limit, err := os.ReadFile("/sys/fs/cgroup/memory.max"); err == nil {
		if bytes, err := strconv.ParseInt(strings.TrimSpace(string(limit)), 10, 64); err == nil { // else it is "max"
			memory = min(memory, bytes)
		}
	}
	return memory
}

// memTotal finds the line "MemTotal: 16318480 kB".
func memTotal(meminfo string) (bytes int64, ok bool) {
	for line := range strings.Lines(meminfo) {
		if fields := strings.Fields(line); len(fields) >= 2 && fields[0] == "MemTotal:" {
			kilobytes, err := strconv.ParseInt(fields[1], 10, 64)
			return kilobytes << 10, err == nil
		}
	}
	return 0, false
}
