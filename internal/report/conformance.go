package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/seed-a3f26817/modelcheck/internal/printable"
)

// ReadDocument reads a report that JSON wrote. Reports of another schema are an error.
func ReadDocument(data []byte) (*Document, error) {
	d := &Document{}
	if err := json.Unmarshal(data, d); err != nil {
		return nil, fmt.Errorf("it is no report of modelcheck -o json: %w", err)
	}
	if d.SchemaVersion != SchemaVersion {
		return nil, fmt.Errorf("it is no report that can be read: its schemaVersion is %d, wanted is %d; write it "+
			"anew with modelcheck -o json", d.SchemaVersion, SchemaVersion)
	}
	if d.Scope.Source == "" {
		return nil, errors.New("it is no report of modelcheck -o json: it has no scope, so another command wrote it")
	}
	return d, nil
}

// Conformance writes, as Markdown, what reports tell of how often each plugin was compared with the model: one
// table of the reports, one of the filters, one of the score plugins. The reports stand side by side under their
// names, and are not added up, as one question can be in several. The error is the writer's.
func Conformance(w io.Writer, names []string, reports []*Document) error {
	var text strings.Builder
	row := func(cells ...string) { fmt.Fprintf(&text, "| %s |\n", strings.Join(cells, " | ")) }
	rule := func(columns int) { row(strings.Split(strings.Repeat("--- ", columns-1)+"---", " ")...) }

	row("report", "kube-scheduler", "profile", "scope", "distinct decisions", "bind, preempt, wait",
		"findings that nothing explains", "verdict")
	rule(8)
	for i, d := range reports {
		unexplained := 0
		for _, f := range d.Findings {
			if f.Class == "new" {
				unexplained++
			}
		}
		profile := d.Profile
		if more := len(d.Profiles) - 1; more > 0 {
			profile += " and " + plural(int64(more), "other")
		}
		row(names[i], d.KubernetesVersion, profile, scopeWords(d), count(d.Decisions.Distinct),
			fmt.Sprintf("%s, %s, %s", count(d.Decisions.Bind), count(d.Decisions.Preempt), count(d.Decisions.Wait)),
			count(int64(unexplained)), d.Verdict)
	}

	text.WriteString("\nFilters: the distinct decisions in which some node passed, and in which some node was " +
		"rejected.\n\n")
	header := []string{"filter"}
	for _, name := range names {
		header = append(header, name+": passed", "rejected")
	}
	row(header...)
	rule(len(header))
	for _, plugin := range pluginNames(reports, func(d *Document) (all []string) {
		for _, f := range d.Plugins.Filters {
			all = append(all, marked(f.Name, unmodelledIf(!f.Modelled, f.Name)))
		}
		return all
	}) {
		cells := []string{plugin}
		for _, d := range reports {
			var passed, rejected int64
			for _, f := range d.Plugins.Filters {
				if f.Name == strings.TrimSuffix(plugin, "*") {
					passed, rejected = f.DecisionsFits, f.DecisionsRejected
				}
			}
			cells = append(cells, count(passed), count(rejected))
		}
		row(cells...)
	}

	text.WriteString("\nScore plugins: the distinct weighted scores, and the distinct decisions in which two nodes " +
		"were scored " + "differently.\n\n")
	header = []string{"score plugin"}
	for _, name := range names {
		header = append(header, name+": scores", "told apart")
	}
	row(header...)
	rule(len(header))
	for _, plugin := range pluginNames(reports, func(d *Document) (all []string) {
		for _, s := range d.Plugins.Scores {
			all = append(all, marked(s.Name, unmodelledIf(!s.Modelled, s.Name)))
		}
		return all
	}) {
		cells := []string{plugin}
		for _, d := range reports {
			var scores, apart int64
			for _, s := range d.Plugins.Scores {
				if s.Name == strings.TrimSuffix(plugin, "*") {
					scores, apart = int64(s.DistinctValues), s.DecisionsDistinguished
				}
			}
			cells = append(cells, count(scores), count(apart))
		}
		row(cells...)
	}
	text.WriteString("\n\\* runs in kube-scheduler, but the model has no predicate for it.\n")
	_, err := io.WriteString(w, printable.Escape(text.String()))
	return err
}

func unmodelledIf(is bool, plugin string) []string {
	if is {
		return []string{plugin}
	}
	return nil
}

// pluginNames returns the plugins of all reports, in the order in which they first come up.
func pluginNames(reports []*Document, of func(*Document) []string) []string {
	var all []string
	known := map[string]bool{}
	for _, d := range reports {
		for _, name := range of(d) {
			if !known[name] {
				known[name] = true
				all = append(all, name)
			}
		}
	}
	return all
}

// scopeWords says in a few words what a report is about.
func scopeWords(d *Document) string {
	s := d.Scope
	switch {
	case s.Random != nil:
		return fmt.Sprintf("random, seed %d, up to %d nodes and %d pods", s.Random.Seed, s.Nodes, s.Pods)
	case d.Scope.Source == "manifests":
		return strings.Join(s.Files, ", ")
	case s.Thorough:
		return fmt.Sprintf("thorough themes, up to %d nodes and %d pods", s.Nodes, s.Pods)
	}
	return fmt.Sprintf("themes, up to %d nodes and %d pods", s.Nodes, s.Pods)
}
