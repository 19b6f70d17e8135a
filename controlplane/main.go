// Command controlplane shows on a real control plane what modelcheck finds in process: etcd, kube-apiserver and
// kube-scheduler, built from their Go modules and started on loopback, in a temporary directory.
//
//	go run ./controlplane confirm spread-empty-selector
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

// Exit codes are those of modelcheck.
const (
	exitHolds = iota
	exitDiffers
	exitUsage
	exitUnfinished
	exitFailed
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

func run(ctx context.Context, args []string) int {
	root := &cobra.Command{
		Use:   "controlplane",
		Short: "Show on a real control plane what modelcheck finds in process",
		Long: `controlplane builds etcd, kube-apiserver and kube-scheduler from their Go modules, starts them on loopback
in a temporary directory, puts clusters onto them, and compares what the scheduler does with what it does
in process, and with what the model says. Everything is stopped and removed at the end. There is no kubelet
and no controller manager. The first run builds the programs, which takes some minutes; they are kept in
the user's cache, or where MODELCHECK_CONTROLPLANE says.

Exit codes: 0 all that was to be shown was; 1 something was not; 2 wrong usage or input; 3 interrupted;
4 it failed.`,
		SilenceErrors: true, SilenceUsage: true,
	}
	release := ""
	root.PersistentFlags().StringVar(&release, releaseFlag, "", "another `RELEASE` of Kubernetes, such as 1.37")
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		return elsewhere(cmd.Context(), release, withoutRelease(args))
	}
	root.AddCommand(confirmCommand(), differCommand(), upCommand())
	root.SetArgs(args)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usage("%w", err) })
	err := root.ExecuteContext(ctx)
	coded := codeError{code: exitFailed}
	switch told := errors.Is(err, errElsewhere); {
	case err == nil || told && !errors.As(err, &coded):
		return exitHolds
	case ctx.Err() != nil:
		fmt.Fprintln(os.Stderr, "controlplane: interrupted; the control plane is stopped and removed")
		return exitUnfinished
	case !told:
		fmt.Fprintf(os.Stderr, "controlplane: %v\n", err)
	}
	errors.As(err, &coded)
	return coded.code
}
