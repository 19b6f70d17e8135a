package main

import (
	"cmp"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
	"github.com/seed-a3f26817/modelcheck/model"
)

// themes is the subcommand that lists the built-in themes.
func (c command) themes() *cobra.Command {
	thorough, ofLoop := false, false
	cmd := &cobra.Command{
		Use:   "themes",
		Short: "List the built-in themes: the node and pod templates that clusters are drawn from",
		Example: `  modelcheck themes
  modelcheck themes --thorough
  modelcheck themes --loop`,
		Args: noArguments("themes"),
		RunE: func(*cobra.Command, []string) error {
			switch {
			case ofLoop && thorough:
				return usage("--thorough does not go with --loop: a thorough run of modelcheck loop has the same templates; " +
					"leave one of them out")
			case ofLoop:
				return listLoopThemes(c.stdout)
			}
			return listThemes(c.stdout, thorough)
		},
	}
	cmd.Flags().BoolVar(&thorough, "thorough", false, "List the node and pod templates of a run with --thorough.")
	cmd.Flags().BoolVar(&ofLoop, "loop", false, "List the themes of modelcheck loop.")
	return cmd
}

// listThemes prints the built-in themes with their templates.
func listThemes(w io.Writer, thorough bool) error {
	for _, name := range scenario.ThemeNames() {
		theme, err := theme(thorough)(name, 1, model.Actions{}, admission.Admit)
		if err != nil {
			return err
		}
		var nodes, pods []string
		for i := range theme.Nodes {
			nodes = append(nodes, theme.Nodes[i].Name)
		}
		for i := range theme.Pods {
			pods = append(pods, theme.Pods[i].Name)
		}
		if _, err := fmt.Fprintf(w, "%s\n  %s\n  nodes: %s\n  pods:  %s\n", name, theme.Doc, strings.Join(nodes, ", "),
			strings.Join(pods, ", ")); err != nil {
			return fmt.Errorf("writing the list of themes: %w", err)
		}
	}
	return nil
}

// theme returns the function that makes themes.
func theme(thorough bool) func(string, int, model.Actions, scenario.Admission) (*model.Scenario, error) {
	if thorough {
		return scenario.ThoroughTheme
	}
	return scenario.Theme
}

// themeNames returns the themes that are asked for, each once, all if none is.
func themeNames(asked []string) ([]string, error) {
	known := scenario.ThemeNames()
	if len(asked) == 0 {
		return known, nil
	}
	var names []string
	for _, name := range asked {
		if !slices.Contains(known, name) {
			hint := ""
			if near := nearest(name, known); near != "" {
				hint = fmt.Sprintf("; did you mean %s?", near)
			}
			return nil, usage("--theme: no theme is called %q%s (themes: %s)", name, hint, strings.Join(known, ", "))
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names, nil
}

// themeScenarios returns the scenarios of themes, for each profile.
func themeScenarios(names []string, thorough bool, nodes int, actions model.Actions,
	profiles []string) ([]*model.Scenario, error) {
	return scenario.ForProfiles(profiles, func() ([]*model.Scenario, error) {
		scenarios, errs := make([]*model.Scenario, len(names)), make([]error, len(names))
		var group errgroup.Group
		group.SetLimit(runtime.GOMAXPROCS(0))
		for i, name := range names {
			group.Go(func() error {
				scenarios[i], errs[i] = theme(thorough)(name, nodes, actions, admission.Admit)
				return nil
			})
		}
		_ = group.Wait() // it has no errors of its own
		if err := cmp.Or(errs...); err != nil {
			return nil, err
		}
		return scenarios, nil
	})
}
