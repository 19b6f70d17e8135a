package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/seed-a3f26817/modelcheck/internal/deviations"
	"github.com/seed-a3f26817/modelcheck/internal/production"
)

// deviations is the subcommand that lists the deviations of kube-scheduler.
func (c command) deviations() *cobra.Command {
	return &cobra.Command{
		Use:   "deviations [NAME...]",
		Short: "List the known deviations of kube-scheduler, who says so, and how to reproduce and find each",
		Long: `List the known deviations of kube-scheduler with the class of each: reported, unconfirmed, documentation,
interpretation or by-design. Of those that are named, all that is known: the sentence that is not kept,
the cause, whom it hurts, whether it is security-sensitive, and how upstream was searched.`,
		Example:           "  modelcheck deviations\n  modelcheck deviations rwop-namespace",
		ValidArgsFunction: cobra.FixedCompletions(deviations.Names(), cobra.ShellCompDirectiveNoFileComp),
		RunE: func(_ *cobra.Command, names []string) error {
			for _, name := range names {
				if slices.Contains(deviations.Names(), name) {
					continue
				}
				hint := ""
				if near := nearest(name, deviations.Names()); near != "" {
					hint = fmt.Sprintf("; did you mean %s?", near)
				}
				return usage("no deviation is called %q%s; modelcheck deviations lists them", name, hint)
			}
			var err error
			if len(names) > 0 {
				err = deviations.TextOf(c.stdout, names)
			} else {
				err = deviations.Text(c.stdout, production.KubernetesVersion)
			}
			if err != nil {
				return fmt.Errorf("writing the list of deviations: %w", err)
			}
			return nil
		},
	}
}
