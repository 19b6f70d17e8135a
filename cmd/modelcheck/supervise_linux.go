package main

import "syscall"

// dieWithParent has the kernel kill a child when its parent has ended.
func dieWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
