package main

import (
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"strings"

	"sigs.k8s.io/yaml"
)

// judgedFile says of faults that change nothing, or nothing that can come to pass, why: each was looked at by hand.
//
//go:embed judged.yaml
var judgedFile []byte

// verdicts are reasons: by the ID of a fault, by file and line for all of a line (nodename/node_name.go:82), by file
// and function for all of a function (nodename/node_name.go Fits), by the function alone for all of that name (Clone).
type verdicts map[string]string

// judged reads the reasons.
func judged() (verdicts, error) {
	reasons := verdicts{}
	if err := yaml.UnmarshalStrict(judgedFile, &reasons); err != nil {
		return nil, fmt.Errorf("judged.yaml: %w", err)
	}
	return reasons, nil
}

// of returns why the fault does not count; empty if it does.
func (v verdicts) of(id string) string {
	if strings.HasSuffix(id, "fwk.QueueSkip becomes fwk.Queue") {
		return "a pod is tried once more than is of use, which a hint may lead to"
	}
	place, _, _ := strings.Cut(id, ": ")
	line, function, _ := strings.Cut(place, " ")
	file, _, _ := strings.Cut(line, ":")
	return cmp.Or(v[id], v[line], v[file+" "+function], v[function])
}

// record is what is known of a drawn fault: what each stage said that it went through.
type record struct {
	ID      string             `json:"id"`
	Stratum string             `json:"stratum"`
	Stages  map[string]outcome `json:"stages"`
}

// noticedBy reports whether the stage or one before it noticed the fault.
func (r *record) noticedBy(stages []stage, name string) bool {
	for _, s := range stages {
		if r.Stages[s.name].Noticed {
			return true
		}
		if s.name == name {
			return false
		}
	}
	return r.Stages[name].Noticed
}

// reached reports whether the code that is faulty was run by a stage of modelcheck.
func (r *record) reached(stages []stage) bool {
	for _, s := range stages {
		if r.Stages[s.name].Reached {
			return true
		}
	}
	return false
}

// write prints the table by stratum, and what was overlooked, in Markdown.
func write(out io.Writer, stages []stage, withUpstream bool, records []*record, reasons verdicts) error {
	var b strings.Builder
	columns := make([]string, 0, len(stages)+1)
	for i, s := range stages {
		columns = append(columns, map[bool]string{true: "+ "}[i > 1]+s.name)
	}
	if withUpstream {
		columns = append(columns, "upstream's tests")
	}
	fmt.Fprintf(&b, "| part | faults | change nothing | %s |\n|%s\n", strings.Join(columns, " | "),
		strings.Repeat(" --- |", len(columns)+3))
	row := func(name string, of func(*record) bool) {
		drawn, idle, counts, noticed := 0, 0, 0, make([]int, len(columns))
		for _, r := range records {
			if !of(r) {
				continue
			}
			drawn++
			if reasons.of(r.ID) != "" {
				idle++
				continue
			}
			counts++
			for i, s := range stages {
				if r.noticedBy(stages, s.name) {
					noticed[i]++
				}
			}
			if withUpstream && r.Stages[upstream].Noticed {
				noticed[len(stages)]++
			}
		}
		if drawn == 0 {
			return
		}
		cells := make([]string, len(columns))
		for i, n := range noticed {
			cells[i] = fmt.Sprintf("%d (%.0f%%)", n, 100*float64(n)/float64(max(1, counts)))
		}
		fmt.Fprintf(&b, "| %s | %d | %d | %s |\n", name, drawn, idle, strings.Join(cells, " | "))
	}
	for _, s := range strata() {
		row(s.name, func(r *record) bool { return r.Stratum == s.name })
	}
	row("**decisions**", func(r *record) bool { return isDecision(r.Stratum) })
	row("**all**", func(*record) bool { return true })
	b.WriteString("\nOverlooked:\n\n")
	for _, r := range records {
		if reasons.of(r.ID) != "" || r.noticedBy(stages, stages[len(stages)-1].name) {
			continue
		}
		why := "run, and not noticed"
		if !r.reached(stages) {
			why = "never run"
		}
		for _, s := range stages {
			if key := r.Stages[s.name].Hidden; key != "" {
				why += "; explained: " + key
			}
		}
		if r.Stages[upstream].Noticed {
			why += "; upstream: " + r.Stages[upstream].By
		}
		fmt.Fprintf(&b, "- %s (%s)\n", r.ID, why)
	}
	_, err := io.WriteString(out, b.String())
	return err
}
