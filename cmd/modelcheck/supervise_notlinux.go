//go:build unix && !linux

package main

import "syscall"

func dieWithParent() *syscall.SysProcAttr { return nil }

func enoughAddresses() error { return nil }
