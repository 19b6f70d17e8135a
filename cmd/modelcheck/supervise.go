package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
)

// A fatal error of the Go runtime cannot be recovered from, and ends the process with the exit code of wrong usage:
// for want of memory, after a stack overflow, or a panic in a goroutine of a plugin. So the command runs in a child
// process, whose exit codes are none of the runtime's, and the parent says what became of it.

const (
	// supervisedBy is the variable that tells a child which process is its parent.
	supervisedBy = "MODELCHECK_SUPERVISED_BY"
	// supervisedCodes is the first exit code of a child: it ends with it and one of the command's.
	supervisedCodes = 64
)

// isChild reports whether this process is the child of one that supervises it.
func isChild() bool { return os.Getenv(supervisedBy) == strconv.Itoa(os.Getppid()) }

// isBrief reports whether the arguments ask for something that takes no memory and no time: a second process would
// only make it slower. Shells wait for completions at every key.
func isBrief(args []string) bool {
	brief := []string{"__complete", "__completeNoDesc", "completion", "help", "--help", "-h", "version", "--version",
		answerCommand}
	return len(args) > 0 && slices.Contains(brief, args[0])
}

// outcomeOf returns the exit code of the command whose process ended with this one, and what is to be said about it.
func outcomeOf(code int) (int, error) {
	if code >= supervisedCodes+exitHolds && code <= supervisedCodes+exitFailed {
		return code - supervisedCodes, nil
	}
	return exitFailed, errors.New("it was ended by a fatal error, which is printed above: with \"out of memory\" or " +
		"\"cannot allocate memory\", give it more memory or let it take less (--memory). What is kept with --results or " +
		"--checkpoint is kept: the same command goes on from there")
}

// child is the process of the command: of the program, or of this one if it is empty.
func child(program string, args []string) (*exec.Cmd, error) {
	if program == "" {
		var err error
		if program, err = os.Executable(); err != nil {
			return nil, err
		}
	}
	c := exec.Command(program)
	c.Args = args
	c.Env = append(os.Environ(), supervisedBy+"="+strconv.Itoa(os.Getpid()))
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	return c, nil
}

func say(w io.Writer, err error) { fmt.Fprintf(w, "modelcheck: %v\n", err) }
