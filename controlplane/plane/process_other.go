//go:build !linux

package plane

import (
	"errors"
	"syscall"
)

// apart has nothing to say where a program cannot be bound to the life of the one that started it.
func apart() *syscall.SysProcAttr { return nil }

// isGone is not known here.
func isGone(int) bool { return false }

// hold is for Linux only.
func (p *process) hold() error { return errors.New("a program is held on Linux only") }

func (p *process) letGo() error { return nil }
