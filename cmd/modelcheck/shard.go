package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/job"
	"github.com/seed-a3f26817/modelcheck/internal/printable"
)

// The environment that a shard reads what it has no flags for: the first is set by an Indexed Job, the second by
// the manifests of modelcheck job.
const (
	indexVariable = "JOB_COMPLETION_INDEX"
	ofVariable    = job.ShardsVariable
)

// maxShards is the largest number of shards: kube-apiserver takes no more completions where backoffLimitPerIndex is
// set.
const maxShards = 100_000

// shard is the subcommand that explores one of several shards of a run.
func (c command) shard(done func(decisions.Verdict)) *cobra.Command {
	o := &options{outputs: []string{"text"}}
	index, of := 0, 0
	cmd := &cobra.Command{
		Use:   "shard --index I --of N --results DIR [flags]",
		Short: "Explore one of N shards of a scope, and keep the results for modelcheck merge",
		Long: `shard explores one of N shards of a scope and keeps the results in a directory that all shards share.
modelcheck merge then prints the report that a single run with the same flags prints.

The clusters of a theme are split by their node templates into chunks of about 20000 states, as far as
possible. The chunks depend on the scope alone; which of them a shard has depends on the scope, its
index and N. A chunk that is kept already is not explored again: run a shard again if it was stopped.

--index and --of default to $JOB_COMPLETION_INDEX and $MODELCHECK_SHARDS.

Exit codes: 0 every chunk of the shard is kept; 1 likewise, and something is violated that nothing
known explains; 2 wrong usage or input; 3 not every chunk is kept: an interrupt, or too little memory;
4 modelcheck failed.`,
		Example: `  modelcheck shard --index 0 --of 2 --results DIR --thorough
  modelcheck shard --index 1 --of 2 --results DIR --thorough
  modelcheck merge DIR`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage("unexpected argument %q: manifests are given as -f %s", args[0], args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.parsed(cmd.Flags())
			if err := fromEnvironment(cmd.Flags(), "index", indexVariable, &index); err != nil {
				return err
			}
			if err := fromEnvironment(cmd.Flags(), "of", ofVariable, &of); err != nil {
				return err
			}
			switch {
			case of < 1 || of > maxShards:
				return usage("--of is %d: it must be the number of shards, from 1 to %d", of, maxShards)
			case index < 0 || index >= of:
				return usage("--index is %d: of %d shards it must be one from 0 to %d", index, of, of-1)
			case o.results == "":
				return usage("--results is missing: it is the directory in which all shards keep their results")
			case slices.Contains(o.files, "-"):
				return usage("-f -: modelcheck merge could not read it again; give a file")
			}
			verdict, err := c.explore(cmd.Context(), o, index, of)
			if err == nil {
				done(verdict)
			}
			return err
		},
	}
	o.someFlags(cmd.Flags(), append(scopeFlags(), "workers", "memory", "results", "key-file", "quiet")...)
	cmd.Flags().IntVar(&index, "index", 0,
		"Explore the shard with this `index`, from 0. The default is $"+indexVariable+".")
	cmd.Flags().IntVar(&of, "of", 0, "Split the scope into `N` shards. The default is $"+ofVariable+".")
	return cmd
}

// fromEnvironment takes a number from the environment if its flag is not given.
func fromEnvironment(flags *pflag.FlagSet, flag, variable string, value *int) error {
	if flags.Changed(flag) {
		return nil
	}
	text, set := os.LookupEnv(variable)
	if !set {
		return usage("--%s is missing, and so is %s in the environment, as an Indexed Job of modelcheck job sets it",
			flag, variable)
	}
	number, err := strconv.Atoi(text)
	if err != nil {
		return usage("%s is %q in the environment: it must be a number; or give --%s", variable, text, flag)
	}
	*value = number
	return nil
}

// explore explores a shard and says what was done.
func (c command) explore(ctx context.Context, o *options, index, of int) (decisions.Verdict, error) {
	if err := o.validate(); err != nil {
		return 0, err
	}
	p, err := c.prepare(ctx, o)
	if err != nil {
		return 0, err
	}
	chunks := decisions.Deal(p.Options.Chunks, of)[index]
	p.progress.begin(reading(o.results))
	if _, err := p.dir.Check(chunks); err != nil {
		return 0, usageError{err}
	}
	defer p.limitMemory()()
	p.progress.begin(estimating())
	shard, err := p.Explore(ctx, chunks)
	if err != nil {
		return 0, err
	}
	return shard.Verdict(len(chunks)), c.printShard(p, o, shard, chunks, index, of)
}

func (c command) printShard(p *prepared, o *options, s *decisions.Shard, chunks []int, index, of int) error {
	var text strings.Builder
	fmt.Fprintf(&text, "shard %d of %d: %d of the %d chunks of the scope; %d of them are kept in %s\n", index, of,
		len(chunks), len(p.Options.Chunks), s.Chunks, o.results)
	fmt.Fprintf(&text, "%d states, %d transitions, %d distinct decisions\n", s.Distinct, s.Generated, s.Asked)
	for _, i := range chunks {
		if reason, stopped := s.Stopped[i]; stopped {
			fmt.Fprintf(&text, "%s: stopped (%s)\n", p.Options.Chunks[i].Name(p.Scenarios), reason)
		}
	}
	for _, id := range s.New {
		fmt.Fprintf(&text, "violated: %s; modelcheck merge shows it\n", id)
	}
	if _, err := fmt.Fprint(c.stdout, printable.Escape(text.String())); err != nil {
		return fmt.Errorf("writing what was done: %w", err)
	}
	return nil
}
