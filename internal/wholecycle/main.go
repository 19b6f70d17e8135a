// Command wholecycle holds the steps that modelcheck drives for a single decision (internal/production/cycle.go) to
// kube-scheduler's own: it puts questions of the default scope to both, and to a complete kube-scheduler with its event
// handlers, cache, queue and ScheduleOne, and compares what comes of it: the outcome, what is said of each node, the
// scores, whom a preemption would evict where, the message and the writes to the API server.
//
//	go run ./internal/wholecycle [-one-in 10] [-nodes 3] [-pods 5] [-workers N]
//
// prints how many were asked and how many differ, and ends with 1 if one does. Which questions are drawn follows from
// the questions alone. crosscheck.go asks, differences.go compares.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strings"

	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	o := scope{}
	flag.Uint64Var(&o.oneIn, "one-in", 10, "ask one `N`th of the questions")
	flag.IntVar(&o.nodes, "nodes", 3, "explore clusters of up to `N` nodes")
	flag.IntVar(&o.pods, "pods", 5, "explore the arrival of up to `N` pods")
	flag.IntVar(&o.workers, "workers", runtime.GOMAXPROCS(0), "explore with `N` workers")
	flag.Parse()
	if flag.NArg() > 0 || o.oneIn < 1 || o.nodes < 1 || o.pods < 1 || o.workers < 1 {
		fmt.Fprintln(os.Stderr, "wholecycle: all flags take numbers of 1 or more, and there are no arguments; see -h")
		os.Exit(2)
	}
	differ, err := run(ctx, o, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "wholecycle:", err)
		os.Exit(2)
	}
	if differ > 0 {
		os.Exit(1)
	}
}

// scope is what is explored, and how much of it is asked twice.
type scope struct {
	oneIn                uint64
	nodes, pods, workers int
}

// most is how many questions that differ are printed.
const most = 10

// run cross-checks the scope, prints what came of it, and returns how many questions differ.
func run(ctx context.Context, o scope, out io.Writer) (differ int, err error) {
	outcomes := map[spec.OutcomeType]int{}
	scored, candidates, asked, failed := 0, 0, 0, 0
	c := &crosscheck{oneIn: o.oneIn}
	c.compared = func(q spec.Question, driven, whole *spec.Decision) {
		asked++
		for _, outcome := range whole.Outcomes {
			outcomes[outcome.Type]++
		}
		if whole.Failure != "" {
			failed++
		}
		if scores(whole) {
			scored++
		}
		candidates += len(whole.Candidates)
		found := differences(driven, whole)
		if len(found) == 0 {
			return
		}
		if differ++; differ <= most {
			fmt.Fprintf(out, "%s\n  %s\n", words(q), strings.Join(found, "\n  "))
		}
	}
	scenarios, err := o.themes()
	if err != nil {
		return 0, err
	}
	result, err := c.explore(ctx, scenarios, o.workers)
	if err != nil {
		return differ, err
	}
	fmt.Fprintf(out, "%d questions of up to %d nodes and %d pods; of one in %d, %d distinct ones were put to "+
		"kube-scheduler as a whole: %d bind (%d of them among scored nodes), %d preempt, %d wait, %d errors; "+
		"%d candidates of preemptions\n"+
		"%d are of pods of another scheduler and were left out, and %d where kube-scheduler as a whole begins its search "+
		"anywhere\n%d differ\n",
		c.seen, o.nodes, o.pods, o.oneIn, asked, outcomes[spec.Bind], scored, outcomes[spec.Preempt],
		outcomes[spec.Wait], failed, candidates, c.foreign, c.chance, differ)
	if !result.Complete {
		return differ, fmt.Errorf("the scope was not explored to its end: run it again, and let it finish")
	}
	return differ, nil
}

// themes are the built-in ones, as modelcheck explores them by default.
func (o scope) themes() ([]*model.Scenario, error) {
	var scenarios []*model.Scenario
	for _, name := range scenario.ThemeNames() {
		actions := model.Actions{Arrivals: o.pods, Preempt: true, VictimGone: true}
		s, err := scenario.Theme(name, o.nodes, actions, admission.Admit)
		if err != nil {
			return nil, err
		}
		scenarios = append(scenarios, s)
	}
	return scenarios, nil
}
