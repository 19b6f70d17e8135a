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
	"github.com/spf13/pflag"
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

// A theme whose states do not come to an end, because the scheduler leaks, is stopped by default: the largest that was
// explored has 617,565 states (docs/notes/loop-larger.md).
const (
	mostStates = 1_000_000
	mostDepth  = 200
)

// loopOptions are the flags of modelcheck loop.
type loopOptions struct {
	inputFlags
	loopRandomOptions
	wakeUps              bool
	themes               []string
	thorough             bool
	nodes                int
	pods, events, faults int
	late                 int
	happens              []string
	calm, liveness       bool
	evictions            bool
	profile              string
	workers              int
	memory               string
	maxStates            int64
	maxDepth             int
	simulate             int64
	seed                 uint64
	quiet                bool
	strict               strictFlag
	verbose              bool
	output               string
	given                func(flag string) bool
}

func (o *loopOptions) flags(f *pflag.FlagSet) {
	f.SortFlags = false
	o.declare(f, "Begin with the cluster in")
	f.StringSliceVar(&o.themes, "theme", nil,
		"Explore this `theme` only, see modelcheck themes --loop. May be repeated. All are explored by default.")
	f.BoolVar(&o.thorough, "thorough", false,
		"Explore the themes as far as they say that a thorough run does: more nodes, pods, events or failures.")
	f.IntVar(&o.nodes, "nodes", 0,
		"Begin with every cluster of up to `N` nodes like those of the theme, and add no more. Not with -f.")
	f.IntVar(&o.pods, "pods", 0,
		"Let up to `K` pods be created. The theme says how many by default; with -f it is 1, a copy of one of the pods.")
	f.IntVar(&o.events, "events", 0,
		"Let up to `E` events happen in the cluster. The theme says how many by default; with -f it is 1.")
	f.IntVar(&o.faults, "faults", 0,
		"Let up to `N` scheduling or binding cycles fail, or wait on permit. The theme says how many by default; with "+
			"-f it is 0.")
	f.IntVar(&o.late, "late", 0,
		"Let up to `N` changes of each kind of object go unheard by the scheduler for a while, also of what "+
			"it writes: its informers run late, and not all alike. The theme says how many by default; with -f it is 0.")
	f.BoolVar(&o.evictions, "evictions", false,
		"Let evictions be under way when the cycle ends that begins them: what others do comes between. The theme says so "+
			"or not by default; with -f it is false.")
	f.StringSliceVar(&o.happens, "happens", nil,
		"Let only this `event` happen. May be repeated. The theme names them by default; with -f any may happen: "+
			eventTypes()+".")
	f.BoolVar(&o.calm, "calm", false,
		"Let events happen only while no pod is in activeQ. The theme says so or not by default; with -f it is true.")
	f.BoolVar(&o.liveness, "liveness", true, "Check infinite behaviours too, if every state is explored: pods that "+
		"are never bound, and waits, nominations and preemptions without end.")
	f.StringVar(&o.profile, "profile", "",
		"Run only the profile with this schedulerName, a `name`. All profiles run by default, in one kube-scheduler.")
	f.IntVar(&o.workers, "workers", 0, "Use `N` workers. The default is one per core.")
	f.StringVar(&o.memory, "memory", "", memoryFlag)
	f.Int64Var(&o.maxStates, "max-states", 0, "Stop each theme after about `N` states. The default is 1000000.")
	f.IntVar(&o.maxDepth, "max-depth", 0, "Stop each theme after `N` levels of the search. The default is 200.")
	f.Int64Var(&o.simulate, "simulate", 0,
		"Follow `N` random runs of each theme instead of exploring every state. Each has at most --max-depth levels, "+
			"or 1000.")
	o.loopRandomOptions.flags(f)
	f.BoolVar(&o.wakeUps, "wake-ups", false, "For each pod of the themes of single decisions, and each event that lets "+
		"it be placed where it waits, look whether the event wakes it, instead of exploring the themes of the loop.")
	f.Uint64Var(&o.seed, "seed", 1,
		"Start the random numbers of --simulate and --random from this `seed`. The same seed prints the same report.")
	addStrict(f, &o.strict, "")
	f.StringVarP(&o.output, "output", "o", "text",
		"Print the result in this `format`: "+strings.Join(documentOutputs(), ", ")+".")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "List every queueing hint, with its events and answers.")
	f.BoolVar(&o.quiet, "quiet", false, "Do not print progress to stderr.")
}

func eventTypes() string {
	var names []string
	for _, kind := range loop.EventTypes() {
		names = append(names, string(kind))
	}
	return strings.Join(names, ", ")
}

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
-f, the run begins with the cluster of the manifests.

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

// validate finds what is wrong whatever the input is.
func (o *loopOptions) validate() error {
	for _, bound := range []decisions.Bound{
		{Name: "--nodes", Value: int64(o.nodes), Most: decisions.MaxTemplateNodes},
		{Name: "--pods", Value: int64(o.pods), Most: decisions.MaxPods},
		{Name: "--events", Value: int64(o.events), Most: decisions.MaxPods},
		{Name: "--faults", Value: int64(o.faults), Most: decisions.MaxPods},
		{Name: "--late", Value: int64(o.late), Most: decisions.MaxPods},
		{Name: "--workers", Value: int64(o.workers), Most: maxWorkers},
		{Name: "--max-states", Value: o.maxStates, Most: 1 << 62},
		{Name: "--max-depth", Value: int64(o.maxDepth), Most: 1 << 30},
		{Name: "--simulate", Value: o.simulate, Most: 1 << 40},
	} {
		if err := bound.Check(); err != nil {
			return usageError{err}
		}
	}
	if err := validOutput(o.output, documentOutputs()); err != nil {
		return err
	}
	if err := o.validateRandom(); err != nil {
		return err
	}
	switch {
	case o.verbose && o.output != "text":
		return usage("--output is %q, which has all details: leave out --verbose", o.output)
	case o.given("nodes") && o.nodes == 0:
		return usage("--nodes is 0: it must be at least 1")
	case o.thorough && (o.random || o.wakeUps):
		return usage("--thorough is for the themes of the loop, and --random and --wake-ups have other clusters: " +
			"leave it out")
	case o.given("nodes") && o.anyInput():
		return usage("--nodes does not go with the cluster of -f; leave it out, or add the nodes to the files")
	case o.given("simulate") && o.simulate == 0:
		return usage("--simulate is 0: it must be at least 1")
	case o.given("seed") && o.simulate == 0 && !o.random:
		return usage("--seed is for runs that are followed at random; add --simulate N, or --random")
	case o.given("liveness") && o.liveness && o.simulate > 0:
		return usage("--liveness is for exploring every state; leave it out, or leave out --simulate")
	case o.given("max-states") && o.simulate > 0:
		return usage("--max-states is for exploring every state; leave it out, or leave out --simulate")
	}
	for _, kind := range o.happens {
		if !slices.Contains(loop.EventTypes(), loop.EventType(kind)) {
			return usage("--happens: there is no event %q; there are: %s", kind, eventTypes())
		}
	}
	if err := o.validateWakeUps(); err != nil {
		return err
	}
	for _, name := range o.themes {
		if !o.wakeUps && !slices.Contains(scenario.LoopThemeNames(), name) {
			return usage("--theme: the loop has no theme %q (its themes: %s)", name,
				strings.Join(scenario.LoopThemeNames(), ", "))
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
		return in, []*loop.Scope{o.drawnScope()}, nil
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
	for _, scope := range scopes {
		scope.Liveness = o.liveness && o.simulate == 0
		o.bound(scope)
	}
	return in, scopes, nil
}

// steps is the largest number of steps of a run that is followed at random: one less than the levels of states it
// goes through.
func (o *loopOptions) steps() int {
	if o.maxDepth == 0 && o.random {
		return drawnSteps
	}
	if o.maxDepth == 0 {
		return 1000 - 1
	}
	return max(1, o.maxDepth-1)
}

// bound sets the bounds of the scope that are on the command line.
func (o *loopOptions) bound(scope *loop.Scope) {
	if o.given("nodes") {
		scope.Bound(1, o.nodes)
	}
	if o.given("pods") {
		scope.Arrivals = o.pods
	}
	if o.given("events") {
		scope.Events = o.events
	}
	if o.given("late") {
		scope.Late = o.late
	}
	if o.given("faults") {
		scope.Faults = o.faults
	}
	if o.given("evictions") {
		scope.Evictions = o.evictions
	}
	if o.given("calm") {
		scope.Calm = o.calm
	}
	if o.given("happens") {
		scope.Happens = nil
		for _, kind := range o.happens {
			scope.Happens = append(scope.Happens, loop.EventType(kind))
		}
	}
}
