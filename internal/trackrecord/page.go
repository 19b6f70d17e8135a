package main

import (
	"cmp"
	"fmt"
	"strings"
)

const head = `# Mended defects

Defects of kube-scheduler that were mended, as release notes and pull requests tell of them: is each noticed in a release that has it, and not in the one that
mended it? What is found was run:

` + "```sh" + `
modelcheck versions install 1.36   # and 1.36.0, 1.35, 1.34, 1.34.0, 1.33, 1.33.0
go run ./internal/trackrecord --update
` + "```" + `

| found by | means |
| --- | --- |
| default | in the default scope of modelcheck, of which the run is a part |
| loop | by ` + "`modelcheck loop`" + ` |
| handed in | the cluster must be handed in |
| upgrade | the model of the older release has it as its documents say, and ` + "`modelcheck upgrade`" + ` names the change |
| no | not found, and why |

The rules that reproduce defects are known today: what a run tells by them it would tell as new without. In the release that mended it, the same run has no
finding that is not explained. Patch releases have what was taken over from later ones, so that of many defects no release that can be asked has them.

`

// pageOf writes the page.
func pageOf(rows []row, results map[string]outcome) string {
	var p strings.Builder
	p.WriteString(head)
	found := 0
	for _, r := range rows {
		if r.runs() {
			found++
		}
	}
	fmt.Fprintf(&p, "%d defects, of which %d are found.\n\n", len(rows), found)
	p.WriteString("| upstream | what goes wrong | in | mended in | found by | seen, or why not |\n")
	p.WriteString("| --- | --- | --- | --- | --- | --- |\n")
	for _, r := range rows {
		seen := r.Why
		if r.runs() {
			seen = fmt.Sprintf("`%s`, %s: `modelcheck %s`", r.Finding, results[r.Upstream], r.command())
		}
		fmt.Fprintf(&p, "| kubernetes/kubernetes%s, %s | %s | %s | %s | %s | %s |\n", r.Upstream, r.Source, r.What,
			cmp.Or(r.In, "before"), r.Mended, r.Found, seen)
	}
	return p.String()
}

// command returns the arguments with which the defect is seen.
func (r row) command() string {
	first := []string{"--kubernetes", r.In}
	if r.Found == byUpgrade {
		first = []string{"upgrade", "--from", r.In, "--to", r.Mended}
	}
	return strings.Join(append(first, r.Arguments...), " ")
}
