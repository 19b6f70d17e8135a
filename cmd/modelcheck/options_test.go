package main

import (
	"slices"
	"testing"

	"github.com/spf13/pflag"
)

// TestEveryFlagIsOfTheScopeOrNot: a flag that is left out of the scope is not kept with --results, and unknown to
// shard, plan, job and serve.
func TestEveryFlagIsOfTheScopeOrNot(t *testing.T) {
	elsewhere := []string{
		// what is found does not depend on them
		"workers", "memory", "results", "key-file", "strict", "output", "verbose",
		"show", "minimise", "save", "html", "quiet",
		// or, how much is found, but not in what is kept
		"budget", "seed",
	}
	o := &options{outputs: documentOutputs()}
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	o.flags(flags)
	flags.VisitAll(func(f *pflag.Flag) {
		if slices.Contains(elsewhere, f.Name) == slices.Contains(scopeFlags(), f.Name) {
			t.Errorf("--%s is in both of scopeFlags and the list of the others, or in neither", f.Name)
		}
	})
}
