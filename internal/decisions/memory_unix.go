//go:build unix

package decisions

import (
	"math"
	"syscall"
)

// addressSpace returns how many bytes of addresses the process may take (ulimit -v).
func addressSpace() int64 {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_AS, &limit); err != nil || uint64(limit.Cur) > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(limit.Cur)
}
