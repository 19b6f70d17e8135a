package main

import (
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/report"
	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// options are the flags.
type options struct {
	inputFlags
	nodes, pods                        int
	themes                             []string
	thorough                           bool
	completions, deletions, placements int
	recreations, nodeChanges           int
	refreshBudgets, minimise           bool
	startTimes, order                  string
	liveness                           bool
	preempt, victimGone                bool
	profile, reading                   string
	checks                             []string
	workers                            int
	memory, results, keyFile           string
	maxStates                          int64
	maxDepth                           int
	strict                             strictFlag
	featureGates                       gatesFlag
	output                             string
	verbose                            bool
	show                               string
	quiet                              bool
	random                             bool
	save, html, budget                 string
	seed, questions                    int64
	duration                           time.Duration

	// outputs are the values of output.
	outputs []string
	// given reports whether a flag is on the command line, and scope are those that make the scope.
	given func(flag string) bool
	scope []string
	// merge puts together what is kept in results, and explores nothing; with partial also if some of it is missing.
	merge, partial bool
}

// scopeFlags make the scope: what is found depends on them alone.
func scopeFlags() []string {
	return append(inputFlagNames(), "nodes", "pods", "theme", "thorough", "preempt", "victim-gone", "completions",
		"deletions", "placements", "recreations", "refresh-budgets", "node-changes", "start-times", "order", "liveness",
		"profile", "feature-gates", "reading", "check", "max-states", "max-depth")
}

// parsed notes what is on the command line.
func (o *options) parsed(flags *pflag.FlagSet) {
	o.given = flags.Changed
	for _, name := range scopeFlags() {
		flag := flags.Lookup(name)
		if flag == nil || !flag.Changed {
			continue
		}
		values := []string{flag.Value.String()}
		if several, ok := flag.Value.(pflag.SliceValue); ok {
			values = several.GetSlice()
		}
		for _, value := range values {
			o.scope = append(o.scope, "--"+name+"="+value)
		}
	}
}

// maxWorkers bounds the workers.
const maxWorkers = 256

// flags declares the flags.
func (o *options) flags(f *pflag.FlagSet) {
	f.SortFlags = false
	o.declare(f, "Read the cluster from")
	f.IntVar(&o.nodes, "nodes", 3, "Explore every cluster of 1 to `N` nodes. With -f the nodes are those of the files, "+
		"or N plain ones if they have none.")
	f.IntVar(&o.pods, "pods", 5,
		"Let up to `K` pods be created. With -f none is by default, and each is a copy of one of the pods.")
	f.StringSliceVar(&o.themes, "theme", nil,
		"Explore this `theme` only, see modelcheck themes. May be repeated. All are explored by default.")
	f.BoolVar(&o.thorough, "thorough", false,
		"Use several times as many node and pod templates. It takes about twenty minutes and can be resumed with "+
			"--results.")
	f.BoolVar(&o.preempt, "preempt", true,
		"Carry preemptions out: evict the victims and nominate the pod. The decision is compared in any case.")
	f.BoolVar(&o.victimGone, "victim-gone", true, "Let terminating pods finish and leave their nodes.")
	f.IntVar(&o.completions, "completions", 0, "Let up to `N` running pods complete.")
	f.IntVar(&o.deletions, "deletions", 0,
		"Let users delete up to `N` running pods. Some themes allow a few in any case.")
	f.IntVar(&o.placements, "placements", 0,
		"Let up to `N` new pods name their node (spec.nodeName), past kube-scheduler. Some themes allow a few in any case.")
	f.IntVar(&o.recreations, "recreations", 0,
		"Let controllers recreate evicted pods, while at most `N` of the pods they replace are still terminating.")
	f.BoolVar(&o.refreshBudgets, "refresh-budgets", false,
		"Let the disruption controller update the status of PodDisruptionBudgets, at once or later.")
	f.IntVar(&o.nodeChanges, "node-changes", 0,
		"Let up to `N` changes of nodes happen: a node is cordoned or uncordoned, becomes not ready or ready.")
	f.StringVar(&o.startTimes, "start-times", report.Stated, "Take the start times of pods in this `order`. With "+
		report.Stated+", templates state them, and other pods all start at the same time. With "+
		report.OrderOfBinding+", pods start in the order in which they are bound.")
	f.StringVar(&o.order, "order", "", "Schedule pending pods in this `order`: queue, as kube-scheduler's queue has "+
		"them, or any. The default is queue with the cluster of -f, and any else.")
	f.BoolVar(&o.liveness, "liveness", false,
		"Check infinite behaviours too: preemption without end, and nominations that lead to nothing.")
	f.StringVar(&o.profile, "profile", "",
		"Check only pods of the profile with this schedulerName, a `name`. All profiles are checked by default.")
	f.Var(&o.featureGates, "feature-gates", "Turn feature `gates` of kube-scheduler on and off, as in A=true,B=false: "+
		"those of which the model knows what they change.")
	f.StringVar(&o.reading, "reading", string(spec.Kubernetes), "Compare with this `reading` of the formal model: "+
		readings()+". The literal one is the model as first written; its errata are listed in docs/reference/errata.md.")
	f.StringSliceVar(&o.checks, "check", nil,
		"Check this optional `property` too. May be repeated. There are: "+optionalNames()+".")
	f.IntVar(&o.workers, "workers", 0, "Use `N` workers. The default is one per core.")
	f.StringVar(&o.memory, "memory", "", memoryFlag)
	f.StringVar(&o.results, "results", "",
		"Keep the results in this `directory`, shard by shard, and do not explore again what it has.")
	f.StringVar(&o.keyFile, "key-file", "", "Sign results with the key in this `file`, of 32 bytes or more, and take "+
		"none that is not signed with it.")
	f.Int64Var(&o.maxStates, "max-states", 0, "Stop each theme after about `N` states. There is no limit by default.")
	f.IntVar(&o.maxDepth, "max-depth", 0,
		"Stop each theme after `N` levels of the search. There is no limit by default.")
	f.StringVar(&o.budget, "budget", "none", "Explore as far as this `budget` goes: a time such as 5m, a number of "+
		"states (the level that reaches it is ended), or none. "+
		"The default is 1m with -f, and 10m for themes that would take more memory than there is.")
	f.Int64Var(&o.seed, "seed", 1, "Start the runs at random of a large cluster from this `seed`.")
	addStrict(f, &o.strict, ". One that the scope must show fails too if it is gone")
	f.StringVarP(&o.output, "output", "o", "text", "Print the result in this `format`: "+strings.Join(o.outputs, ", ")+
		".")
	// With -v taken, cobra gives --version no shorthand.
	f.BoolVarP(&o.verbose, "verbose", "v", false, "Print all details.")
	f.StringVar(&o.show, "show", "", "Print only the finding with this `ID`, with its counterexample.")
	f.BoolVar(&o.minimise, "minimise", false,
		"Make the clusters of counterexamples smaller, as long as the same steps show the same finding.")
	f.StringVar(&o.save, "save", "", "Write each finding into this new `directory`: its cluster, its trace, a bug "+
		"report and a Go test. See docs/counterexamples.md.")
	f.StringVar(&o.html, "html", "", "Write the report also as a web page into this `file`. See docs/page.md.")
	f.BoolVar(&o.quiet, "quiet", false, "Do not print progress to stderr.")
}

// someFlags declares only some of the flags, for a subcommand; the others have their defaults.
func (o *options) someFlags(f *pflag.FlagSet, names ...string) {
	all := pflag.NewFlagSet("", pflag.ContinueOnError)
	o.flags(all)
	o.declareLive(all)
	f.SortFlags = false
	for _, name := range names {
		f.AddFlag(all.Lookup(name))
	}
}

// readings lists the readings of the model.
func readings() string {
	var names []string
	for _, reading := range spec.Readings() {
		names = append(names, string(reading))
	}
	return strings.Join(names, ", ")
}

// optionalNames lists the properties that are checked on demand.
func optionalNames() string {
	names := ""
	for _, p := range invariants.Optional() {
		if names != "" {
			names += ", "
		}
		names += p.Name
	}
	return names
}

// validate finds what is wrong whatever the input is.
func (o *options) validate() error {
	for _, bound := range []decisions.Bound{
		{Name: "--nodes", Value: int64(o.nodes), Least: 1, Most: decisions.MaxTemplateNodes},
		{Name: "--pods", Value: int64(o.pods), Most: decisions.MaxPods},
		{Name: "--completions", Value: int64(o.completions), Most: decisions.MaxPods},
		{Name: "--deletions", Value: int64(o.deletions), Most: decisions.MaxPods},
		{Name: "--placements", Value: int64(o.placements), Most: decisions.MaxPods},
		{Name: "--recreations", Value: int64(o.recreations), Most: decisions.MaxPods},
		{Name: "--node-changes", Value: int64(o.nodeChanges), Most: decisions.MaxPods},
		{Name: "--workers", Value: int64(o.workers), Most: maxWorkers},
		{Name: "--max-states", Value: o.maxStates, Most: 1 << 62},
		{Name: "--max-depth", Value: int64(o.maxDepth), Most: 1 << 30},
	} {
		if err := bound.Check(); err != nil {
			return usageError{err}
		}
	}
	if err := validOutput(o.output, o.outputs); err != nil {
		return err
	}
	if (o.verbose || o.show != "") && o.output != "text" {
		return usage("--output is %q, which has all details: leave out --verbose and --show", o.output)
	}
	if o.startTimes != report.Stated && o.startTimes != report.OrderOfBinding {
		return usage("--start-times is %q: it must be %s or %s", o.startTimes, report.Stated, report.OrderOfBinding)
	}
	if o.order != "" && !slices.Contains(model.Orders(), o.order) {
		return usage("--order is %q: it must be %s", o.order, strings.Join(model.Orders(), " or "))
	}
	if !slices.Contains(spec.Readings(), spec.Reading(o.reading)) {
		return usage("--reading is %q: it must be one of %s", o.reading, readings())
	}
	if err := o.validateRandom(); err != nil {
		return err
	}
	if o.keyFile != "" && o.results == "" {
		return usage("--key-file is for results that are kept; add --results DIR, or leave it out")
	}
	if err := o.prepareSave(); err != nil {
		return err
	}
	if err := o.preparePage(); err != nil {
		return err
	}
	_, err := o.properties()
	return err
}

// actions returns what may happen besides scheduling.
func (o *options) actions() model.Actions {
	return model.Actions{
		Arrivals: o.pods, Completions: o.completions, Deletions: o.deletions, Placements: o.placements,
		Recreations: o.recreations, NodeChanges: o.nodeChanges, RefreshBudgets: o.refreshBudgets,
		StartInOrder: o.startTimes == report.OrderOfBinding,
		Preempt:      o.preempt, VictimGone: o.victimGone, Order: o.pendingOrder(),
	}
}

// pendingOrder is which pending pod is scheduled next. Only a cluster has a default of its own.
func (o *options) pendingOrder() model.Order {
	return model.Order(max(0, slices.Index(model.Orders(), o.order)))
}

// properties returns the properties to check.
func (o *options) properties() ([]invariants.Property, error) {
	properties := invariants.All()
	if spec.Reading(o.reading) == spec.Literal {
		properties = append(properties, invariants.Literal()...)
	}
	if o.liveness {
		properties = append(properties, invariants.Liveness()...)
	}
	for _, name := range o.checks {
		optional := invariants.Optional()
		i := slices.IndexFunc(optional, func(p invariants.Property) bool { return p.Name == name })
		switch {
		case i >= 0:
			properties = append(properties, optional[i])
		case !slices.ContainsFunc(properties, func(p invariants.Property) bool { return p.Name == name }):
			return nil, usage("--check: no property is called %q; those that are not checked in any case are: %s", name,
				optionalNames())
		}
	}
	return properties, nil
}
