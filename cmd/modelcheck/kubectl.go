package main

import (
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
)

// calledByKubectl reports whether the command is called by the name of a plugin of kubectl: kubectl modelcheck runs
// kubectl-modelcheck.
func calledByKubectl(name string) bool {
	return strings.TrimSuffix(filepath.Base(name), ".exe") == "kubectl-modelcheck"
}

// called is the command's name where an example calls it.
var called = regexp.MustCompile(`(?m)(^\s*|\| )modelcheck\b`)

// nameAsPlugin has the usage and the examples of the command and its subcommands say kubectl modelcheck.
func nameAsPlugin(cmd *cobra.Command) {
	if !cmd.HasParent() {
		cmd.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl modelcheck"}
	}
	cmd.Example = called.ReplaceAllString(cmd.Example, "${1}kubectl modelcheck")
	for _, sub := range cmd.Commands() {
		nameAsPlugin(sub)
	}
}
