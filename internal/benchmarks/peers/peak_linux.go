package main

import (
	"os"
	"syscall"
)

// peakMegabytes is the largest resident set of one process of a command that has ended.
func peakMegabytes(ended *os.ProcessState) float64 {
	usage, ok := ended.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return float64(usage.Maxrss) / 1e3
}
