// Command modelcheck explores every decision the unmodified kube-scheduler can take on every small cluster, and
// compares each with a formal model of Kubernetes placement.
//
//	modelcheck -nodes 3 -pods 5          the built-in themes
//	modelcheck -f cluster.yaml -pods 2   a cluster from manifests, in which two more pods arrive
//
// It prints results on stdout and progress on stderr. Its exit code is 0 if everything holds, 1 if something is
// violated, 2 if the usage or the input is wrong, 3 if it did not finish, 4 if it failed itself.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	base := 0
	args, program, err := ofRelease(os.Args)
	switch {
	case err != nil:
		say(os.Stderr, err)
		os.Exit(exitUsage)
	case program != "":
		code, done := supervise(program, args)
		if !done {
			say(os.Stderr, fmt.Errorf("%s could not be started: install it anew (modelcheck versions install)", program))
			code = exitFailed
		}
		os.Exit(code)
	case isChild():
		base = supervisedCodes
		_ = os.Unsetenv(supervisedBy) // it is not for what this process starts
		endWithParent()
	case !isBrief(args[1:]):
		if code, done := supervise("", args); done {
			os.Exit(code)
		}
	}
	collectSeldom()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	if base == 0 {
		context.AfterFunc(ctx, stop) // a second signal ends the process at once; of a child, its parent sees to that
	}
	os.Exit(
		base + command{
			name:   os.Args[0],
			stdin:  os.Stdin,
			stdout: os.Stdout,
			stderr: os.Stderr,
			live:   isTerminal(os.Stderr),
		}.run(ctx, args[1:]),
	)
}
