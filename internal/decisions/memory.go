package decisions

import (
	"os"
	"path"
	"strconv"
	"strings"
)

// unknownMemory is taken for the memory of a machine that does not tell.
const unknownMemory = 4 << 30

// DefaultMemory returns the memory that a run takes if nobody says how much, in bytes: three quarters of what there
// is.
func DefaultMemory() int64 {
	return min(machineMemory(os.ReadFile), addressSpace()) / 4 * 3
}

// machineMemory returns the memory the process may hope for, in bytes: that of the machine, or less where one of the
// control groups it is in is limited.
func machineMemory(read func(file string) ([]byte, error)) int64 {
	memory := int64(unknownMemory)
	if meminfo, err := read("/proc/meminfo"); err == nil {
		if total, ok := memTotal(string(meminfo)); ok {
			memory = total
		}
	}
	groups, _ := read("/proc/self/cgroup") // without it, those that a container sees as the topmost ones
	for _, file := range limitFiles(string(groups)) {
		if limit, err := read(file); err == nil {
			if bytes, err := strconv.ParseInt(strings.TrimSpace(string(limit)), 10, 64); err == nil { // else it is "max"
				memory = min(memory, bytes)
			}
		}
	}
	return memory
}

// limitFiles lists the files that may limit the memory of the control groups, version 2 ("0::/a/b") or 1
// ("4:memory:/a/b"), and of those around them.
func limitFiles(groups string) []string {
	files := []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}
	for line := range strings.Lines(groups) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) < 3 {
			continue
		}
		for group := path.Clean("/" + fields[2]); group != "/"; group = path.Dir(group) {
			switch fields[1] {
			case "":
				files = append(files, "/sys/fs/cgroup"+group+"/memory.max")
			case "memory":
				files = append(files, "/sys/fs/cgroup/memory"+group+"/memory.limit_in_bytes")
			}
		}
	}
	return files
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
