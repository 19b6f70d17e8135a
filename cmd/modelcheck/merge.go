package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/results"
)

// unfinishedError is that what is asked for cannot be said yet.
type unfinishedError struct{ error }

func (e unfinishedError) Unwrap() error { return e.error }

// merge is the subcommand that puts shards together.
func (c command) merge(done func(decisions.Verdict)) *cobra.Command {
	o := &options{outputs: runOutputs()}
	cmd := &cobra.Command{
		Use:   "merge DIR [flags]",
		Short: "Merge the results of shards into the report of a single run",
		Long: `merge reads the directory in which the shards of a run keep their results, and prints the report that
a single run with the same flags prints; for any number of shards it differs in times only. Nothing is
explored again, except that with --liveness infinite behaviours are searched for now; kube-scheduler is
asked again about the decisions that are shown.

If results are missing, damaged, there twice or of another run, they are named, and there is no report.
With --partial, the report is about the results that are there, and names what is missing.

Digests tell damage, not forgery. Where others can write into the directory, give shards and merge the
same --key-file: then what is not signed with that key is refused.

Exit codes: 0 holds, 1 violated, 2 wrong usage or results, 3 not finished or not all there, 4 modelcheck
failed.`,
		Example: `  modelcheck merge DIR
  modelcheck merge DIR --partial -o json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage("want one argument, the directory of --results; there are %d", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			whole, err := o.ofRun(args[0])
			if err != nil {
				return err
			}
			return c.report(cmd.Context(), whole, done)
		},
	}
	o.someFlags(cmd.Flags(), "output", "verbose", "show", "strict", "minimise", "save", "html", "workers", "memory",
		"key-file", "quiet")
	cmd.Flags().BoolVar(&o.partial, "partial", false, "Report what is there even if some results are missing.")
	return cmd
}

// ofRun returns the options of the run that the directory is of, with those of the report that are given here.
func (o *options) ofRun(dir string) (*options, error) {
	key, err := o.key()
	if err != nil {
		return nil, err
	}
	run, err := results.ReadRun(dir, key)
	if err != nil {
		return nil, usageError{err}
	}
	whole := &options{outputs: o.outputs, merge: true, partial: o.partial}
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	whole.flags(flags)
	if err := flags.Parse(run.Flags); err != nil {
		return nil, usage("%s: the flags of the run: %w; give another directory", dir, err)
	}
	whole.parsed(flags)
	whole.results, whole.keyFile = dir, o.keyFile
	whole.output, whole.strict, whole.minimise, whole.save, whole.html = o.output, o.strict, o.minimise, o.save, o.html
	whole.workers, whole.memory, whole.quiet = o.workers, o.memory, o.quiet
	whole.verbose, whole.show = o.verbose, o.show
	return whole, nil
}

// mayMiss refuses to put together what is not all there, or notes what is missing.
func (o *options) mayMiss(p *prepared, missing []int) error {
	if !o.merge || len(missing) == 0 {
		return nil
	}
	const shown = 10
	var names []string
	for _, i := range missing {
		names = append(names, p.Options.Chunks[i].Name(p.Scenarios))
	}
	list := strings.Join(names[:min(shown, len(names))], ", ")
	if more := len(names) - shown; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	if !o.partial {
		return unfinishedError{
			fmt.Errorf("%s: %d of %d chunks are missing: %s; run the shards again that have them, or see with "+
				"--partial what "+"there is", o.results, len(missing), len(p.Options.Chunks), list),
		}
	}
	p.in.notes = append(p.in.notes, fmt.Sprintf("%d of %d chunks are missing in %s, and nothing is said about them: %s",
		len(missing), len(p.Options.Chunks), o.results, list))
	return nil
}
