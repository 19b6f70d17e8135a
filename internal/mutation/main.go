package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/pflag"
	"golang.org/x/sync/errgroup"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil && !errors.Is(err, pflag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "mutation:", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	n, jobs            int
	seed               uint64
	dir                string
	stages, parts, ids []string
	list, coverage     bool
}

func parse(args []string) (*options, error) {
	o := &options{}
	flags := pflag.NewFlagSet("mutation", pflag.ContinueOnError)
	flags.IntVarP(&o.n, "n", "n", 200, "Draw about `N` faults, in proportion to the candidates of each part.")
	flags.Uint64Var(&o.seed, "seed", 1, "Draw with this `seed`.")
	flags.IntVar(&o.jobs, "jobs", 2, "Try `N` faults at a time.")
	flags.StringVar(&o.dir, "dir", "", "Keep copies and results in this `directory`; by default in the user's cache.")
	flags.StringSliceVar(&o.stages, "stages", []string{"small", "default", "random", "loop", upstream},
		"Try these `stages`.")
	flags.StringSliceVar(&o.parts, "part", nil, "Draw from these `parts` only, such as nodeports.")
	flags.StringArrayVar(&o.ids, "fault", nil, "Try the candidates whose ID has this `text` in it, and draw nothing.")
	flags.BoolVar(&o.list, "list", false, "List the candidates, and try nothing.")
	flags.BoolVar(&o.coverage, "coverage", false,
		"Print which statements of the code no question of the stages reaches, and plant nothing.")
	for i, arg := range args { // as everywhere, one dash will do
		if len(arg) > 2 && arg[0] == '-' && arg[1] != '-' && flags.Lookup(strings.SplitN(arg[1:], "=", 2)[0]) != nil {
			args[i] = "-" + arg
		}
	}
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if o.dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return nil, fmt.Errorf("%w; give --dir", err)
		}
		o.dir = filepath.Join(cache, "modelcheck-mutation")
	}
	for _, name := range o.stages {
		if name != upstream && !slices.ContainsFunc(stages(), func(s stage) bool { return s.name == name }) {
			return nil, fmt.Errorf("there is no stage %q; want some of small, default, random, loop, upstream", name)
		}
	}
	return o, nil
}

func run(ctx context.Context, args []string, stdout, progress io.Writer) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	reasons, err := judged()
	if err != nil {
		return err
	}
	w, err := newWorkspace(ctx, o.dir)
	if err != nil {
		return err
	}
	all, err := sources(ctx, w)
	if err != nil {
		return err
	}
	if o.coverage {
		return coverage(ctx, w, all, o.chosen(), stdout, progress)
	}
	candidates := faults(all)
	if o.list {
		for _, f := range candidates {
			fmt.Fprintf(stdout, "%s\t%s\n", f.stratum, f.id)
		}
		return nil
	}
	drawn := o.draw(candidates)
	if len(drawn) == 0 {
		return errors.New("no candidate is of these parts, or has this in its ID; see --list")
	}
	fmt.Fprintf(progress, "%d of %d candidates drawn; building\n", len(drawn), len(candidates))
	if err := plant(w, all, drawn); err != nil {
		return err
	}
	if err := os.RemoveAll(filepath.Join(w.Dir, "tests")); err != nil {
		return err
	}
	t := &trial{options: o, workspace: w, drawn: drawn, progress: progress, reasons: reasons,
		run: map[string]map[int]bool{}}
	if err := t.build(ctx); err != nil {
		return err
	}
	if err := t.all(ctx); err != nil {
		return err
	}
	return write(stdout, t.chosen(), slices.Contains(o.stages, upstream), t.records, reasons)
}

// draw returns the sample, or what is asked for by name.
func (o *options) draw(candidates []*fault) []*fault {
	candidates = slices.DeleteFunc(slices.Clone(candidates), func(f *fault) bool {
		return len(o.parts) > 0 && !slices.Contains(o.parts, f.stratum) || len(o.ids) > 0 &&
			!slices.ContainsFunc(o.ids, func(text string) bool { return strings.Contains(f.id, text) })
	})
	if len(o.ids) > 0 {
		return candidates
	}
	return sample(candidates, o.n, o.seed)
}

// trial tries the drawn faults.
type trial struct {
	*options
	workspace *workspace
	binary    string
	// digest is that of the binary, which is another if modelcheck or the sample is.
	digest   string
	drawn    []*fault
	progress io.Writer
	reasons  verdicts
	// run has the faults whose code a stage runs.
	run map[string]map[int]bool

	mu      sync.Mutex
	records []*record
	done    int
}

// chosen are the stages of modelcheck that were asked for.
func (o *options) chosen() []stage {
	return slices.DeleteFunc(stages(), func(s stage) bool { return !slices.Contains(o.stages, s.name) })
}

// build builds modelcheck, and the tests of each package that has a fault.
func (t *trial) build(ctx context.Context) (err error) {
	if t.binary, err = t.workspace.build(ctx); err != nil {
		return err
	}
	data, err := os.ReadFile(t.binary)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(data)
	t.digest = hex.EncodeToString(sum[:8])
	if !slices.Contains(t.stages, upstream) {
		return nil
	}
	var built []string
	for _, f := range t.drawn {
		path := f.source.pkg.PkgPath
		if slices.Contains(built, path) {
			continue
		}
		built = append(built, path)
		if err := t.workspace.buildTests(ctx, path); err != nil {
			return err
		}
	}
	return nil
}

// all tries every fault, several at a time. What was tried before with the same sample is not tried again.
func (t *trial) all(ctx context.Context) error {
	if err := t.recall(); err != nil {
		return err
	}
	for _, s := range t.chosen() {
		run, o, err := t.workspace.survey(ctx, t.binary, s)
		if err != nil {
			return err
		}
		if o.Noticed {
			return fmt.Errorf("without any fault, %s says %q", s.name, o.By)
		}
		fmt.Fprintf(t.progress, "%s runs the code of %d faults\n", s.name, len(run))
		t.run[s.name] = run
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(t.jobs)
	for i := range t.drawn {
		group.Go(func() error { return t.one(ctx, i) })
	}
	return group.Wait()
}

// one takes a fault through the stages, until one notices it, and through upstream's tests.
func (t *trial) one(ctx context.Context, i int) error {
	r := t.records[i]
	for _, s := range t.chosen() {
		if o, known := r.Stages[s.name]; known && o.Noticed || t.reasons.of(r.ID) != "" {
			break
		} else if known {
			continue
		}
		var o outcome
		if t.run[s.name][i] {
			var err error
			if o, err = t.workspace.try(ctx, t.binary, s, i); err != nil {
				return err
			}
		}
		t.learn(r, s.name, o)
		if o.Noticed {
			break
		}
	}
	if _, known := r.Stages[upstream]; !known && slices.Contains(t.stages, upstream) && t.reasons.of(r.ID) == "" {
		o, err := t.workspace.tryUpstream(ctx, t.drawn[i], i)
		if err != nil {
			return err
		}
		t.learn(r, upstream, o)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.done++
	fmt.Fprintf(t.progress, "%d of %d: %s: %s\n", t.done, len(t.drawn), r.ID, r.words(stages()))
	return nil
}

// words says in a few what became of the fault.
func (r *record) words(stages []stage) string {
	for _, s := range stages {
		if o := r.Stages[s.name]; o.Noticed {
			return s.name + ", " + o.By
		}
	}
	if !r.reached(stages) {
		return "never run"
	}
	return "overlooked"
}

// learn notes what a stage said, also on disk.
func (t *trial) learn(r *record, name string, o outcome) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r.Stages[name] = o
	data, err := json.MarshalIndent(t.records, "", " ")
	if err == nil {
		err = os.WriteFile(t.file(), data, 0o644)
	}
	if err != nil {
		fmt.Fprintln(t.progress, "the results are not kept:", err)
	}
}

// file is where the results of this sample with this modelcheck are kept.
func (t *trial) file() string {
	return filepath.Join(t.workspace.Dir, "results-"+t.digest+".json")
}

// recall reads what was tried before with the same sample.
func (t *trial) recall() error {
	var before []*record
	data, err := os.ReadFile(t.file())
	if err == nil {
		err = json.Unmarshal(data, &before)
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%s: %w; remove it", t.file(), err)
	}
	for i, f := range t.drawn {
		t.records = append(t.records, &record{ID: f.id, Stratum: f.stratum, Stages: map[string]outcome{}})
		if i < len(before) && len(before) == len(t.drawn) && before[i].ID == f.id {
			t.records[i] = before[i]
		}
	}
	return nil
}
