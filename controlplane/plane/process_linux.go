package plane

import (
	"errors"
	"syscall"
)

// apart puts a program into a process group of its own, so that an interrupt from the terminal goes to us alone and we
// end it in order, and has it killed if we are.
func apart() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// isGone reports whether no process has the ID.
func isGone(pid int) bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }

// hold keeps the process from running until it is let go.
func (p *process) hold() error { return p.command.Process.Signal(syscall.SIGSTOP) }

func (p *process) letGo() error { return p.command.Process.Signal(syscall.SIGCONT) }
