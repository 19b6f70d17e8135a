package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-a3f26817/modelcheck/internal/report"
)

// conformance is the subcommand that puts reports side by side.
func (c command) conformance() *cobra.Command {
	return &cobra.Command{
		Use:     "conformance REPORT.json...",
		Short:   "Count in reports of -o json how often each plugin was compared with the model",
		Example: "  modelcheck conformance default.json random.json thorough.json",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("conformance takes reports that modelcheck -o json wrote: give at least one file")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, files []string) error {
			var names []string
			var reports []*report.Document
			for _, file := range files {
				c.progress.begin(reading(file))
				data, err := os.ReadFile(file)
				if err != nil {
					return usage("%w", err)
				}
				d, err := report.ReadDocument(data)
				if err != nil {
					return usage("%s: %w", file, err)
				}
				names, reports = append(names, strings.TrimSuffix(filepath.Base(file), ".json")), append(reports, d)
			}
			if err := report.Conformance(c.stdout, names, reports); err != nil {
				return fmt.Errorf("writing the tables: %w", err)
			}
			return nil
		},
	}
}
