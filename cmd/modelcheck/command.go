package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/report"
)

// Exit codes.
const (
	exitHolds      = 0
	exitViolated   = 1
	exitUsage      = 2
	exitUnfinished = 3
	exitFailed     = 4
)

// usageError is an error that the user can correct: nothing was checked.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// usage makes a usageError.
func usage(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// command is the command with what it is connected to.
type command struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	// live: stderr is a terminal, so progress may rewrite its line.
	live bool
	// production is for tests that plant a bug in kube-scheduler.
	production production.Options
}

// run runs the command and gives its exit code.
func (c command) run(ctx context.Context, args []string) (code int) {
	defer func() {
		if r := recover(); r != nil {
			code = exitFailed
			value, stack := panicked(r)
			fmt.Fprintf(c.stderr, "modelcheck: this is a bug of modelcheck, not of kube-scheduler: %v\n\n%s", value,
				stack)
		}
	}()
	code = exitHolds
	cmd := c.cobra(func(v report.Verdict) { code = exitCode(v) })
	cmd.SetArgs(longFlags(args, flagsOf(cmd, args)))
	err := cmd.ExecuteContext(ctx)
	var wrong usageError
	var unfinished unfinishedError
	switch {
	case errors.As(err, &wrong):
		fmt.Fprintf(c.stderr, "modelcheck: %s\n", strings.ReplaceAll(wrong.Error(), "\n", "\nmodelcheck: "))
		return exitUsage
	case errors.As(err, &unfinished):
		fmt.Fprintf(c.stderr, "modelcheck: %v\n", unfinished)
		return exitUnfinished
	case err != nil:
		fmt.Fprintf(c.stderr, "modelcheck: it could not go on: %v\n", err)
		return exitFailed
	}
	return code
}

// panicked returns what somebody panicked with, and the stack, that of the worker if it was one.
func panicked(r any) (value any, stack []byte) {
	if err, ok := r.(error); ok {
		if worker, ok := errors.AsType[*checker.Panic](err); ok {
			return worker.Value, worker.Stack
		}
	}
	return r, debug.Stack()
}

// exitCode returns the exit code for a verdict.
func exitCode(v report.Verdict) int {
	return map[report.Verdict]int{report.Holds: exitHolds, report.Violated: exitViolated,
		report.Unfinished: exitUnfinished}[v]
}

// flagsOf returns the flags of the command that the arguments name: a subcommand comes first.
func flagsOf(cmd *cobra.Command, args []string) *pflag.FlagSet {
	for _, sub := range cmd.Commands() {
		if len(args) > 0 && sub.Name() == args[0] {
			return sub.Flags()
		}
	}
	return cmd.Flags()
}

// cobra builds the command line. done gets the verdict when the run is done.
func (c command) cobra(done func(report.Verdict)) *cobra.Command {
	o := &options{outputs: append(documentOutputs(), "junit", "sarif")}
	cmd := &cobra.Command{
		Use:   "modelcheck [-f FILE|DIR|-]... [--nodes N] [--pods K] [flags]",
		Short: "Check every decision of kube-scheduler on every small cluster against a formal model",
		Long: `modelcheck explores every small cluster, asks the unmodified kube-scheduler ` + production.KubernetesVersion + `
for its decision at every distinct question, and compares each decision with a formal
model of what Kubernetes documents. It also checks properties of states, steps and
decisions. What breaks one is shown with its shortest counterexample.

Without -f, clusters are drawn from the node and pod templates of the built-in themes.
With -f, the cluster is that of the manifests: Nodes, Pods and what they refer to, in
YAML or JSON, also as kubectl get -o yaml prints them. A KubeSchedulerConfiguration among
them is used; one that comes alone is used with the themes. Of workloads, such as Deployments,
the pods are made that they want. A Scenario among them says what is explored and what is to
hold (docs/scenarios.md).

With --random, clusters are drawn at random over all fields at once, and none is asked
about twice; what is found is made smaller. No outcome is followed.

Flags may be written with one dash or two.

Exit codes: 0 holds, 1 violated, 2 wrong usage or input, 3 not finished, 4 modelcheck failed.`,
		Example: `  modelcheck -nodes 3 -pods 5
  modelcheck --theme priorities --pods 6 --completions 1
  modelcheck -f cluster.yaml --pods 2
  kubectl get nodes,pods -A -o yaml | modelcheck -f - --pods 1
  modelcheck -f my-repo/k8s/ -f nodes.yaml
  modelcheck -f testdata/scenarios/rollout.yaml
  modelcheck -f scheduler-config.yaml -o json
  modelcheck --random --seed 7 --for 10m`,
		Version:       production.KubernetesVersion,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage("unexpected argument %q: manifests are given as -f %s", args[0], args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.listThemes {
				return listThemes(c.stdout, o.thorough)
			}
			o.parsed(cmd.Flags())
			return c.report(cmd.Context(), o, done)
		},
	}
	cmd.SetIn(c.stdin)
	cmd.SetOut(c.stdout)
	cmd.SetErr(c.stderr)
	cmd.SetVersionTemplate("modelcheck, with kube-scheduler {{.Version}}\n")
	o.flags(cmd.Flags())
	cmd.AddCommand(
		c.explain(done),
		c.replay(done),
		c.loop(done),
		c.shard(done),
		c.merge(done),
		c.job(),
		c.plan(),
		c.serve(func() { done(report.Unfinished) }),
		c.reference(done),
		c.deviations(),
		c.conformance(),
		c.themes(),
		c.schema(),
		c.version(),
	)
	completeFlags(cmd)
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return flagError(cmd, err) })
	return cmd
}

// report checks and writes all that is asked for about it.
func (c command) report(ctx context.Context, o *options, done func(report.Verdict)) error {
	run, err := c.check(ctx, o)
	if err != nil {
		return err
	}
	if o.show != "" {
		if _, err := run.Find(o.show); err != nil {
			return usageError{err}
		}
	}
	done(run.Outcome())
	// Files first: whoever reads the report may close the pipe, which ends the process.
	return errors.Join(o.saveFindings(run), c.savePage(ctx, o, run), c.print(run, o.output))
}

// print writes the report to stdout.
func (c command) print(run *report.Run, output string) error {
	write := map[string]func(io.Writer, *report.Run) error{
		"text": report.Text, "json": report.JSON, "yaml": report.AsYAML(report.JSON), "junit": report.JUnit,
		"sarif": report.SARIF,
	}[output]
	if err := write(c.stdout, run); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return nil
}

// flagError adds to pflag's error which flag of the command may have been meant.
func flagError(cmd *cobra.Command, err error) error {
	if wrong, ok := errors.AsType[*pflag.NotExistError](err); ok {
		var known []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
		if near := nearest(wrong.GetSpecifiedName(), known); near != "" {
			return usage("%w; did you mean --%s?", err, near)
		}
	}
	return usage("%w; see %s --help", err, cmd.CommandPath())
}
