package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// completeFlags lets shells complete the values of flags that take one of a few words, of the command and its
// subcommands.
func completeFlags(cmd *cobra.Command) {
	themes := scenario.ThemeNames()
	outputs := runOutputs()
	if cmd.HasParent() && cmd.Name() != "random" && cmd.Name() != "merge" {
		outputs = documentOutputs()
	}
	if cmd.Name() == "loop" {
		themes = scenario.LoopThemeNames()
	}
	var readings, checks, kinds []string
	for _, reading := range spec.Readings() {
		readings = append(readings, string(reading))
	}
	for _, p := range invariants.Optional() {
		checks = append(checks, p.Name)
	}
	for _, kind := range loop.EventTypes() {
		kinds = append(kinds, string(kind))
	}
	for flag, values := range map[string][]string{
		"theme": themes, "output": outputs, "reading": readings, "check": checks, "happens": kinds,
		"symmetry": {"on", "off"},
	} {
		if cmd.Flags().Lookup(flag) == nil {
			continue
		}
		if err := cmd.RegisterFlagCompletionFunc(flag,
			cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)); err != nil {
			panic(fmt.Sprintf("modelcheck: completing --%s: %v", flag, err)) // it is ours
		}
	}
	for _, sub := range cmd.Commands() {
		completeFlags(sub)
	}
}
