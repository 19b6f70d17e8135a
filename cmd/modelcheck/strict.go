package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
)

// everyClass is what --strict stands for where it names no class.
const everyClass = "all"

// strictFlag is the value of --strict: the classes that fail a run. Given more than once, they add up.
type strictFlag decisions.Strict

var _ pflag.Value = (*strictFlag)(nil)

// addStrict adds the flag. What it says of the classes of the command ends its description.
func addStrict(f *pflag.FlagSet, s *strictFlag, also string) {
	f.Var(s, "strict", "Fail also for deviations of these `classes`, of all without a value: "+
		strings.Join(classNames(), ", ")+also+".")
	f.Lookup("strict").NoOptDefVal = everyClass
}

// classNames are the classes that --strict takes.
func classNames() []string {
	var names []string
	for _, class := range decisions.StrictOfAll() {
		if class != decisions.Erratum {
			names = append(names, string(class))
		}
	}
	return names
}

func (s *strictFlag) Set(text string) error {
	for name := range strings.SplitSeq(text, ",") {
		switch {
		case name == everyClass:
			*s = strictFlag(decisions.StrictOfAll())
		case !slices.Contains(classNames(), name):
			hint := ""
			if near := nearest(name, classNames()); near != "" {
				hint = fmt.Sprintf("; did you mean %s?", near)
			}
			return fmt.Errorf("no class is called %q%s (classes: %s)", name, hint, strings.Join(classNames(), ", "))
		case !slices.Contains(*s, decisions.Class(name)):
			*s = append(*s, decisions.Class(name))
		}
	}
	return nil
}

// String is empty if no class fails a run.
func (s *strictFlag) String() string {
	if len(*s) == len(decisions.StrictOfAll()) {
		return everyClass
	}
	var names []string
	for _, class := range *s {
		names = append(names, string(class))
	}
	return strings.Join(names, ",")
}

func (*strictFlag) Type() string { return "classes" }
