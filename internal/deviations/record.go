package deviations

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// Text writes the track record for a person to read: for each defect what it is, where it is known, and how to see
// it. The version is that of the kube-scheduler it was seen in. The error is the writer's.
func Text(w io.Writer, version string) error {
	var text strings.Builder
	entries := In(version)
	fmt.Fprintf(&text, "%d defects of kube-scheduler %s, each with the smallest cluster that shows it\n", len(entries),
		version)
	for _, e := range entries {
		fmt.Fprintf(&text, "\n%s\n  %s\n  upstream: %s\n  breaks:   %s, in %s\n  repeat:   %s\n  found by: %s\n",
			e.Quirk.Name, e.Quirk.Doc, e.Quirk.Upstream, e.Property, e.Quirk.Plugin, e.Repeat(), e.Find())
	}
	between := slices.DeleteFunc(LoopEntries(), func(e LoopEntry) bool { return !e.Defect.In(version) })
	fmt.Fprintf(&text, "\n%d defects between decisions, each found by stepping the scheduler as a whole\n",
		len(between))
	for _, e := range between {
		fmt.Fprintf(&text, "\n%s\n  %s\n  upstream: %s\n  breaks:   %s\n  found by: %s\n",
			e.Defect.Name, e.Defect.Doc, e.Defect.Upstream, e.Property, e.Find())
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// Markdown writes the track record as docs/reference/deviations.md. The error is the writer's.
func Markdown(w io.Writer, version string) error {
	var text strings.Builder
	fmt.Fprintf(&text, `# Catalogue of deviations

Defects of kube-scheduler that the tool has found, present in %s but for those that are said to be mended. Each that a single decision shows is a quirk: a small override of one predicate of the
model that reproduces it exactly, so that the tool can tell a difference that is this defect and nothing else from a new one. The
file of each is the smallest cluster that shows it, and begins with what goes wrong and what is documented. `+"`modelcheck deviations`"+`
prints this list; tests hold it true, and fail when kube-scheduler is mended.

"Found by" is a command with which the tool comes across the defect in clusters that it makes itself, in the smallest scope that shows
it. "Not reported" means that no issue was found.

| defect | plugin | breaks | upstream | smallest cluster | found by |
| --- | --- | --- | --- | --- | --- |
`, version)
	for _, e := range Entries() {
		fmt.Fprintf(&text, "| **%s**: %s | %s | %s | %s | `%s` | `%s` |\n",
			e.Quirk.Name, e.Quirk.Doc+releases(e.Quirk), e.Quirk.Plugin, e.Property, e.Quirk.Upstream, e.Repeat(), e.Find())
	}
	text.WriteString(byNumber())
	text.WriteString(`
## Between decisions

Defects that no single decision shows, but a run of the scheduler as a whole ([loop.md](../loop.md)). The shortest run of each, with a
control in which nothing is wrong, is in ` + "`internal/production/stepped/defects_test.go`" + `.

| defect | breaks | upstream | found by |
| --- | --- | --- | --- |
`)
	for _, e := range LoopEntries() {
		fmt.Fprintf(
			&text,
			"| **%s**: %s | %s | %s | `%s` |\n",
			e.Defect.Name,
			e.Defect.Doc+releases(spec.Quirk{Mended: e.Defect.Mended}),
			e.Property,
			e.Defect.Upstream,
			e.Find(),
		)
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// releases tells which releases have the defect, if not all.
func releases(q spec.Quirk) (text string) {
	if q.Since != "" {
		text += fmt.Sprintf(" Since %s.", q.Since)
	}
	if q.Mended != "" {
		text += fmt.Sprintf(" Mended in %s.", q.Mended)
	}
	return text
}

// byNumber maps what is known upstream to the defects found here.
func byNumber() string {
	var rows []string
	for _, e := range Entries() {
		if number := regexp.MustCompile(`kubernetes/kubernetes(#[0-9]+)`).FindStringSubmatch(
			e.Quirk.Upstream); number != nil {
			rows = append(rows, fmt.Sprintf("| %7s | %s | `%s` |\n", number[1], e.Quirk.Name, e.Find()))
		}
	}
	slices.Sort(rows)
	return `
## By upstream number

Issues and pull requests of kubernetes/kubernetes that tell of a defect above. #126921, no limit on a node without a CSINode, is what
the documents say: see [semantics.md](semantics.md).

| upstream | defect | found by |
| --- | --- | --- |
` + strings.Join(rows, "")
}
