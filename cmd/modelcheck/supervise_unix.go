//go:build unix

package main

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"
	"time"
)

// supervise runs the command in a child process, of the program or, if it is empty, of this one, and returns its exit
// code; false if there can be none. Signals are passed on. The second one ends both processes at once.
func supervise(program string, args []string) (code int, done bool) {
	if err := enoughAddresses(); err != nil {
		say(os.Stderr, err)
		return exitFailed, true
	}
	c, err := child(program, args)
	if err != nil {
		return 0, false
	}
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT)
	defer signal.Stop(signals)
	runtime.LockOSThread() // a child is told that its parent died when the thread ends that began it
	if c.SysProcAttr = dieWithParent(); c.Start() != nil {
		return 0, false
	}
	ended := make(chan struct{})
	go func() {
		_ = c.Wait() // its state is looked at
		close(ended)
	}()
	for asked := 0; ; {
		select {
		case <-ended:
			return concluded(c)
		case s := <-signals:
			if s != syscall.SIGQUIT {
				asked++
			}
			if asked > 1 {
				_ = c.Process.Kill() // it may have ended
				<-ended
				dieOf(s.(syscall.Signal))
			}
			_ = c.Process.Signal(s) // as above
		}
	}
}

func concluded(c *exec.Cmd) (int, bool) {
	status := c.ProcessState.Sys().(syscall.WaitStatus)
	if !status.Signaled() {
		code, err := outcomeOf(status.ExitStatus())
		if err != nil {
			say(os.Stderr, err)
		}
		return code, true
	}
	switch s := status.Signal(); s {
	case syscall.SIGKILL:
		say(os.Stderr, errors.New("it was killed (SIGKILL), as the kernel does for want of memory: give it more memory, or "+
			"let it take less (--memory). What is kept with --results or --checkpoint is kept: the same command goes on "+
			"from there"))
	case syscall.SIGABRT, syscall.SIGSEGV, syscall.SIGBUS, syscall.SIGILL, syscall.SIGFPE, syscall.SIGTRAP:
		_, err := outcomeOf(-1)
		say(os.Stderr, err)
	default:
		dieOf(s) // as of a pipe that nobody reads
	}
	return exitFailed, true
}

// dieOf ends the process by a signal.
func dieOf(s syscall.Signal) {
	signal.Reset(s)
	_ = syscall.Kill(os.Getpid(), s)
	time.Sleep(time.Second) // it is on its way
}

// endWithParent ends the process soon after its parent has ended. Where the system does so by itself, it is sooner.
func endWithParent() {
	parent := os.Getppid()
	go func() {
		for os.Getppid() == parent {
			time.Sleep(100 * time.Millisecond)
		}
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}()
}
