// Command torture does to modelcheck what machines and users do to it: it kills runs and resumes them, damages the
// files that they keep, mutates their input, and takes memory and disk away from them. It prints a table of what was
// tried, how often, and what came of it, and ends with 1 and the command that does it again if something did not hold.
//
//	go run ./internal/torture [-duration 10m | -times N] [-seed N] [-what NAME,...] [-binary FILE]
//
// What a trial does is drawn from the seed, the experiment and the number of the trial alone; when a killed process
// dies is the machine's affair.
package main

import (
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

func main() {
	duration := flag.Duration("duration", 10*time.Minute, "try for about this `time`, shared by the experiments")
	times := flag.Int("times", 0, "try each experiment so many `times`, however long that takes")
	seed := flag.Uint64("seed", 1, "draw the trials from this `seed`")
	what := flag.String("what", "", "try only the experiments whose names begin with one of these `names`")
	only := flag.Int("trial", -1, "try only the trial of this `number`, from 0")
	binary := flag.String("binary", "", "torture this `file` (default: ./cmd/modelcheck, built)")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "torture: unexpected argument %q\n", flag.Arg(0))
		os.Exit(2)
	}
	o := options{*duration, *times, *seed, strings.Split(*what, ","), *only, *binary}
	if err := run(os.Stdout, os.Stderr, o); err != nil {
		fmt.Fprintln(os.Stderr, "torture:", err)
		os.Exit(1)
	}
}

type options struct {
	duration time.Duration
	times    int
	seed     uint64
	what     []string
	only     int
	binary   string
}

// experiment is one thing that is tried in many ways.
type experiment struct {
	name string
	// tried is what a trial does, and holds what must hold whatever it draws.
	tried, holds string
	// start prepares. A Skip is returned where this machine cannot do it.
	start func(b *bench) (trial, error)
}

// trial tries once. The outcome is one of what may come of it; the error says what did not hold.
type trial func(draw *rand.Rand) (outcome string, err error)

// skip says why an experiment cannot be made here.
type skip string

func (s skip) Error() string { return string(s) }

// experiments are all of them, in the order of the table.
func experiments() []experiment {
	return slices.Concat(kills(), corruptions(), inputs(), limits())
}

// row is what came of an experiment.
type row struct {
	experiment
	tried    int
	outcomes map[string]int
	// first has the first trial that each came of.
	first   map[string]int
	skipped error
	failed  error
}

// run makes the experiments and prints the table. The error is what did not hold.
func run(w, progress io.Writer, o options) error {
	dir, err := os.MkdirTemp("", "torture-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b := &bench{dir: dir, binary: o.binary}
	if b.root, err = moduleRoot(); err != nil {
		return err
	}
	if b.binary == "" {
		b.binary = filepath.Join(dir, "modelcheck")
		build := exec.Command("go", "build", "-o", b.binary, "./cmd/modelcheck")
		build.Dir, build.Stderr = b.root, progress
		if err := build.Run(); err != nil {
			return fmt.Errorf("building modelcheck: %w", err)
		}
	} else if b.binary, err = filepath.Abs(b.binary); err != nil {
		return err
	}
	var chosen []experiment
	for _, e := range experiments() {
		if slices.ContainsFunc(o.what, func(name string) bool { return strings.HasPrefix(e.name, name) }) {
			chosen = append(chosen, e)
		}
	}
	if len(chosen) == 0 {
		return fmt.Errorf("-what %s: no experiment has such a name", strings.Join(o.what, ","))
	}
	end := time.Now().Add(o.duration)
	var rows []*row
	var errs []error
	for i, e := range chosen {
		// What an experiment leaves of its share goes to the others.
		share := time.Until(end) / time.Duration(len(chosen)-i)
		r := o.try(b, e, time.Now().Add(share))
		rows = append(rows, r)
		fmt.Fprintf(progress, "%s: %d tried\n", e.name, r.tried)
		errs = append(errs, r.failed)
	}
	return errors.Join(append(errs, table(w, rows))...)
}

// try makes the trials of an experiment: at least one, unless it is skipped, and none after one that failed.
func (o options) try(b *bench, e experiment, end time.Time) *row {
	r := &row{experiment: e, outcomes: map[string]int{}, first: map[string]int{}}
	try, err := e.start(b)
	if reason, is := errors.AsType[skip](err); is {
		r.skipped = reason
		return r
	}
	if err != nil {
		r.failed = fmt.Errorf("%s cannot begin: %w", e.name, err)
		return r
	}
	from, to := 0, o.times
	if o.only >= 0 {
		from, to = o.only, o.only+1
	}
	for i := from; i < to || to == 0 && (i == 0 || time.Now().Before(end)); i++ {
		name := fnv.New64a()
		_, _ = name.Write([]byte(e.name))
		outcome, err := try(rand.New(rand.NewPCG(o.seed, name.Sum64()+uint64(i))))
		r.tried++
		if err != nil {
			r.failed = fmt.Errorf("%s: %w\nagain: go run ./internal/torture -what %s -seed %d -trial %d", e.name, err,
				e.name, o.seed, i)
			return r
		}
		if r.outcomes[outcome]++; r.outcomes[outcome] == 1 {
			r.first[outcome] = i
		}
	}
	return r
}

// table prints what was tried.
func table(w io.Writer, rows []*row) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "EXPERIMENT\tTRIED\tHELD\tCAME OF IT (FIRST IN)")
	for _, r := range rows {
		held := "yes"
		if r.failed != nil {
			held = "NO"
		} else if r.skipped != nil {
			held = "skipped: " + r.skipped.Error()
		}
		var outcomes []string
		for outcome, n := range r.outcomes {
			outcomes = append(outcomes, fmt.Sprintf("%s %d (trial %d)", outcome, n, r.first[outcome]))
		}
		slices.Sort(outcomes)
		fmt.Fprintf(t, "%s\t%d\t%s\t%s\n", r.name, r.tried, held, strings.Join(outcomes, ", "))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, r := range rows {
		if _, err := fmt.Fprintf(w, "\n%s: %s.\n  What must hold: %s.\n", r.name, r.experiment.tried, r.holds); err != nil {
			return err
		}
	}
	return nil
}

// moduleRoot is the directory of the module.
func moduleRoot() (string, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return "", fmt.Errorf("looking for the module: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}
