package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/patience"
	"github.com/seed-a3f26817/modelcheck/internal/printable"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/releases"
	"github.com/seed-a3f26817/modelcheck/internal/report"
	"github.com/seed-a3f26817/modelcheck/internal/results"
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
	// name is what the command was called as, os.Args[0]; empty for modelcheck.
	name           string
	stdin          io.Reader
	stdout, stderr io.Writer
	// direct is where what cannot wait for the end is printed: stdout is written as a whole.
	direct io.Writer
	// live: stderr is a terminal, so progress may rewrite its line.
	live bool
	// progress shows what the command is at.
	progress *progress
	// production is for tests that plant a bug in kube-scheduler.
	production production.Options
}

// grace is how long the command may go on after an interrupt, to write what it knows.
const grace = 800 * time.Millisecond

// run runs the command and gives its exit code. When the context is cancelled it ends soon, whatever it is at: what
// cannot be stopped is left behind.
func (c command) run(ctx context.Context, args []string) (code int) {
	c.progress = newProgress(c.stderr, c.live)
	stop := c.progress.watch()
	var output bytes.Buffer
	c.direct, c.stdout = c.stdout, &output
	until, end := patience.Extend(ctx, grace)
	defer end()
	context.AfterFunc(ctx, func() {
		if c.progress.blank() {
			end()
		}
	})
	var err error
	finished := patience.Do(until, func() {
		if code, err = c.execute(ctx, args); output.Len() == 0 {
			return
		}
		c.progress.begin(writing("to stdout"))
		if _, failed := c.direct.Write(output.Bytes()); failed != nil {
			err = errors.Join(err, fmt.Errorf("writing to stdout: %w", failed))
		}
	})
	stop()
	if !finished {
		c.complain(c.progress.interrupted())
		return exitUnfinished
	}
	return c.concluded(code, err)
}

// concluded says what went wrong, if something did, and gives the exit code.
func (c command) concluded(code int, err error) int {
	var wrong usageError
	var unfinished unfinishedError
	var refused *results.Refused
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		c.complain(fmt.Sprintf("the disk is full: %v; make room and run it again", err))
		return exitUnfinished
	case errors.As(err, &wrong), errors.As(err, &refused):
		c.complain(strings.Join(onScreen(err), "\nmodelcheck: "))
		return exitUsage
	case errors.As(err, &unfinished):
		c.complain(unfinished.Error())
		return exitUnfinished
	case errors.Is(err, errPanicked):
		c.complain(strings.ReplaceAll(err.Error(), "\t", "    ")) // a stack is set in by tabs
		return exitFailed
	case err != nil:
		c.complain(fmt.Sprintf("it could not go on: %v", err))
		return exitFailed
	}
	return code
}

// mostLines is how many lines of errors are told: who has more of them mends some first.
const mostLines = 24

// onScreen returns the lines of an error, as many as somebody reads.
func onScreen(err error) []string {
	lines := strings.Split(err.Error(), "\n")
	if more := len(lines) - mostLines; more > 1 {
		lines = append(lines[:mostLines], fmt.Sprintf("and %d more lines of errors like these", more))
	}
	return lines
}

// complain says something on stderr. It may have parts of the input in it.
func (c command) complain(text string) {
	fmt.Fprintf(c.stderr, "modelcheck: %s\n", printable.Escape(text))
}

var errPanicked = errors.New("this is a bug of modelcheck, not of kube-scheduler")

// execute does what the arguments ask for, and turns a panic into an error.
func (c command) execute(ctx context.Context, args []string) (code int, err error) {
	defer func() {
		if r := recover(); r != nil {
			value, stack := panicked(r)
			err = fmt.Errorf("%w: %v\n\n%s", errPanicked, value, stack)
		}
	}()
	code = exitHolds
	cmd := c.cobra(func(v decisions.Verdict) { code = exitCode(v) })
	cmd.SetArgs(longFlags(args, flagsOf(cmd, args)))
	if err := misspelt(cmd, args); err != nil {
		return code, err
	}
	err = cmd.ExecuteContext(ctx)
	return code, err
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
func exitCode(v decisions.Verdict) int {
	return map[decisions.Verdict]int{decisions.Holds: exitHolds, decisions.Violated: exitViolated,
		decisions.Unfinished: exitUnfinished}[v]
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
func (c command) cobra(done func(decisions.Verdict)) *cobra.Command {
	o := &options{outputs: runOutputs()}
	cmd := &cobra.Command{
		Use:   "modelcheck [-f FILE|DIR|-]... [--nodes N] [--pods K] [flags]",
		Short: "Check kube-scheduler on every small cluster against a formal model of Kubernetes placement",
		Long: `modelcheck explores every small cluster, asks the unmodified kube-scheduler ` + production.KubernetesVersion + ` for each distinct
decision, and compares it with a formal model of what Kubernetes documents. It also checks properties
of states, steps and decisions. What breaks one is shown with its shortest counterexample.

Without -f, clusters are made from the node and pod templates of the built-in themes. With -f, the
cluster is that of the manifests, in YAML or JSON, also as kubectl get -o yaml prints them: Nodes, Pods
and what they refer to; workloads such as Deployments stand for their pods. A
KubeSchedulerConfiguration among them is used, alone also with the themes. A Scenario among them says
what is explored and which properties must hold (docs/scenarios.md).

Exit codes: 0 holds, 1 violated, 2 wrong usage or input, 3 not finished, 4 modelcheck failed.
Flags may be written with one dash or two.`,
		Example: `  modelcheck --nodes 3 --pods 5
  modelcheck --theme priorities --pods 6 --completions 1
  modelcheck -f cluster.yaml --pods 2
  kubectl get nodes,pods -A -o yaml | modelcheck -f - --pods 1
  modelcheck -f testdata/scenarios/rollout.yaml
  modelcheck -f scheduler-config.yaml -o json`,
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
			o.parsed(cmd.Flags())
			return c.report(cmd.Context(), o, done)
		},
	}
	cmd.SetIn(c.stdin)
	cmd.SetOut(c.stdout)
	cmd.SetErr(c.stderr)
	cmd.SetVersionTemplate("modelcheck, with kube-scheduler {{.Version}}\n")
	o.flags(cmd.Flags())
	// Taken out of the arguments before they come here (ofRelease), as it is for another program.
	cmd.PersistentFlags().String(kubernetesFlag, releases.Of(production.KubernetesVersion).Name,
		"`RELEASE` of Kubernetes to check; others than this are installed first (modelcheck versions)")
	cmd.AddCommand(
		c.audit(done),
		c.explain(done),
		c.random(done),
		c.replay(done),
		c.loop(done),
		c.shard(done),
		c.merge(done),
		c.job(),
		c.plan(),
		c.serve(func() { done(decisions.Unfinished) }),
		c.reference(done),
		c.deviations(),
		c.conformance(),
		c.themes(),
		c.schema(),
		c.version(),
		c.versions(),
		c.upgrade(done),
		c.answers(),
	)
	completeFlags(cmd)
	if calledByKubectl(c.name) {
		nameAsPlugin(cmd)
	}
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return flagError(cmd, err) })
	return cmd
}

// report checks and writes all that is asked for about it.
func (c command) report(ctx context.Context, o *options, done func(decisions.Verdict)) error {
	if o.featureGates != "" && o.save != "" {
		return usage("--save does not go with --feature-gates: what it writes runs with the gates that are on by default")
	}
	run, err := c.check(ctx, o)
	if err != nil {
		return err
	}
	if o.show != "" {
		if _, err := run.Find(o.show); err != nil {
			return usageError{err}
		}
	}
	verdict := run.Outcome()
	done(verdict)
	// Files first: whoever reads the report may close the pipe, which ends the process.
	var failed []error
	for _, err := range []error{c.saveFindings(ctx, o, run), c.savePage(ctx, o, run)} {
		if _, left := errors.AsType[unfinishedError](err); !left {
			failed = append(failed, err)
			continue
		}
		if verdict == decisions.Holds {
			done(decisions.Unfinished)
		}
		c.progress.clear()
		c.complain(err.Error())
	}
	c.progress.begin(writing("the report"))
	return errors.Join(append(failed, c.print(run, o.output))...)
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
		if instead := moved(cmd, wrong.GetSpecifiedName()); instead != "" {
			return usage("%w; %s", err, instead)
		}
		var known []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
		if near := nearest(wrong.GetSpecifiedName(), known); near != "" {
			return usage("%w; did you mean --%s?", err, near)
		}
	}
	return usage("%w; see %s --help", err, cmd.CommandPath())
}

// moved says what stands for a flag that there is no more; empty for others.
func moved(cmd *cobra.Command, flag string) string {
	switch {
	case flag == "list-themes":
		return "modelcheck themes lists them"
	case !cmd.HasParent() && slices.Contains([]string{"random", "questions", "for"}, flag):
		return "random is a subcommand: modelcheck random"
	}
	return ""
}

// misspelt says which subcommand may have been meant, if the first argument is the name of none but close to one.
// What looks like a file is left to others.
func misspelt(root *cobra.Command, args []string) error {
	if len(args) == 0 || args[0] == "" || strings.ContainsAny(args[0][:1], "-_") || strings.ContainsAny(args[0], "./") {
		return nil
	}
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd(args...)
	var known []string
	for _, sub := range root.Commands() {
		switch {
		case sub.Name() == args[0]:
			return nil
		case slices.Contains(sub.SuggestFor, args[0]):
			return usage("unknown command %q; did you mean %q?", args[0], sub.Name())
		}
		known = append(known, sub.Name())
	}
	if near := nearest(args[0], known); near != "" {
		return usage("unknown command %q; did you mean %q?", args[0], near)
	}
	return nil
}
