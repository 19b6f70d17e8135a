package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/printable"
)

// What was measured of the built-in themes with 3 nodes and 5 pods (docs/scale.md): a state takes so much of a core
// and leads to so many distinct decisions, and a shard takes so long before it explores anything, for its
// estimates.
const (
	perState          = 58 * time.Microsecond
	decisionsPerState = 0.27
	perShard          = 800 * time.Millisecond
)

// plan is the subcommand that says what shards would take.
func (c command) plan() *cobra.Command {
	o := &options{outputs: []string{"text"}}
	of := 1
	cmd := &cobra.Command{
		Use:   "plan --of N [flags]",
		Short: "Estimate how long a scope takes in N shards",
		Long: `plan estimates, before anything is explored, what N shards of a scope take: states, decisions, CPU
time, and the time until the last shard is done. The numbers of states are upper estimates, as in the
check that a scope fits into memory: somewhat too high for most themes, and several times too high for
--thorough. Times are those of the machine that docs/scale.md names.`,
		Example: `  modelcheck plan --thorough --of 100`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage("unexpected argument %q: manifests are given as -f %s", args[0], args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.parsed(cmd.Flags())
			if of < 1 || of > maxShards {
				return usage("--of is %d: it must be the number of shards, from 1 to %d", of, maxShards)
			}
			if err := o.validate(); err != nil {
				return err
			}
			c.progress.begin(readingFiles(o.files))
			in, err := o.input(c.stdin)
			if err != nil {
				return err
			}
			model, err := in.model(o)
			if err != nil {
				return err
			}
			c.progress.begin(estimating())
			plan, err := in.plan(decisions.Options{Spec: model, MaxStates: o.maxStates, MaxDepth: o.maxDepth}, 0, true)
			if err != nil {
				return err
			}
			shares := decisions.Deal(plan.Options.Chunks, of) // by the estimates that shards go by
			if err := plan.Refine(); err != nil {
				return err
			}
			if _, err := fmt.Fprint(c.stdout, printable.Escape(planned(plan, shares))); err != nil {
				return fmt.Errorf("writing the plan: %w", err)
			}
			return nil
		},
	}
	o.someFlags(cmd.Flags(), scopeFlags()...)
	cmd.Flags().IntVar(&of, "of", 1, "Split the scope into `N` shards.")
	return cmd
}

// planned says what shards with these shares take, each on one core.
func planned(p *decisions.Plan, shares [][]int) string {
	chunks := p.Options.Chunks
	n := len(shares)
	var text strings.Builder
	count := make([]int, len(p.Scenarios))
	largest := make([]float64, len(p.Scenarios))
	most := 0
	for i := range chunks {
		chunk := &chunks[i]
		count[chunk.Scenario]++
		largest[chunk.Scenario] = max(largest[chunk.Scenario], chunk.States)
		if chunk.States > chunks[most].States {
			most = i
		}
	}
	width := len("total")
	for _, s := range p.Scenarios {
		width = max(width, len(s.Name))
	}
	row := func(name, chunks, states, largest string) {
		fmt.Fprintf(&text, "%-*s  %8s  %10s  %12s\n", width, name, chunks, states, largest)
	}
	total := 0.0
	row("theme", "chunks", "states", "largest chunk")
	for i, s := range p.Scenarios {
		row(s.Name, fmt.Sprint(count[i]), about(p.States[i]), about(largest[i]))
		total += p.States[i]
	}
	row("total", fmt.Sprint(len(chunks)), about(total), about(chunks[most].States))
	last, idle := 0.0, 0
	for _, share := range shares {
		states := 0.0
		for _, i := range share {
			states += chunks[i].States
		}
		if last = max(last, states); len(share) == 0 {
			idle++
		}
	}
	all := total*perState.Seconds() + float64(n)*perShard.Seconds()
	wall := last*perState.Seconds() + perShard.Seconds()
	fmt.Fprintf(&text, "\nabout %s distinct decisions, and %s core hours, %s of them to start shards\n",
		about(total*decisionsPerState), about(all/3600), about(float64(n)*perShard.Seconds()/3600))
	if n == 1 {
		fmt.Fprintf(&text, "with 1 shard of one core it is done after about %s; --of N tells of N\n", seconds(wall))
		return text.String()
	}
	fmt.Fprintf(&text, "with %d shards of one core each, the last is done after about %s, against %s with one core "+
		"alone: %.1f "+"times as fast\n", n, seconds(wall), seconds(total*perState.Seconds()),
		total*perState.Seconds()/wall)
	fmt.Fprintf(&text, "no number of shards is done before the largest chunk, %s, after about %s\n",
		chunks[most].Name(p.Scenarios), seconds(chunks[most].States*perState.Seconds()+perShard.Seconds()))
	if idle > 0 {
		fmt.Fprintf(&text, "%d of the shards would have nothing to do: the scope has no more chunks\n", idle)
	}
	return text.String()
}

// about writes an estimate, with two digits or three.
func about(n float64) string {
	units := []string{"", "k", "M", "G", "T", "P"}
	unit := 0
	for n >= 1000 && unit < len(units)-1 {
		n, unit = n/1000, unit+1
	}
	return fmt.Sprintf("%.3g%s", n, units[unit])
}

// seconds writes an estimate of a time.
func seconds(n float64) string {
	switch {
	case n < 600:
		return fmt.Sprintf("%.3g s", n)
	case n < 36_000:
		return fmt.Sprintf("%.3g min", n/60)
	default:
		return about(n/3600) + " h"
	}
}
