package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/seed-a3f26817/modelcheck/internal/scenario"
)

// formats are the ways to print rows, by name.
func formats() map[string]func(io.Writer, []*row) error {
	return map[string]func(io.Writer, []*row) error{"text": text, "markdown": markdown, "json": asJSON}
}

// header names the columns.
func header() []string {
	return []string{"repository", "commit", "layout", "files", "no object", "templates", "patches", "objects", "read",
		"other kinds", "not read", "kustomizations", "seconds", "outcome"}
}

// cells are those of a row, in the order of the header. With reasons they say why as well as how often.
func (r *row) cells(reasons bool) []string {
	built, k := "-", r.Kustomizations
	if all := k.Built + len(k.Failed) + k.Untried; all > 0 {
		built = fmt.Sprintf("%d of %d", k.Built, all)
	}
	left := fmt.Sprint(r.Left)
	if reasons {
		built, left = built+listed(k.Reasons), left+listed(r.Reasons)
	}
	return []string{r.Name, r.Commit[:min(12, len(r.Commit))], r.Layout, fmt.Sprint(r.Files),
		fmt.Sprint(r.WithoutObject), fmt.Sprint(r.Templates), fmt.Sprint(r.Patches), fmt.Sprint(r.Objects()),
		fmt.Sprint(r.Read), fmt.Sprint(r.OtherKinds), left, built,
		fmt.Sprintf("%.1f", r.Seconds), r.Outcome}
}

// listed says the most frequent reasons.
func listed(reasons []reason) string {
	if len(reasons) == 0 {
		return ""
	}
	var parts []string
	for i, r := range reasons {
		if i == 3 {
			parts = append(parts, fmt.Sprintf("%d more reasons", len(reasons)-3))
			break
		}
		parts = append(parts, fmt.Sprintf("%d× %s", r.Number, r.Why))
	}
	return ": " + strings.Join(parts, "; ")
}

// total adds the rows up.
func total(rows []*row) *row {
	t := &row{Name: fmt.Sprintf("%d repositories", len(rows))}
	read := 0
	for _, r := range rows {
		t.Counts = t.Counts.Plus(r.Counts)
		t.Kustomizations.Built += r.Kustomizations.Built
		t.Kustomizations.Failed = append(t.Kustomizations.Failed, r.Kustomizations.Failed...)
		t.Kustomizations.Untried += r.Kustomizations.Untried
		t.Pods += r.Pods
		t.Seconds += r.Seconds
		if r.WasRead {
			read++
		}
	}
	t.Outcome = fmt.Sprintf("%d of %d read", read, len(rows))
	return t
}

func text(w io.Writer, rows []*row) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, strings.Join(header(), "\t"))
	for _, r := range append(rows, total(rows)) {
		fmt.Fprintln(table, strings.Join(r.cells(false), "\t"))
	}
	return table.Flush()
}

func markdown(w io.Writer, rows []*row) error {
	lines := [][]string{header(), strings.Split(strings.Repeat("---,", len(header())-1)+"---", ",")}
	for _, r := range append(rows, total(rows)) {
		lines = append(lines, r.cells(true))
	}
	for _, cells := range lines {
		for i := range cells {
			cells[i] = strings.NewReplacer("|", `\|`, "<", "&lt;", "\n", " ").Replace(cells[i])
		}
		if _, err := fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | ")); err != nil {
			return err
		}
	}
	return nil
}

// printed is what -o json prints.
type printed struct {
	Rows  []*row          `json:"repositories"`
	Total scenario.Counts `json:"total"`
}

func asJSON(w io.Writer, rows []*row) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(printed{rows, total(rows).Counts})
}

// readRows reads what asJSON printed.
func readRows(file string) ([]*row, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var p printed
	if err := json.Unmarshal(data, &p); err != nil {
		return nil, err
	}
	return p.Rows, nil
}
