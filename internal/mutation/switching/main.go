// Command switching asks the questions of a scope with each of the faults switched on that are planted in its copy of
// kube-scheduler, and prints which of them are noticed: which lead to a decision that is not what the model allows, and
// that no known defect explains. internal/mutation builds and runs it. A fault is tried where the code comes by it and
// some value would be another; all else stays as it is.
//
// It reads the numbers of the faults on stdin and prints a line for each event:
//
//	came N              the fault is in code that was run, and some value would have been another
//	noticed N FINDING   and by what
//	hidden N FINDING    it leads to what a known defect explains, which is not found without it
//	theme I NAME        the questions of this theme are being asked
//	done                all questions were asked
//
// If the process dies, the file --trying has the number of the fault that it was trying.
package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strconv"

	"github.com/spf13/pflag"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/generate"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "switching:", err)
		os.Exit(1)
	}
}

// scope is what is asked.
type scope struct {
	nodes, pods int
	// questions are drawn at random, if there are any, instead of those of the themes.
	questions int64
	// loop: runs of kube-scheduler as a whole, instead of questions, and so many that are drawn, if there are any,
	// instead of those of the themes of the loop.
	loop bool
	runs int64
	// thorough: only those themes of the loop of which there is more in a thorough run.
	thorough bool
	// wakeUps: runs of kube-scheduler as a whole, one for each event that lets a pod of the themes be placed.
	wakeUps bool
	// faults and late are those of the scopes of the loop, if there are any.
	faults, late int
	// meanwhile: events happen while a pod is being tried, too.
	meanwhile bool
	// from is the first theme, by its place in the list; only, if there are any, are the names of those to ask.
	from int
	only []string
}

func run(ctx context.Context, in io.Reader, out io.Writer) error {
	var o scope
	flags := pflag.NewFlagSet("switching", pflag.ContinueOnError)
	flags.IntVar(&o.nodes, "nodes", 3, "Clusters of up to `N` nodes.")
	flags.IntVar(&o.pods, "pods", 5, "The arrival of up to `N` pods.")
	flags.Int64Var(&o.questions, "random", 0, "Draw `N` questions, instead of those of the themes.")
	flags.BoolVar(&o.loop, "loop", false, "Take the runs of the themes of the loop, instead of questions.")
	flags.BoolVar(&o.thorough, "thorough", false,
		"Take those themes of the loop of which a thorough run has more, as it has them.")
	flags.IntVar(&o.faults, "faults", 0, "Make up to `N` cycles fail in the themes of the loop that have none that do.")
	flags.IntVar(&o.late, "late", 0, "Of each kind of object let `N` changes be late in the themes of the loop.")
	flags.BoolVar(&o.meanwhile, "meanwhile", false, "In the themes of the loop let events happen while a pod is being "+
		"tried, too.")
	flags.Int64Var(&o.runs, "loop-random", 0, "Take `N` drawn runs, instead of questions.")
	flags.BoolVar(&o.wakeUps, "wake-ups", false, "Take the runs of events that help pods, instead of questions.")
	flags.IntVar(&o.from, "from", 0, "Begin with the `N`th theme.")
	flags.StringSliceVar(&o.only, "theme", nil, "Ask the questions of these `themes` only.")
	most := flags.Int("most", 0, "In one theme, try a fault `N` times in vain before it is tried at few questions.")
	small := flags.Int64("small", 0, "Explore themes of the loop of up to `N` states anew with each fault.")
	trying := flags.String("trying", "", "Keep the number of the fault that is being tried in this `file`.")
	if err := flags.Parse(os.Args[1:]); err != nil {
		return err
	}
	t, err := newTrial(out, *trying)
	if err != nil {
		return err
	}
	t.most, t.small = *most, *small
	if t.left, err = readFaults(in); err != nil {
		return err
	}
	switch {
	case o.questions > 0:
		err = t.random(ctx, o)
	case o.loop:
		err = t.loopThemes(ctx, o)
	case o.wakeUps:
		err = t.wakeUps(ctx, o)
	case o.runs > 0:
		err = t.loopRandom(ctx, o)
	default:
		err = t.themes(ctx, o)
	}
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "done")
	return nil
}

// readFaults reads numbers.
func readFaults(in io.Reader) (map[int]bool, error) {
	faults := map[int]bool{}
	words := bufio.NewScanner(in)
	words.Split(bufio.ScanWords)
	for words.Scan() {
		n, err := strconv.Atoi(words.Text())
		if err != nil {
			return nil, fmt.Errorf("stdin: %w", err)
		}
		faults[n] = true
	}
	return faults, words.Err()
}

func newTrial(out io.Writer, trying string) (*trial, error) {
	t := &trial{tried: map[int]int{}, came: map[int]bool{}, comesHere: map[int]bool{}, hides: map[int]bool{}}
	t.comes = func(fault int) { fmt.Fprintln(out, "came", fault) }
	t.noticed = func(fault int, by string) { fmt.Fprintln(out, "noticed", fault, by) }
	t.hidden = func(fault int, by string) { fmt.Fprintln(out, "hidden", fault, by) }
	t.told = func(i int, name string) { fmt.Fprintln(out, "theme", i, name) }
	t.trying = func(int) {}
	if trying != "" {
		file, err := os.Create(trying)
		if err != nil {
			return nil, err
		}
		t.trying = func(fault int) { _, _ = fmt.Fprintf(io.NewOffsetWriter(file, 0), "%-8d", fault) }
	}
	var err error
	if t.planted, err = findPlanted(); err != nil {
		return nil, err
	}
	// That of the themes has the default profile and those that some themes' pods ask for.
	configuration, at, err := scenario.ThemeConfiguration(scenario.ThemeNames(), admission.Admit)
	if err != nil {
		return nil, err
	}
	if t.config, err = production.LoadConfig(at.String(), configuration); err != nil {
		return nil, err
	}
	profile, err := t.config.Spec(t.config.Profiles()[0])
	if err != nil {
		return nil, err
	}
	t.spec = spec.New(profile)
	return t, nil
}

// themes asks the questions of the built-in themes, one after the other.
func (t *trial) themes(ctx context.Context, o scope) error {
	t.properties = invariants.All()
	for i, name := range scenario.ThemeNames() {
		if i < o.from || len(o.only) > 0 && !slices.Contains(o.only, name) {
			continue
		}
		t.begin(i, name)
		actions := model.Actions{Arrivals: o.pods, Preempt: true, VictimGone: true}
		s, err := scenario.Theme(name, o.nodes, actions, admission.Admit)
		if err != nil {
			return err
		}
		shard, err := decisions.Explore(ctx, []*model.Scenario{s}, decisions.Options{
			Spec: t.spec, Workers: 1, NewDecider: func() (decisions.Decider, error) { return t.decider(ctx) },
		}, []int{0})
		switch {
		case err != nil:
			return fmt.Errorf("theme %s: %w", name, err)
		case len(shard.Stopped) > 0:
			return cmp.Or(ctx.Err(), fmt.Errorf("theme %s was not explored to its end", name))
		}
	}
	return nil
}

// begin tells that a part of the questions begins.
func (t *trial) begin(i int, name string) {
	clear(t.tried)
	t.told(i, name)
}

// random asks drawn questions.
func (t *trial) random(ctx context.Context, o scope) error {
	t.properties, t.oracles = append(invariants.All(), invariants.Oracles()...), true
	questions := generate.DrawQuestion(generate.Scope{Nodes: o.nodes, Pods: o.pods - 1})
	t.begin(0, "at random")
	result, err := decisions.Random(ctx, decisions.RandomOptions{
		Spec: t.spec, Workers: 1, Properties: t.properties, Questions: o.questions,
		NewDecider: func() (decisions.Decider, error) { return t.decider(ctx) },
		Draw: func(n int64) (*spec.Question, int) {
			return generate.Comparable(questions.Example(int(n)), admission.Admit)
		},
	})
	if err == nil && !result.Complete {
		err = cmp.Or(ctx.Err(), errors.New("the questions were not asked to the end"))
	}
	return err
}
