package main

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/seed-a3f26817/modelcheck/internal/report"
	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// options are the flags.
type options struct {
	files                              []string
	nodes, pods                        int
	themes                             []string
	listThemes, thorough               bool
	completions, deletions, placements int
	recreations, nodeChanges           int
	refreshBudgets, minimise           bool
	startTimes                         string
	liveness                           bool
	preempt, victimGone                bool
	profile, reading                   string
	checks                             []string
	workers                            int
	memory, results                    string
	maxStates                          int64
	maxDepth                           int
	strict                             bool
	output                             string
	verbose                            bool
	show                               string
	quiet                              bool
	random                             bool
	save, html                         string
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
	return []string{"filename", "nodes", "pods", "theme", "thorough", "preempt", "victim-gone", "completions",
		"deletions", "placements", "recreations", "refresh-budgets", "node-changes", "start-times", "liveness",
		"profile", "reading", "check", "max-states", "max-depth"}
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

// Bounds of what can be asked for. From 100 nodes up kube-scheduler samples nodes; the themes' clusters are listed
// one by one, so their nodes are bounded lower.
const (
	maxThemeNodes = 20
	maxFileNodes  = 99
	maxCount      = 250
	maxWorkers    = 256
)

// flags declares the flags.
func (o *options) flags(f *pflag.FlagSet) {
	f.SortFlags = false
	f.StringArrayVarP(
		&o.files,
		"filename",
		"f",
		nil,
		"read the cluster from this `file`, directory or - (stdin); may be repeated",
	)
	f.IntVar(&o.nodes, "nodes", 3, "explore every cluster of 1 to `N` nodes; not with -f, which gives the nodes")
	f.IntVar(
		&o.pods,
		"pods",
		5,
		"let up to `K` pods arrive; with the cluster of -f the default is 0, and each is like one of its pods",
	)
	f.StringSliceVar(&o.themes, "theme", nil, "explore this `theme` only; may be repeated (default all)")
	f.BoolVar(&o.listThemes, "list-themes", false, "list the themes and exit")
	f.BoolVar(&o.thorough, "thorough", false,
		"draw clusters from several times the kinds; takes about twenty minutes, with --results it can be resumed")
	f.BoolVar(&o.random, "random", false,
		"ask about clusters drawn at random over all fields at once, instead of exploring themes; none twice")
	f.Int64Var(
		&o.seed,
		"seed",
		1,
		"draw the clusters of this `seed`; the same seed and --questions give the same report",
	)
	f.Int64Var(&o.questions, "questions", 0, "ask about `N` distinct drawn clusters (default 10000, without --for)")
	f.DurationVar(
		&o.duration,
		"for",
		0,
		"draw clusters for this `time`, such as 10m; how many these are depends on the machine",
	)
	f.BoolVar(&o.preempt, "preempt", true, "carry preemptions out; they are compared in any case")
	f.BoolVar(&o.victimGone, "victim-gone", true, "let terminating pods be gone")
	f.IntVar(&o.completions, "completions", 0, "let up to `N` running pods complete")
	f.IntVar(
		&o.deletions,
		"deletions",
		0,
		"let somebody delete up to `N` running pods (some themes have a few in any case)",
	)
	f.IntVar(
		&o.placements,
		"placements",
		0,
		"let somebody put up to `N` arriving pods on nodes past the scheduler (as above)",
	)
	f.IntVar(
		&o.recreations,
		"recreations",
		0,
		"let controllers bring evicted pods back, while at most `N` of those replaced terminate still",
	)
	f.BoolVar(&o.refreshBudgets, "refresh-budgets", false,
		"let the disruption controller bring the status of budgets up to date, at once or any time later")
	f.IntVar(
		&o.nodeChanges,
		"node-changes",
		0,
		"let up to `N` times a node be cordoned, stop being ready, or the contrary",
	)
	f.StringVar(&o.startTimes, "start-times", report.Stated, "let bound pods start in this `order`: "+report.Stated+
		" is as their kinds say, the others all at once; "+report.OrderOfBinding+" is as they are bound")
	f.BoolVar(&o.liveness, "liveness", false,
		"check what goes on for ever too: preemption without end, nominations that lead to nothing")
	f.StringVar(
		&o.profile,
		"profile",
		"",
		"ask about pods of the profile of this scheduler `name` only (default all profiles of the configuration)",
	)
	f.StringVar(&o.reading, "reading", string(spec.Kubernetes), "compare with the model in this `reading`: "+readings()+
		"; literal is the model as first written, and what explains a difference is an erratum of it "+
		"(docs/reference/errata.md)")
	f.StringSliceVar(&o.checks, "check", nil, "check this `property` too; may be repeated: "+optionalNames())
	f.IntVar(&o.workers, "workers", 0, "explore with `N` workers (default one per core)")
	f.StringVar(
		&o.memory,
		"memory",
		"",
		"take at most about this much memory, a `quantity` such as 4Gi (default 3/4 of the machine's)",
	)
	f.StringVar(
		&o.results,
		"results",
		"",
		"keep what is found in this `directory`, part by part, and do not explore those parts again that are there",
	)
	f.Int64Var(&o.maxStates, "max-states", 0, "stop each theme after about `N` states (default no limit)")
	f.IntVar(&o.maxDepth, "max-depth", 0, "stop each theme at `N` levels of states (default no limit)")
	f.BoolVar(&o.strict, "strict", false, "let known defects and what is by design fail too")
	f.StringVarP(&o.output, "output", "o", "text", "print "+strings.Join(o.outputs, ", "))
	// With -v taken, cobra gives --version no shorthand.
	f.BoolVarP(&o.verbose, "verbose", "v", false, "print all details: clusters, coverage and every counterexample")
	f.StringVar(&o.show, "show", "", "print only the finding with this `ID`, with its counterexample")
	f.BoolVar(&o.minimise, "minimise", false,
		"make the clusters of counterexamples smaller, as long as the same steps show the same finding")
	f.StringVar(
		&o.save,
		"save",
		"",
		"write a folder for each finding into this new `folder`: cluster, trace, bug report and a Go test "+
			"(docs/counterexamples.md)",
	)
	f.StringVar(&o.html, "html", "", "write the report also as a page for the browser into this `file` (docs/page.md)")
	f.BoolVar(&o.quiet, "quiet", false, "print no progress on stderr")
}

// someFlags declares only some of the flags, for a subcommand; the others have their defaults.
func (o *options) someFlags(f *pflag.FlagSet, names ...string) {
	all := pflag.NewFlagSet("", pflag.ContinueOnError)
	o.flags(all)
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
	for _, bound := range []struct {
		flag        string
		value       int64
		least, most int64
	}{
		{"nodes", int64(o.nodes), 1, maxThemeNodes},
		{"pods", int64(o.pods), 0, maxCount},
		{"completions", int64(o.completions), 0, maxCount},
		{"deletions", int64(o.deletions), 0, maxCount},
		{"placements", int64(o.placements), 0, maxCount},
		{"recreations", int64(o.recreations), 0, maxCount},
		{"node-changes", int64(o.nodeChanges), 0, maxCount},
		{"workers", int64(o.workers), 0, maxWorkers},
		{"max-states", o.maxStates, 0, 1 << 62},
		{"max-depth", int64(o.maxDepth), 0, 1 << 30},
	} {
		switch {
		case bound.value < bound.least:
			return usage("--%s is %d: it must be at least %d", bound.flag, bound.value, bound.least)
		case bound.value > bound.most:
			return usage("--%s is %d: it must be at most %d", bound.flag, bound.value, bound.most)
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
	if !slices.Contains(spec.Readings(), spec.Reading(o.reading)) {
		return usage("--reading is %q: it must be one of %s", o.reading, readings())
	}
	if err := o.validateRandom(); err != nil {
		return err
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
		Preempt:      o.preempt, VictimGone: o.victimGone,
	}
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

// memoryLimit returns the memory to take, in bytes.
func (o *options) memoryLimit() (int64, error) {
	if o.memory == "" {
		return machineMemory() / 4 * 3, nil
	}
	quantity, err := resource.ParseQuantity(o.memory)
	if err != nil || quantity.Sign() <= 0 || quantity.Cmp(*resource.NewQuantity(math.MaxInt64, resource.BinarySI)) > 0 {
		return 0, usage("--memory is %q: it must be a positive quantity such as 512Mi or 4Gi, and at most 8Ei",
			o.memory)
	}
	return quantity.Value(), nil
}
