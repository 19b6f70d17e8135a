package main

import (
	"context"
	"errors"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/reference"
	"github.com/seed-a3f26817/modelcheck/internal/report"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// referenceOptions are the flags of the subcommand reference.
type referenceOptions struct {
	// given reports whether a flag is on the command line.
	given         func(flag string) bool
	symmetry      string
	goals         []string
	workers       int
	memory        string
	maxStates     int64
	maxDepth      int
	checkpoint    string
	every         time.Duration
	resume        bool
	simulate      int64
	seed          uint64
	strict, quiet bool
	output        string
}

// reference is the subcommand that explores the formal model alone. done gets the verdict when it has been reported.
func (c command) reference(done func(decisions.Verdict)) *cobra.Command {
	o := &referenceOptions{}
	cmd := &cobra.Command{
		Use:        "reference FILE|-...",
		SuggestFor: []string{"formal"},
		Short:      "Explore the formal model alone, in the literal reading, without kube-scheduler",
		Long: `reference explores every state of the formal model as it was first written, cut down to cpu, taints,
labels and priorities, so that other model checkers can run the same (docs/reference-model.md). kube-scheduler
is not asked. Each FILE is a configuration in JSON:

  {"name": "two",
   "nodes": [{"cap": 4, "taints": ["gpu"], "labels": ["ssd"]}],
   "pods":  [{"req": 2, "prio": 1, "tol": ["gpu"], "sel": ["ssd"]}],
   "complete": "churn"}

complete says what may become of bound pods: unbound (a bound pod may become unbound), done (it may
leave for good), both (either), churn (it may leave, and come back unbound) or none.

Exit codes are those of modelcheck.`,
		Example: `  modelcheck reference testdata/configurations/H4.json
  modelcheck reference testdata/configurations/S3.json --symmetry off
  modelcheck reference testdata/configurations/H2.json --symmetry off --goal p5@n1,p4@unbound`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("reference wants the file of a configuration, or - for stdin; see modelcheck reference " +
					"--help")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.given = cmd.Flags().Changed
			run, err := c.exploreReference(cmd.Context(), o, args)
			if err != nil {
				return err
			}
			done(run.Verdict())
			return writeAs(c.stdout, o.output, "report", run, report.ReferenceText, report.ReferenceJSON)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&o.symmetry, "symmetry", "on",
		"on: states that differ in the names of nodes and pods that are alike are one; off: names are kept")
	f.StringArrayVar(
		&o.goals,
		"goal",
		nil,
		"show a shortest way to a state in which pods are at `PLACES`, such as p1@n2,p3@unbound,p4@left; may be "+
			"repeated; without symmetry",
	)
	f.IntVar(&o.workers, "workers", 0, "explore with `N` workers (default one per core)")
	f.StringVar(
		&o.memory,
		"memory",
		"",
		"take at most about this much memory, a `quantity` such as 4Gi (default 3/4 of the machine's)",
	)
	f.Int64Var(&o.maxStates, "max-states", 0, "stop after about `N` states (default no limit)")
	f.IntVar(&o.maxDepth, "max-depth", 0, "stop at `N` levels of states (default no limit)")
	f.StringVar(
		&o.checkpoint,
		"checkpoint",
		"",
		"keep the run in this `directory`, to go on with it later; states for which there is no memory go there too",
	)
	f.DurationVar(
		&o.every,
		"checkpoint-every",
		5*time.Minute,
		"bring the checkpoint up to date after this `time`; also when the run ends or is interrupted",
	)
	f.BoolVar(&o.resume, "resume", false, "go on with the checkpoint, or begin if there is none yet")
	f.Int64Var(
		&o.simulate,
		"simulate",
		0,
		"follow `N` behaviours at random instead of exploring every state, each of at most --max-depth levels, or 1000",
	)
	f.Uint64Var(&o.seed, "seed", 1, "follow the behaviours of this `seed`")
	f.BoolVar(&o.strict, "strict", false,
		"let a deadlock fail: a state in which nothing can happen although pods are unbound")
	f.StringVarP(&o.output, "output", "o", "text", "print "+strings.Join(documentOutputs(), ", "))
	f.BoolVar(&o.quiet, "quiet", false, "print no progress on stderr")
	return cmd
}

func (o *referenceOptions) validate() error {
	if o.symmetry != "on" && o.symmetry != "off" {
		return usage("--symmetry is %q: it must be on or off", o.symmetry)
	}
	if len(o.goals) > 0 && o.symmetry == "on" {
		return usage("--goal names nodes and pods, which have no names with symmetry; add --symmetry off")
	}
	if err := validOutput(o.output, documentOutputs()); err != nil {
		return err
	}
	if o.checkpoint == "" && o.resume {
		return usage("--resume goes on with a checkpoint; say where it is with --checkpoint")
	}
	if o.checkpoint != "" && o.simulate > 0 {
		return usage("--checkpoint does not go with --simulate, which keeps no states")
	}
	if o.every <= 0 {
		return usage("--checkpoint-every is %s: it must be more than 0", o.every)
	}
	switch {
	case o.given("checkpoint-every") && o.checkpoint == "":
		return usage("--checkpoint-every is for a checkpoint; say where it is with --checkpoint")
	case o.given("simulate") && o.simulate == 0:
		return usage("--simulate is 0: it must be at least 1")
	case o.given("seed") && o.simulate == 0:
		return usage("--seed is for behaviours that are followed at random; add --simulate N")
	}
	for _, flag := range []string{"max-states", "memory"} {
		if o.given(flag) && o.simulate > 0 {
			return usage("--%s is for exploring every state; leave it out, or leave out --simulate", flag)
		}
	}
	for _, bound := range []struct {
		flag        string
		value, most int64
	}{{"workers", int64(o.workers), maxWorkers}, {"max-states", o.maxStates, 1 << 62},
		{"max-depth", int64(o.maxDepth), 1 << 30}, {"simulate", o.simulate, 1 << 40}} {
		if bound.value < 0 || bound.value > bound.most {
			return usage("--%s is %d: it must be from 0 to %d", bound.flag, bound.value, bound.most)
		}
	}
	return nil
}

// steps is the number of steps of a behaviour: one less than the levels of states it goes through.
func (o *referenceOptions) steps() int {
	if o.maxDepth == 0 {
		return 1000 - 1
	}
	return o.maxDepth - 1
}

// exploreReference explores the configurations one after the other.
func (c command) exploreReference(ctx context.Context, o *referenceOptions, files []string) (*report.Reference, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	if o.checkpoint != "" && len(files) > 1 {
		return nil, usage("--checkpoint is for one configuration; give each a directory of its own")
	}
	memory, err := (&options{memory: o.memory}).memoryLimit()
	if err != nil {
		return nil, err
	}
	if o.workers == 0 {
		o.workers = runtime.GOMAXPROCS(0)
	}
	var models []*reference.Model
	var checkpoint *checker.Checkpoint
	progress := c.progress.hush(o.quiet)
	for _, file := range files {
		progress.begin(readingFiles([]string{file}))
		m, configuration, err := c.referenceModel(o, file)
		if err != nil {
			return nil, err
		}
		models = append(models, m)
		if checkpoint, err = o.checkpointOf(configuration, progress); err != nil {
			return nil, err
		}
	}
	// Garbage is collected in time: the tables that are left behind when they grow are as large as the states.
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(memory))
	run := &report.Reference{Strict: o.strict, Workers: o.workers}
	began := time.Now()
	progress.begin(exploring())
	for i, m := range models {
		begun := time.Now()
		explored := report.ReferenceExplored{Model: m, Symmetry: o.symmetry == "on", Goals: o.goals}
		if o.simulate > 0 {
			explored.Simulation, err = reference.Simulate(ctx, m, checker.SimulateOptions{
				Seed: o.seed, Walks: o.simulate, Depth: max(1, o.steps()), Workers: o.workers,
			})
			if err != nil {
				return nil, err
			}
			explored.Elapsed = time.Since(begun)
			run.Explored = append(run.Explored, explored)
			continue
		}
		explored.Result, err = reference.Check(ctx, m, checker.Options{
			Workers: o.workers, MaxStates: o.maxStates, MaxDepth: o.maxDepth,
			Memory:        max(1, memory/referenceStatesShare),
			ProgressEvery: progress.every,
			Progress:      func(p checker.Progress) { progress.showReference(m.Scenario.Name, i+1, len(models), p) },
			Checkpoint:    checkpoint,
		})
		if refused, ok := errors.AsType[*checker.CheckpointError](err); ok {
			return nil, usage("--checkpoint: %w", refused)
		}
		if err != nil {
			return nil, err
		}
		explored.Elapsed = time.Since(begun)
		run.Explored = append(run.Explored, explored)
	}
	progress.begin(writing("the report"))
	run.Elapsed = time.Since(began)
	return run, nil
}

// referenceModel reads a configuration and makes the model of it.
func (c command) referenceModel(o *referenceOptions, file string) (*reference.Model, *reference.Configuration, error) {
	var input io.Reader = c.stdin
	if file != "-" {
		opened, err := os.Open(file)
		if err != nil {
			return nil, nil, usage("%w", err)
		}
		defer opened.Close()
		input = opened
	}
	configuration, err := reference.ReadConfiguration(input, scenario.Source{File: file}.String())
	if err != nil {
		return nil, nil, usageError{err}
	}
	s, actions := configuration.Scenario()
	m, err := reference.New(s, spec.NewReference(), actions, o.symmetry == "on")
	if err != nil {
		return nil, nil, usage("%s: %w", scenario.Source{File: file}, err)
	}
	for _, goal := range o.goals {
		if err := m.AddGoal(goal); err != nil {
			return nil, nil, usage("--goal %s: %w", goal, err)
		}
	}
	return m, configuration, nil
}
