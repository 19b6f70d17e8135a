package main

import (
	"fmt"
	"syscall"
)

// leastAddressSpace is what a process needs to begin its threads, in bytes: the Go runtime and the C library reserve
// some 1.6 GB of addresses, whatever a program does. With less, the runtime ends it at any moment, with the exit code
// of wrong usage.
const leastAddressSpace = 2 << 30

// dieWithParent has the kernel kill a child when its parent has ended.
func dieWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

// enoughAddresses refuses a limit of address space that the process cannot live with.
func enoughAddresses() error {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_AS, &limit); err != nil || limit.Cur >= leastAddressSpace {
		return nil // a limit that cannot be read is none
	}
	return fmt.Errorf("its address space is limited to %d KiB (ulimit -v), and a Go program needs %d KiB, most of "+
		"it never used: raise that limit, and bound the memory by --memory or a control group",
		limit.Cur>>10, leastAddressSpace>>10)
}
