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
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
)

func main() {
	// Answers are short-lived garbage beside tables that only grow: collecting less often costs memory that is there
	// and saves about a seventh of the time. Whoever says GOGC knows better.
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	os.Exit(
		command{
			name:   os.Args[0],
			stdin:  os.Stdin,
			stdout: os.Stdout,
			stderr: os.Stderr,
			live:   isTerminal(os.Stderr),
		}.run(ctx, os.Args[1:]),
	)
}
