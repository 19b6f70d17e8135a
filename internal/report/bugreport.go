package report

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/deviations"
)

// disclosure is where what is security-sensitive is told first.
const disclosure = "https://kubernetes.io/docs/reference/issues-security/security/"

// bugReport writes a finding as a bug report in Markdown, by the headings of kubernetes/kubernetes' template.
func (r *Run) bugReport(f *decisions.Finding) string {
	p := &page{spec: r.Spec}
	evidence := evidenceOf(f)
	p.line("# %s", bugTitle(f))
	p.sensitive(evidence)
	p.heading("### What happened?")
	p.happened(r, f)
	p.heading("### What did you expect to happen?")
	p.expected(f, evidence)
	p.heading("### How can we reproduce it (as minimally and precisely as possible)?")
	p.reproduce(r, f)
	p.heading("### Anything else we need to know?")
	p.anythingElse(r, f, evidence)
	p.heading("### Kubernetes version")
	p.line("%s, %s", r.KubernetesVersion, r.profileWordsOf(f))
	for _, none := range []string{"Cloud provider", "OS version", "Install tools",
		"Container runtime (CRI) and version (if applicable)",
		"Related plugins (CNI, CSI, ...) and versions (if applicable)"} {
		p.heading("### " + none)
		p.line("Not applicable: kube-scheduler was run in process.")
	}
	return p.String()
}

// evidenceOf returns what is known of the deviations that explain a finding.
func evidenceOf(f *decisions.Finding) []deviations.Evidence {
	var all []deviations.Evidence
	for _, quirk := range f.Quirks {
		if e, known := deviations.EvidenceOf(quirk.Name); known {
			all = append(all, e)
		}
	}
	return all
}

// sensitive says where to go first with what concerns the security of clusters.
func (p *page) sensitive(evidence []deviations.Evidence) {
	for _, e := range evidence {
		if e.Security.Sensitive {
			p.line("")
			p.wrapped("> ", "Security-sensitive: "+e.Security.Why+". Tell it in private first, by the disclosure process of "+
				"Kubernetes: "+disclosure)
		}
	}
}

func (p *page) happened(r *Run, f *decisions.Finding) {
	if len(f.Quirks) == 0 {
		p.line("kube-scheduler %s breaks the property `%s`:\n", r.KubernetesVersion, f.Property.Name)
	}
	for _, quirk := range f.Quirks {
		p.wrapped("", quirk.Doc)
		p.line("")
	}
	p.line("In the cluster below:\n")
	// Who reads it knows of no model.
	plain := strings.NewReplacer("; the model says the opposite", "; the opposite is expected",
		"; the model says that", "; expected is that", "; the model ", "; expected is ")
	for _, reason := range reasons(f) {
		p.wrapped("- ", plain.Replace(reason))
	}
}

// expected quotes the sentences that decide. Where there is none, it is not said that anything is documented.
func (p *page) expected(f *decisions.Finding, evidence []deviations.Evidence) {
	switch {
	case f.Class == decisions.ByDesign && len(f.Quirks) == 0:
		p.wrapped("", "Kubernetes documents what happened, so this is no defect; the formal model of placement wants "+
			"better: the preemption of least damage.")
		return
	case len(evidence) == 0:
		p.wrapped("", f.Property.Doc)
		if f.Property.Decision != nil {
			p.line("\nWhat is documented of it: %s", documentOf(f.Plugin))
		}
		return
	}
	for i, e := range evidence {
		if i > 0 {
			p.line("")
		}
		p.sentences(e)
	}
}

func (p *page) sentences(e deviations.Evidence) {
	quote := func(lead string, q deviations.Quote) {
		p.line("%s (%s, %s):\n", lead, q.Where, q.Source)
		p.wrapped("> ", q.Text)
	}
	if e.Norm.Text != "" {
		quote(map[deviations.Basis]string{deviations.Documented: "It is documented", deviations.StatedInCode: "A comment " +
			"in the code says so", deviations.OurReading: "Near to it stands"}[e.Norm.Basis], e.Norm.Quote)
	}
	if e.Norm.Reading != "" {
		p.line("")
		p.wrapped("", map[bool]string{true: "No document says it in so many words. ", false: ""}[e.Norm.Basis ==
			deviations.OurReading]+"How we read it: "+e.Norm.Reading+".")
	}
	for _, q := range e.Also {
		p.line("")
		quote("And", q)
	}
}

func (p *page) reproduce(r *Run, f *decisions.Finding) {
	if _, ok := r.GoTest(f); ok {
		p.wrapped("", fmt.Sprintf("With kube-scheduler alone: put [%s](%s) into `pkg/scheduler` of a checkout of Kubernetes "+
			"%s, or into a module that requires `k8s.io/kubernetes` %s. It asks for what is expected, so it fails.",
			GoTestFile, GoTestFile, r.KubernetesVersion, r.KubernetesVersion))
		p.line("\n```sh\ngo test -run 'Test%s$' .\n```\n", camel(f.ID))
	} else {
		p.wrapped("", "There is no Go test: no single decision of kube-scheduler differs from what is wanted.")
		p.line("")
	}
	if f.Example.Case != nil {
		p.wrapped("", fmt.Sprintf("With a cluster of KWOK or kind that has no other pods: `sh %s` builds the state through "+
			"the API and shows what becomes of %s.", KubectlScript, name(f.Example.Case.Question.Pod)))
		p.line("")
	}
	p.wrapped("", "With etcd, kube-apiserver and kube-scheduler that are built from their Go modules, in a checkout of "+
		"modelcheck: `go run ./controlplane confirm -f` and this folder.")
	p.line("")
	p.line("With modelcheck, in this folder:\n\n```sh")
	p.line("modelcheck replay .")
	if f.Example.Case != nil {
		configuration := ""
		if len(r.configurationOf(f)) > 0 {
			configuration = " -f " + ConfigurationFile
		}
		p.line("modelcheck explain%s -f %s %s", configuration, ClusterFile, name(f.Example.Case.Question.Pod))
	}
	p.line("```\n")
	example := r.exampleText(f)
	fence := fenceOf(example)
	p.line("The cluster, as objects in [%s](%s), and the decision; *model* is what is expected, where that is "+
		"otherwise:\n\n%s", ClusterFile, ClusterFile, fence)
	p.WriteString(example)
	p.line("%s", fence)
}

func (p *page) anythingElse(r *Run, f *decisions.Finding, evidence []deviations.Evidence) {
	item := func(what, words string) {
		if words != "" {
			p.wrapped("- ", what+": "+words)
		}
	}
	for _, quirk := range f.Quirks {
		if seen := deviations.OnPlane(quirk.Name); seen != "" {
			item("on a control plane", fmt.Sprintf("%s, see [%s](%s)", seen, ControlPlaneFile, ControlPlaneFile))
		}
	}
	for _, e := range evidence {
		item("cause", fmt.Sprintf("`%s` in `%s`: %s", e.Cause.Function, e.Cause.File, e.Cause.How))
		item("since", e.Cause.Since)
		item("releases", e.Releases)
		item("who meets it", e.Impact.Clusters)
		item("what it costs", e.Impact.Cost)
		item("how a cluster comes to it", e.Reachable)
		for _, u := range e.Upstream {
			item(u.Number, fmt.Sprintf("%s, %s", u.State, u.Says))
		}
		item("searched", fmt.Sprintf("%s, in a stored copy of the issues: %s", e.Search.Date,
			strings.Join(e.Search.Words, "; ")))
	}
	if len(evidence) == 0 {
		item("property", f.Property.Doc)
	}
	item("found by", fmt.Sprintf("modelcheck, which compares kube-scheduler's decisions with a model written from the "+
		"documentation (reading %s)", r.Spec.Reading()))
}

// fenceOf returns a fence that nothing in the text ends.
func fenceOf(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence
}

// bugTitle names the component and the symptom in a plain sentence.
func bugTitle(f *decisions.Finding) string {
	var symptoms []string
	for _, e := range evidenceOf(f) {
		if !slices.Contains(symptoms, e.Symptom) {
			symptoms = append(symptoms, e.Symptom)
		}
	}
	if len(symptoms) > 0 {
		return strings.Join(symptoms, "; ")
	}
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
