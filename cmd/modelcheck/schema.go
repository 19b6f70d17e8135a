package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/seed-a3f26817/modelcheck/internal/scenario"
)

// schema is the subcommand that prints the schema of Scenario files.
func (c command) schema() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON schema of Scenario files",
		Long: `schema prints the JSON schema of Scenario files, for editors that complete and check YAML.
docs/scenarios.md says what the fields mean.`,
		Example: `  modelcheck schema > scenario.schema.json`,
		Args:    noArguments("schema"),
		RunE: func(*cobra.Command, []string) error {
			if _, err := c.stdout.Write(scenario.Schema()); err != nil {
				return fmt.Errorf("writing the schema: %w", err)
			}
			return nil
		},
	}
}
