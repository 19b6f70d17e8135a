package main

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
)

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
	faultsFirst          bool
	evictions, meanwhile bool
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
	f.BoolVar(&o.faultsFirst, "faults-first", false,
		"Let the plugin by which cycles fail or wait come before all others at its extension points, not after them. The "+
			"theme says so or not by default; with -f it is false; of drawn runs it is so in one of two.")
	f.IntVar(&o.late, "late", 0,
		"Let up to `N` changes of each kind of object go unheard by the scheduler for a while, also of what "+
			"it writes: its informers run late, and not all alike. The theme says how many by default; with -f it is 0.")
	f.BoolVar(&o.evictions, "evictions", false,
		"Let evictions be under way when the cycle ends that begins them: what others do comes between. The theme says so "+
			"or not by default; with -f it is false.")
	f.BoolVar(&o.meanwhile, "meanwhile", false,
		"Let events happen while a pod is being tried, too: plugins decide by what was before it, or after. The theme says "+
			"so or not by default; with -f it is false.")
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
	f.Int64Var(&o.maxStates, "max-states", 0, "Stop each theme after about `N` states. The default is 1000000. "+
		"With -f and without it, runs may be followed at random instead.")
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
	case o.given("nodes") && o.anyInput():
		return usage("--nodes does not go with the cluster of -f; leave it out, or add the nodes to the files")
	case o.thorough && (o.random || o.wakeUps):
		return usage("--thorough is for the themes of the loop, and --random and --wake-ups have other clusters: " +
			"leave it out")
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
	if o.given("faults-first") {
		scope.FaultsFirst = o.faultsFirst
	}
	if o.given("evictions") {
		scope.Evictions = o.evictions
	}
	if o.given("meanwhile") {
		scope.Meanwhile = o.meanwhile
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
