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
	themes             []string
	list, coverage     bool
	most               int
	small              int64
}

func parse(args []string) (*options, error) {
	o := &options{}
	flags := pflag.NewFlagSet("mutation", pflag.ContinueOnError)
	flags.IntVarP(&o.n, "n", "n", 200, "Draw about `N` faults, in proportion to the candidates of each part.")
	flags.Uint64Var(&o.seed, "seed", 1, "Draw with this `seed`.")
	flags.IntVar(&o.jobs, "jobs", 2, "Try `N` faults at a time.")
	flags.StringVar(&o.dir, "dir", "", "Keep copies and results in this `directory`; by default in the user's cache.")
	flags.StringSliceVar(&o.stages, "stages", []string{"small", "default", "random", "loop", "loop-thorough",
		"loop-faults", "loop-late", "loop-meanwhile", "loop-random", upstream},
		"Try these `stages`.")
	flags.StringSliceVar(&o.parts, "part", nil, "Draw from these `parts` only, such as nodeports.")
	flags.StringArrayVar(&o.ids, "fault", nil, "Try the candidates whose ID has this `text` in it, and draw nothing.")
	flags.StringSliceVar(&o.themes, "theme", nil, "Of the themes, also of the loop, take these `themes` only.")
	flags.IntVar(&o.most, "most", 200, "In one theme, try a fault `N` times in vain before it is tried at one question "+
		"in 16 only; 0: at all.")
	flags.Int64Var(&o.small, "small", 700, "Explore a theme of the loop anew with each fault that its runs come by and "+
		"do not show, if it has up to `N` states.")
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
			var known []string
			for _, s := range stages() {
				known = append(known, s.name)
			}
			return nil, fmt.Errorf("there is no stage %q; want some of %s, %s", name, strings.Join(known, ", "), upstream)
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
	t := &trial{options: o, workspace: w, drawn: drawn, progress: progress, reasons: reasons}
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
	// digest is that of the programs, which is another if modelcheck or the sample is.
	digest   string
	drawn    []*fault
	progress io.Writer
	reasons  verdicts

	mu      sync.Mutex
	records []*record
}

// chosen are the stages of modelcheck that were asked for.
func (o *options) chosen() []stage {
	return slices.DeleteFunc(stages(), func(s stage) bool { return !slices.Contains(o.stages, s.name) })
}

// build builds what tries the faults, and the tests of each package that has a fault.
func (t *trial) build(ctx context.Context) error {
	sum := sha256.New()
	fmt.Fprintln(sum, t.most, t.small, t.themes)
	binary, err := t.workspace.build(ctx, "./internal/mutation/switching")
	if err != nil {
		return err
	}
	data, err := os.ReadFile(binary)
	if err != nil {
		return err
	}
	sum.Write(data)
	t.digest = hex.EncodeToString(sum.Sum(nil)[:8])
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

// all takes the faults through the stages, until one notices them, and through upstream's tests. What was tried before
// with the same sample is not tried again.
func (t *trial) all(ctx context.Context) error {
	if err := t.recall(); err != nil {
		return err
	}
	for _, s := range t.chosen() {
		left := t.left(s)
		fmt.Fprintf(t.progress, "%s: %d faults\n", s.name, len(left))
		if err := t.switching(ctx, s, left); err != nil {
			return err
		}
	}
	if !slices.Contains(t.stages, upstream) {
		return nil
	}
	return t.each(ctx, t.left(stage{name: upstream}), func(ctx context.Context, i int) error {
		o, err := t.workspace.tryUpstream(ctx, t.drawn[i], i)
		if err == nil {
			t.learn(i, upstream, o)
		}
		return err
	})
}

// left returns the faults that a stage is to be asked about: those that count, that it was not asked about before, and,
// but for upstream's tests, that none before it has noticed.
func (t *trial) left(s stage) []int {
	var left []int
	for i, r := range t.records {
		if _, known := r.Stages[s.name]; known || t.reasons.of(r.ID) != "" ||
			s.name != upstream && r.noticedBy(t.chosen(), s.name) {
			continue
		}
		left = append(left, i)
	}
	return left
}

// each does something for several faults at a time.
func (t *trial) each(ctx context.Context, faults []int, do func(ctx context.Context, i int) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(t.jobs)
	for _, i := range faults {
		group.Go(func() error { return do(ctx, i) })
	}
	return group.Wait()
}

// learn notes what a stage said, also on disk.
func (t *trial) learn(i int, name string, o outcome) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := t.records[i]
	r.Stages[name] = o
	if o.Noticed {
		fmt.Fprintf(t.progress, "%s: %s: %s\n", name, r.ID, o.By)
	}
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
