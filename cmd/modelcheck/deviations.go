package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/seed-a3f26817/modelcheck/internal/deviations"
	"github.com/seed-a3f26817/modelcheck/internal/production"
)

// deviations is the subcommand that lists the known defects of kube-scheduler.
func (c command) deviations() *cobra.Command {
	return &cobra.Command{
		Use:        "deviations",
		SuggestFor: []string{"museum"},
		Short:      "List the known defects of kube-scheduler, and how to repeat and to find each",
		Example:    "  modelcheck deviations",
		Args:       noArguments("deviations"),
		RunE: func(*cobra.Command, []string) error {
			if err := deviations.Text(c.stdout, production.KubernetesVersion); err != nil {
				return fmt.Errorf("writing the list of defects: %w", err)
			}
			return nil
		},
	}
}
