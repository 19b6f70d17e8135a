package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/seed-a3f26817/modelcheck/museum"
	"github.com/seed-a3f26817/modelcheck/production"
)

// museum is the subcommand that lists the known defects of kube-scheduler.
func (c command) museum() *cobra.Command {
	return &cobra.Command{
		Use:     "museum",
		Short:   "List the known defects of kube-scheduler, and how to repeat and to find each",
		Example: "  modelcheck museum",
		Args:    noArguments("museum"),
		RunE: func(*cobra.Command, []string) error {
			if err := museum.Text(c.stdout, production.KubernetesVersion); err != nil {
				return fmt.Errorf("writing the list of defects: %w", err)
			}
			return nil
		},
	}
}
