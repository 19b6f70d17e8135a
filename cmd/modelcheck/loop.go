package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/internal/report"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// goAhead is the number of actions by which a scheduler goes on with what nobody asked for yet.
const goAhead = 16

// loop is the subcommand that steps kube-scheduler as a whole.
func (c command) loop(done func(decisions.Verdict)) *cobra.Command {
	o := &loopOptions{}
	cmd := &cobra.Command{
		Use:   "loop [-f FILE|DIR|-]... [--theme NAME]... [flags]",
		Short: "Check kube-scheduler as a whole: its queue, wake-ups, binding cycles and their failures",
		Long: `loop runs the unmodified kube-scheduler ` + production.KubernetesVersion + ` as a whole against an in-memory API server, one action
at a time: a pod is created, the scheduler pops the next pod, something happens in the cluster, a
cycle fails. Every sequence of actions of a small scope is tried, and every step is checked. Does an
event that makes a pod schedulable move it out of unschedulablePods? Is every pending pod in one
queue? Is the step one of the formal model? Infinite behaviours are checked too: is a pod that could
be placed bound in the end? Does every wait end? What breaks a property is shown with a shortest
run. Where there are too many runs, --simulate follows some at random; what it finds is shrunk.

Without -f, clusters and pods are those of the themes of the loop (modelcheck themes --loop). With
-f, the run begins with the cluster of the manifests. If more may happen in it than can be tried, up
to 100 runs are followed at random instead, and the exit code is 3.

Exit codes: 0 holds, 1 violated, 2 wrong usage or input, 3 not finished, 4 modelcheck failed.`,
		Example: `  modelcheck loop
  modelcheck loop --theme podaffinity --events 1
  modelcheck loop --thorough
  modelcheck loop --nodes 3 --pods 8 --events 8 --simulate 1000 --seed 7
  modelcheck loop -f cluster.yaml --pods 2 --events 2 --happens node-labels,pod-deleted`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage("unexpected argument %q: manifests are given as -f %s, themes as --theme %s", args[0],
					args[0], args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.given = func(flag string) bool { return cmd.Flags().Changed(flag) }
			run, err := c.runLoop(cmd.Context(), o)
			if err != nil {
				return err
			}
			done(run.Verdict())
			return writeAs(c.stdout, o.output, "report", run, report.LoopText, report.LoopJSON)
		},
	}
	o.flags(cmd.Flags())
	return cmd
}

// takeTurns has the pods of a theme ask for the profiles of the files by turns, if these have a configuration: it is
// for all themes, also for those that have one of their own.
func (in *input) takeTurns(theme *loop.Scope) {
	if in.raw == nil {
		return
	}
	theme.Configuration, theme.ConfigurationAt = nil, ""
	for i, pod := range theme.Templates.Pods {
		pod.Spec.SchedulerName = in.profiles[i%len(in.profiles)]
	}
}

// noneFails is the error where a plugin that fails is asked for, and no cycle may fail.
func noneFails() error {
	return usage("--faults-first is for cycles that fail, and none may; add --faults N")
}

// loopTheme returns the function that makes themes of the loop.
func loopTheme(thorough bool) func(string, scenario.Admission) (*loop.Scope, error) {
	if thorough {
		return scenario.ThoroughLoopTheme
	}
	return scenario.LoopTheme
}

// listLoopThemes prints the themes of the loop.
func listLoopThemes(w io.Writer) error {
	for _, name := range scenario.LoopThemeNames() {
		scope, err := scenario.LoopTheme(name, admission.Admit)
		if err != nil {
			return err
		}
		var kinds []string
		for _, kind := range scope.Happens {
			kinds = append(kinds, string(kind))
		}
		if _, err := fmt.Fprintf(w, "%s\n  %s\n  events: %s\n", name, scope.Doc,
			strings.Join(kinds, ", ")); err != nil {
			return fmt.Errorf("writing the list of themes: %w", err)
		}
	}
	return nil
}

// runLoop does what the flags ask for.
func (c command) runLoop(ctx context.Context, o *loopOptions) (_ *report.LoopRun, err error) {
	if !canStep {
		return nil, usage("loop: what steps kube-scheduler as a whole is not for %s: ask another release (--kubernetes)",
			production.KubernetesVersion)
	}
	if err := o.validate(); err != nil {
		return nil, err
	}
	ctx, end, err := c.withinMemory(ctx, &options{memory: o.memory})
	if err != nil {
		return nil, err
	}
	defer end()
	progress := c.progress.hush(o.quiet)
	progress.begin(readingFiles(o.files))
	in, scopes, err := o.input(c.stdin)
	if err != nil {
		return nil, err
	}
	if o.workers == 0 {
		o.workers = runtime.GOMAXPROCS(0)
	}
	run := &report.LoopRun{
		KubernetesVersion: production.KubernetesVersion, Notes: in.notes, NotRead: in.notRead,
		Strict: decisions.Strict(o.strict), Verbose: o.verbose, Workers: o.workers,
	}
	subjects := &loopSubjects{in: in, workers: o.workers, made: map[subjectKey]*loopSubject{}}
	defer func() { err = errors.Join(err, subjects.close()) }()
	began := time.Now()
	progress.begin(exploring())
	if err := o.followAll(ctx, run, scopes, subjects, progress); err != nil {
		return nil, err
	}
	progress.begin(writing("the report"))
	run.Elapsed = time.Since(began)
	return run, nil
}

// input reads what the flags ask for. Every error is a usageError.
func (o *loopOptions) input(stdin io.Reader) (*input, []*loop.Scope, error) {
	manifests, err := o.read(stdin, 0)
	if err != nil {
		return nil, nil, err
	}
	if manifests.Scenario != nil {
		return nil, nil, usage("%s: loop does not read it: its actions are not those of a Scenario; leave it out, "+
			"and give the cluster", manifests.Scenario)
	}
	in := &input{notes: manifests.Notes, notRead: notRead(manifests)}
	if err := in.configure(&options{profile: o.profile}, manifests); err != nil {
		return nil, nil, err
	}
	var scopes []*loop.Scope
	switch {
	case (o.random || o.wakeUps) && len(manifests.Nodes) > 0:
		return nil, nil, usage("--random and --wake-ups have clusters of their own: leave the Nodes out of %s", o.named())
	case o.random:
		scope := o.drawnScope()
		if o.faultsFirst && scope.Faults == 0 {
			return nil, nil, noneFails()
		}
		return in, []*loop.Scope{scope}, nil
	case o.wakeUps:
		scopes, err := o.waking(in)
		return in, scopes, err
	}
	if len(manifests.Nodes) > 0 {
		if len(o.themes) > 0 {
			return nil, nil, usage(
				"--theme does not go with the cluster of -f; leave it out, or leave the Nodes out of the files")
		}
		if o.thorough {
			return nil, nil, usage("--thorough does not go with the cluster of -f; leave it out, or give --pods, --events and " +
				"--faults")
		}
		snapshot := manifests.Snapshot()
		asks := func(pod *v1.Pod) bool { return slices.Contains(in.profiles, pod.Spec.SchedulerName) }
		if !slices.ContainsFunc(snapshot.Pods, asks) {
			return nil, nil, usage("nothing would be asked of kube-scheduler: no pod of %s has the "+
				"spec.schedulerName %s; add one", o.named(), strings.Join(in.profiles, " or "))
		}
		scopes = []*loop.Scope{{
			Name: "cluster", Doc: "the cluster of " + o.named(), Initial: []*spec.Snapshot{snapshot},
			Templates: snapshot,
			Arrivals:  1, Events: 1, Happens: loop.EventTypes(), Calm: true,
		}}
	}
	names := o.themes
	if len(names) == 0 && len(scopes) == 0 {
		names = scenario.LoopThemeNames()
	}
	for _, name := range names {
		scope, err := loopTheme(o.thorough)(name, admission.Admit)
		if err != nil {
			return nil, nil, err
		}
		in.leaveOut(name, scope.LeftOut)
		in.takeTurns(scope)
		scopes = append(scopes, scope)
	}
	fails := false
	for _, scope := range scopes {
		scope.Liveness = o.liveness && o.simulate == 0
		o.bound(scope)
		fails = fails || scope.Faults > 0
	}
	if o.faultsFirst && !fails {
		return nil, nil, noneFails()
	}
	return in, scopes, nil
}
