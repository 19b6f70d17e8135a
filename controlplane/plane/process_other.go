//go:build !linux

package plane

import "syscall"

// apart has nothing to say where a program cannot be bound to the life of the one that started it.
func apart() *syscall.SysProcAttr { return nil }

// isGone is not known here.
func isGone(int) bool { return false }
