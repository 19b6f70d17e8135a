package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/seed-a3f26817/modelcheck/internal/deviations"
	"github.com/seed-a3f26817/modelcheck/internal/production"
)

// deviations is the subcommand that lists the known deviations of kube-scheduler.
func (c command) deviations() *cobra.Command {
	return &cobra.Command{
		Use:        "deviations",
		SuggestFor: []string{"museum"},
		Short:      "List the known deviations of kube-scheduler, and how to reproduce and find each",
		Example:    "  modelcheck deviations",
		Args:       noArguments("deviations"),
		RunE: func(*cobra.Command, []string) error {
			if err := deviations.Text(c.stdout, production.KubernetesVersion); err != nil {
				return fmt.Errorf("writing the list of deviations: %w", err)
			}
			return nil
		},
	}
}
