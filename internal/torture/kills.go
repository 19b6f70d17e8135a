package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"time"
)

// killed is a sort of run that is killed again and again.
type killed struct {
	name  string
	holds string
	// first are the runs that nobody kills, runs those that are killed, of which one is drawn each time, and report
	// prints what is compared. All are given the directory in which they keep what they have.
	first, runs func(dir string) [][]string
	report      func(dir string) []string
}

const sameReport = "in the end the report has the bytes of a run that nobody killed"

func kills() []experiment {
	reference := func(memory string) func(dir string) []string {
		return func(dir string) []string {
			return []string{"reference", "testdata/configurations/H4.json", "--symmetry", "off", "-o", "json",
				"--quiet", "--memory", memory, "--checkpoint", dir, "--checkpoint-every", "20ms", "--resume"}
		}
	}
	one := func(args func(dir string) []string) func(dir string) [][]string {
		return func(dir string) [][]string { return [][]string{args(dir)} }
	}
	scope := []string{"--theme", "podaffinity", "--theme", "taints", "--nodes", "3", "--pods", "3", "--quiet"}
	alone := func(dir string) []string {
		return append([]string{"-o", "json", "--results", dir}, scope...)
	}
	merge := func(dir string) []string { return []string{"merge", dir, "-o", "json", "--quiet"} }
	shards := func(dir string) (all [][]string) {
		for i := range 3 {
			all = append(all, append([]string{"shard", "--index", fmt.Sprint(i), "--of", "3", "--results", dir}, scope...))
		}
		return all
	}
	loop := func(string) []string {
		return []string{"loop", "--theme", "podaffinity", "--events", "1", "-o", "json", "--quiet"}
	}
	var made []experiment
	none := func(string) [][]string { return nil }
	for _, k := range []killed{
		{"kill-reference", sameReport, none, one(reference("1Gi")), reference("1Gi")},
		{"kill-reference-disk", sameReport, none, one(reference("1Mi")), reference("1Mi")},
		{"kill-run", sameReport, none, one(alone), alone},
		{"kill-shards", "merge prints the bytes of shards that nobody killed", none, shards, merge},
		{"kill-merge", "merge prints the bytes of one that nobody killed", shards, one(merge), merge},
		{"kill-loop", "run again it prints the same bytes", none, one(loop), loop},
	} {
		made = append(made, experiment{
			k.name, "a run is killed (kill -9) at a random moment and begun again", k.holds, k.start,
		})
	}
	return made
}

// start makes a run that nobody kills. A trial is one that is killed, in the directory of those before it. When one has
// ended before that, or ten have died, the run is brought to its end and the report compared.
func (k killed) start(b *bench) (trial, error) {
	dir := b.fresh()
	if err := all(b, k.first(dir)); err != nil {
		return nil, err
	}
	begun := time.Now()
	if err := all(b, k.runs(dir)); err != nil {
		return nil, err
	}
	takes := time.Since(begun) / time.Duration(len(k.runs(dir)))
	want, err := b.run(0, k.report(dir)...)
	if err != nil {
		return nil, err
	}
	if want.code > 1 {
		return nil, fmt.Errorf("%v ends with %d: %s", k.report(dir), want.code, want.stderr)
	}
	dir = ""
	died := 0
	return func(draw *rand.Rand) (string, error) {
		if dir == "" {
			dir, died = b.fresh(), 0
			if err := all(b, k.first(dir)); err != nil {
				return "", err
			}
		}
		runs := k.runs(dir)
		run, err := b.run(1+time.Duration(draw.Int64N(int64(takes))), runs[draw.IntN(len(runs))]...)
		if err != nil {
			return "", err
		}
		outcome := "ended before"
		if run.killed {
			outcome = "killed"
			died++
		} else if run.code != want.code {
			return "", fmt.Errorf("exit code %d after %d kills: %s", run.code, died, cut(run.stderr))
		}
		if run.killed && died < 10 {
			return outcome, nil
		}
		if err := k.ends(b, dir, want); err != nil {
			return "", fmt.Errorf("after %d kills: %w", died, err)
		}
		dir = ""
		return outcome, nil
	}, nil
}

// ends brings the runs to their end and compares the report.
func (k killed) ends(b *bench, dir string, want *ended) error {
	defer os.RemoveAll(dir)
	if err := all(b, k.runs(dir)); err != nil {
		return err
	}
	got, err := b.run(0, k.report(dir)...)
	if err != nil {
		return err
	}
	return got.same(want)
}

// all makes the runs, one after the other.
func all(b *bench, runs [][]string) error {
	for _, args := range runs {
		if run, err := b.run(0, args...); err != nil {
			return err
		} else if run.code > 1 {
			return fmt.Errorf("%v ends with %d: %s", args, run.code, cut(run.stderr))
		}
	}
	return nil
}
