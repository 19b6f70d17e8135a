package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// write prints the table, in Markdown, and what it does not say.
func write(out io.Writer, all []*tally) error {
	var b strings.Builder
	b.WriteString("| package | cases | questions | answers | expressible | agree | known deviation | differ |\n" +
		"| --- | --- | --- | --- | --- | --- | --- | --- |\n")
	total := &tally{name: "**all**", reasons: map[string]int{}, deviations: map[string]int{}}
	row := func(t *tally) {
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %d | %d | %d |\n", t.name, t.cases, t.questions, t.answers,
			t.expressible, t.agree, t.known, t.differ)
	}
	for _, t := range all {
		row(t)
		total.add(t)
	}
	row(total)
	if total.failed > 0 {
		fmt.Fprintf(&b, "\n%d cases failed, as their plugins are recorded\n", total.failed)
	}
	list := func(title string, counts map[string]int) {
		if len(counts) == 0 {
			return
		}
		fmt.Fprintf(&b, "\n%s\n\n", title)
		names := slices.SortedFunc(maps.Keys(counts), func(x, y string) int {
			if counts[x] != counts[y] {
				return counts[y] - counts[x]
			}
			return strings.Compare(x, y)
		})
		for _, name := range names {
			fmt.Fprintf(&b, "- %d: %s\n", counts[name], name)
		}
	}
	list("Answers that are not expressible:", total.reasons)
	list("Answers that known deviations explain:", total.deviations)
	for _, difference := range total.differences {
		fmt.Fprintf(&b, "\n%s\n", difference)
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// add adds what became of another package.
func (t *tally) add(other *tally) {
	t.cases, t.failed = t.cases+other.cases, t.failed+other.failed
	t.questions, t.answers = t.questions+other.questions, t.answers+other.answers
	t.expressible, t.agree = t.expressible+other.expressible, t.agree+other.agree
	t.known, t.differ = t.known+other.known, t.differ+other.differ
	for reason, n := range other.reasons {
		t.reasons[reason] += n
	}
	for name, n := range other.deviations {
		t.deviations[name] += n
	}
	t.differences = append(t.differences, other.differences...)
}
