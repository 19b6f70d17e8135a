package report

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
)

// bugReport writes a finding as a bug report in Markdown: what happened, what was expected and which document says
// so, the smallest cluster, how to repeat it, and versions.
func (r *Run) bugReport(f *decisions.Finding) string {
	p := &page{spec: r.Spec}
	p.line("# %s", bugTitle(f))
	p.heading("## What happened")
	p.line("kube-scheduler %s, %s, breaks the property `%s`:\n", r.KubernetesVersion, r.profileWordsOf(f),
		f.Property.Name)
	for _, reason := range reasons(f) {
		p.wrapped("- ", reason)
	}
	p.heading("## What was expected")
	p.wrapped("", f.Property.Doc)
	switch {
	case f.Class == decisions.ByDesign:
		p.wrapped("", "Kubernetes documents what happened, so this is no defect; the formal model of placement wants "+
			"better: "+"the preemption of least damage.")
	case f.Property.Decision != nil && f.Class != decisions.ByDesign:
		p.line("\nDocumented in %s", documentOf(f.Plugin))
	}
	for _, quirk := range f.Quirks {
		p.line("")
		p.wrapped("", fmt.Sprintf("Known as %s (%s): %s", quirk.Name, quirk.Upstream, quirk.Doc))
	}
	p.heading("## The smallest cluster")
	example := r.exampleText(f)
	fence := fenceOf(example)
	p.line("As objects in [%s](%s).\n\n%s", ClusterFile, ClusterFile, fence)
	p.WriteString(example)
	p.line("%s", fence)
	p.heading("## How to repeat it")
	p.line("With modelcheck, in this folder:\n\n```sh")
	p.line("modelcheck replay .")
	if f.Example.Case != nil {
		configuration := ""
		if len(r.configurationOf(f)) > 0 {
			configuration = " -f " + ConfigurationFile
		}
		p.line("modelcheck explain%s -f %s %s", configuration, ClusterFile, name(f.Example.Case.Question.Pod))
	}
	p.line("```")
	if _, ok := r.GoTest(f); ok {
		p.line("")
		p.wrapped(
			"",
			fmt.Sprintf(
				"In Go, with kube-scheduler alone: put [%s](%s) into `pkg/scheduler` of a checkout of Kubernetes %s, "+
					"or into a module that requires "+
					"`k8s.io/kubernetes` %s, and run",
				GoTestFile,
				GoTestFile,
				r.KubernetesVersion,
				r.KubernetesVersion,
			),
		)
		p.line("\n```sh\ngo test -run 'Test%s$' .\n```", camel(f.ID))
		p.line("\nIt asks for what is wanted, so it fails.")
	} else {
		p.line("")
		p.wrapped("", "There is no Go test: no single decision of kube-scheduler differs from what is wanted.")
	}
	p.heading("## Versions")
	p.line("- Kubernetes %s", r.KubernetesVersion)
	p.line("- reading of the model: %s", r.Spec.Reading())
	return p.String()
}

// fenceOf returns a fence that nothing in the text ends.
func fenceOf(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence
}

// bugTitle is a line that says what is wrong.
func bugTitle(f *decisions.Finding) string {
	title := f.ID
	if all := reasons(f); len(all) > 0 {
		title = all[0]
	}
	_, first := utf8.DecodeRuneInString(title)
	return strings.ToUpper(title[:first]) + title[first:]
}

// exampleText draws the counterexample as the report does.
func (r *Run) exampleText(f *decisions.Finding) string {
	p := &page{spec: r.Spec}
	p.example(f)
	return strings.TrimPrefix(p.String(), "\n")
}

// heading begins a part of a Markdown file.
func (p *page) heading(title string) {
	p.section(title)
	p.line("")
}
