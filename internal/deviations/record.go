package deviations

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// record is what the catalogue says of a deviation, of single decisions or between them.
type record struct {
	name, doc, plugin, property, upstream, repeat, find, releases string
	evidence                                                      Evidence
}

// Text writes the catalogue for a person to read: for each deviation what it is, who holds that it is one, and how to
// see it. The version is that of the kube-scheduler it was seen in. The error is the writer's.
func Text(w io.Writer, version string) error {
	var text strings.Builder
	entries := recordsOf(In(version))
	between := loopRecordsOf(slices.DeleteFunc(LoopEntries(), func(e LoopEntry) bool { return !e.Defect.In(version) }))
	fmt.Fprintf(&text, "%d deviations of kube-scheduler %s, each with the smallest cluster that shows it: %s\n",
		len(entries), version, counted(entries))
	for _, r := range entries {
		r.text(&text)
	}
	fmt.Fprintf(&text, "\n%d deviations between decisions, each found by stepping the scheduler as a "+
		"whole: %s\n", len(between), counted(between))
	for _, r := range between {
		r.text(&text)
	}
	_, err := io.WriteString(w, text.String())
	return err
}

func (r *record) text(text *strings.Builder) {
	fmt.Fprintf(text, "\n%s\n  %s\n  class:    %s\n  upstream: %s\n", r.name, r.doc, r.evidence.Class, r.upstream)
	fmt.Fprintf(text, "  %-9s %s\n", map[Basis]string{Documented: "document:", StatedInCode: "in code:",
		OurReading: "reading:"}[r.evidence.Norm.Basis], r.evidence.Norm.Words())
	fmt.Fprintf(text, "  costs:    %s\n  breaks:   %s", r.evidence.Impact.Cost, r.property)
	if r.plugin != "" {
		fmt.Fprintf(text, ", in %s", r.plugin)
	}
	text.WriteString("\n")
	if r.repeat != "" {
		fmt.Fprintf(text, "  repeat:   %s\n", r.repeat)
	}
	fmt.Fprintf(text, "  found by: %s\n", r.find)
}

// Words quotes the sentence with its place, and says how it is read.
func (n *Norm) Words() string {
	text := ""
	if n.Text != "" {
		text = fmt.Sprintf("%q (%s, %s)", n.Text, n.Where, n.Source)
	}
	if n.Reading != "" {
		text = strings.TrimPrefix(text+"; "+n.Reading, "; ")
	}
	return text
}

func recordsOf(entries []Entry) []record {
	var records []record
	for _, e := range entries {
		evidence, _ := EvidenceOf(e.Quirk.Name)
		records = append(records, record{e.Quirk.Name, e.Quirk.Doc, e.Quirk.Plugin, e.Property, e.Quirk.Upstream, e.Repeat(),
			e.Find(), releases(e.Quirk), evidence})
	}
	return records
}

func loopRecords() []record { return loopRecordsOf(LoopEntries()) }

func loopRecordsOf(entries []LoopEntry) []record {
	var records []record
	for _, e := range entries {
		evidence, _ := EvidenceOf(e.Defect.Name)
		records = append(records, record{e.Defect.Name, e.Defect.Doc, "", e.Property, e.Defect.Upstream, "", e.Find(),
			releases(spec.Quirk{Mended: e.Defect.Mended}), evidence})
	}
	return records
}

// counted says how many records there are of each class.
func counted(records []record) string {
	var parts []string
	for _, class := range spec.Classes() {
		n := 0
		for _, r := range records {
			if r.evidence.Class == class {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, class))
		}
	}
	return strings.Join(parts, ", ")
}

// Markdown writes the catalogue as docs/reference/deviations.md. The error is the writer's.
func Markdown(w io.Writer, version string) error {
	single, between := recordsOf(Entries()), loopRecords()
	var text strings.Builder
	fmt.Fprintf(&text, `# Catalogue of deviations

What kube-scheduler %s was found to do otherwise than the model, but for what is said to be mended. Each deviation that a single decision
shows is a quirk: a small override of one predicate of the model that reproduces it exactly, so that the tool can tell a difference that is
this deviation and nothing else from a new one. What is known of each is in `+"`testdata/deviations/evidence/`"+`, the smallest cluster in
`+"`testdata/deviations/`"+`. `+"`modelcheck deviations`"+` prints this list; tests hold it true, and fail when kube-scheduler is mended.

## Classes

| class | means | of single decisions | between decisions |
| --- | --- | --- | --- |
`, version)
	for _, class := range []spec.Class{spec.Reported, spec.Unconfirmed, spec.Documentation, spec.Interpretation,
		spec.ByDesign} {
		of := func(records []record) (n int) {
			for _, r := range records {
				if r.evidence.Class == class {
					n++
				}
			}
			return n
		}
		fmt.Fprintf(&text, "| %s | %s | %d | %d |\n", class, meanings()[class], of(single), of(between))
	}
	text.WriteString(`
A finding that takes several deviations to explain is of the class about which least is settled: unconfirmed, reported, interpretation,
documentation, by design. Upstream numbers are of kubernetes/kubernetes; "searched" gives the date and the queries, made in a stored copy of
its issues, whose states are those of the copy. A deviation that is security-sensitive is not to be reported in public first: see the
[disclosure process of Kubernetes](https://kubernetes.io/docs/reference/issues-security/security/).

## Of single decisions

`)
	overview(&text, single)
	for i := range single {
		single[i].section(&text)
	}
	text.WriteString(byNumber())
	text.WriteString(`
## Between decisions

No single decision shows these, but a run of the scheduler as a whole ([loop.md](../loop.md)). The shortest run of each, with a
control in which nothing is wrong, is in ` + "`internal/production/stepped/defects_test.go`" + `.

`)
	overview(&text, between)
	for i := range between {
		between[i].section(&text)
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// meanings say what the classes mean.
func meanings() map[spec.Class]string {
	return map[spec.Class]string{
		spec.Reported:    "an issue or pull request of Kubernetes says so",
		spec.Unconfirmed: "found here; nobody of Kubernetes has confirmed it",
		spec.Documentation: "documents and behaviour differ, and maintainers or comments in the code say that the " +
			"behaviour is meant",
		spec.Interpretation: "the documents can be read otherwise; the reading that is taken is said",
		spec.ByDesign:       "a document says so, though the model wants better",
	}
}

// overview is a table of the records, by class.
func overview(text *strings.Builder, records []record) {
	text.WriteString("| deviation | class | in | upstream |\n| --- | --- | --- | --- |\n")
	for _, class := range spec.Classes() {
		for _, r := range records {
			if r.evidence.Class != class {
				continue
			}
			upstream := "-"
			if class == spec.Reported || strings.Contains(r.upstream, "#") {
				upstream = r.upstream
			}
			where := r.plugin
			if where == "" {
				where = r.property
			}
			fmt.Fprintf(text, "| [%s](#%[1]s) | %s | %s | %s |\n", r.name, class, where, strings.ReplaceAll(upstream,
				"kubernetes/kubernetes#", "#"))
		}
	}
}

// section says everything about a deviation in Markdown.
func (r *record) section(text *strings.Builder) {
	class := string(r.evidence.Class)
	fmt.Fprintf(text, "\n### %s\n\n**%s.** %s%s\n\n", r.name, strings.ToUpper(class[:1])+class[1:], r.doc, r.releases)
	for _, i := range r.items("`") {
		fmt.Fprintf(text, "- **%s**: %s\n", i.what, i.words)
	}
}

// item is something that is said of a deviation.
type item struct{ what, words string }

// items are what there is to say of a deviation; code is put between the marks.
func (r *record) items(mark string) []item {
	e := &r.evidence
	var items []item
	add := func(what, words string) {
		if words != "" {
			items = append(items, item{what, words})
		}
	}
	code := func(text string) string { return mark + text + mark }
	add(string(e.Norm.Basis), e.Norm.Words())
	for _, q := range e.Also {
		add("also", fmt.Sprintf("%q (%s, %s)", q.Text, q.Where, q.Source))
	}
	add("cause", fmt.Sprintf("%s in %s: %s", code(e.Cause.Function), code(e.Cause.File), e.Cause.How))
	add("since", e.Cause.Since)
	add("releases", e.Releases)
	add("who meets it", e.Impact.Clusters)
	add("what it costs", e.Impact.Cost)
	add("reached through an API server by", e.Reachable)
	sensitive := map[bool]string{true: "sensitive: ", false: "not sensitive: "}[e.Security.Sensitive]
	add("security", sensitive+e.Security.Why)
	for _, u := range e.Upstream {
		words := u.State + ": " + u.Says
		if u.Mended != "" {
			words += "; mended in " + u.Mended
		}
		add(strings.TrimPrefix(u.Number, "kubernetes/kubernetes"), words)
	}
	add("searched", fmt.Sprintf("%s: %s", e.Search.Date, strings.Join(e.Search.Words, "; ")))
	add("on a control plane", OnPlane(r.name))
	add("breaks", code(r.property))
	if r.repeat != "" {
		add("smallest cluster", code(r.repeat))
	}
	add("found by", code(r.find))
	return items
}

// TextOf writes everything that is known of the deviations of these names, each of which must be one. The error is the
// writer's.
func TextOf(w io.Writer, names []string) error {
	var text strings.Builder
	all := slices.Concat(recordsOf(Entries()), loopRecords())
	for i, name := range names {
		if i > 0 {
			text.WriteString("\n")
		}
		r := all[slices.IndexFunc(all, func(r record) bool { return r.name == name })]
		fmt.Fprintf(&text, "%s\n  %s%s\n  class: %s\n", r.name, r.doc, r.releases, r.evidence.Class)
		for _, i := range r.items("") {
			fmt.Fprintf(&text, "  %s: %s\n", i.what, i.words)
		}
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// releases tells which releases have the deviation, if not all.
func releases(q spec.Quirk) (text string) {
	if q.Since != "" {
		text += fmt.Sprintf(" Since %s.", q.Since)
	}
	if q.Mended != "" {
		text += fmt.Sprintf(" Mended in %s.", strings.Join(append([]string{q.Mended}, q.Backports...), ", "))
	}
	return text
}

// byNumber maps what is known upstream to the deviations found here.
func byNumber() string {
	var rows []string
	for _, r := range slices.Concat(recordsOf(Entries()), loopRecords()) {
		if r.evidence.Class != spec.Reported {
			continue
		}
		for _, u := range r.evidence.Upstream {
			if number := regexp.MustCompile(`kubernetes/kubernetes(#[0-9]+)`).FindStringSubmatch(u.Number); number != nil {
				rows = append(rows, fmt.Sprintf("| %7s | [%s](#%[2]s) | `%s` |\n", number[1], r.name, r.find))
			}
		}
	}
	slices.Sort(rows)
	return `
## By upstream number

Issues and pull requests of kubernetes/kubernetes that tell of a reported deviation. #126921, no limit on a node without a CSINode, is
what field docs say, though a goal of KEP-554 says otherwise: see [semantics.md](semantics.md).

| upstream | deviation | found by |
| --- | --- | --- |
` + strings.Join(rows, "")
}
