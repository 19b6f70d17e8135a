package report

import (
	"io"
	"slices"
	"strings"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// Explanation is what a report about single questions is made from.
type Explanation struct {
	// KubernetesVersion, Spec and Notes are as in Run.
	KubernetesVersion string
	Spec              *spec.Scheduler
	Notes             []string
	// NotRead tells what was not read and may matter. One line each.
	NotRead []string
	// Cases are the questions with their answers, all about one cluster; Findings has those of each.
	Cases    []*invariants.Case
	Findings [][]decisions.Finding
	// Unanswered is the number of pods that were not asked about, because of an interrupt. A note says so.
	Unanswered int
	// Extenders are the URLs of extenders that the configuration names and nobody asked.
	Extenders []string
	// Verbose asks for the cluster and for whole decisions, node by node.
	Verbose bool
}

// Verdict sums up: violated if a finding fails, and else not finished if extenders were to be asked, or if the model
// left something open.
func (e *Explanation) Verdict(strict decisions.Strict) decisions.Verdict {
	for _, findings := range e.Findings {
		if slices.ContainsFunc(findings, func(f decisions.Finding) bool { return f.Fails(strict) }) {
			return decisions.Violated
		}
	}
	if len(e.Extenders) > 0 || slices.ContainsFunc(e.Cases, (*invariants.Case).Undecided) {
		return decisions.Unfinished
	}
	return unlessRead(decisions.Holds, e.NotRead)
}

// notes are what is said before the answers.
func (e *Explanation) notes() []string {
	if len(e.Extenders) == 0 {
		return e.Notes
	}
	return append([]string{"extenders are not asked, and may reject nodes, score them, or save victims: " +
		strings.Join(e.Extenders, ", ")}, e.Notes...)
}

// ExplainText writes for a person what becomes of each pod and why, the answer first. The error is the writer's.
func ExplainText(w io.Writer, e *Explanation) error {
	p := &page{spec: e.Spec, whole: e.Verbose}
	p.line("kube-scheduler %s, %s, beside the formal model of placement (reading %q)", e.KubernetesVersion,
		(&Run{Spec: e.Spec}).profileWords(), e.Spec.Reading())
	for i, text := range e.NotRead {
		if i == shownNotes && !e.Verbose {
			p.line("and %s not read; -v shows them", plural(int64(len(e.NotRead)-i), "more part"))
			break
		}
		p.wrapped("", text)
	}
	notes := e.notes()
	for i, note := range notes {
		if i == shownNotes && !e.Verbose {
			p.line("note: and %s; -v shows them", plural(int64(len(notes)-i), "more note"))
			break
		}
		p.wrapped("note: ", note)
	}
	p.overview(e)
	for i, c := range e.Cases {
		p.answer(c, e.Findings[i])
		if !e.Verbose {
			p.why(c)
		}
	}
	if e.Verbose {
		p.wholeDecisions(e)
	}
	_, err := io.WriteString(w, p.String())
	return err
}

// wholeDecisions shows the cluster, and of each pod the whole decision node by node, with its findings.
func (p *page) wholeDecisions(e *Explanation) {
	p.section("The cluster")
	p.cluster("  ", e.Cases[0].Question.Snapshot, nil)
	for i, c := range e.Cases {
		p.section("Where should " + name(c.Question.Pod) + " go?")
		p.quirks = quirksOf(e.Findings[i])
		p.decision("  ", c)
		for j := range e.Findings[i] {
			f := &e.Findings[i][j]
			p.section("  Finding: " + f.ID)
			p.wrong(f)
		}
	}
}

// ExplanationDocument is an explanation as JSON. docs/reference/json.md describes it.
type ExplanationDocument struct {
	SchemaVersion     int                 `json:"schemaVersion"`
	KubernetesVersion string              `json:"kubernetesVersion"`
	Profile           string              `json:"profile"`
	Reading           string              `json:"reading"`
	Notes             []string            `json:"notes"`
	NotRead           []string            `json:"notRead,omitempty"`
	Cluster           List                `json:"cluster"`
	Decisions         []ExplainedDecision `json:"decisions"`
}

// ExplainedDecision is a decision with its findings.
type ExplainedDecision struct {
	Decision
	Findings []ExplainedFinding `json:"findings"`
}

// ExplainedFinding is a finding of the one decision it is listed with.
type ExplainedFinding struct {
	ID       string   `json:"id"`
	Class    string   `json:"class"`
	Property string   `json:"property"`
	Plugin   string   `json:"plugin,omitempty"`
	Quirks   []Quirk  `json:"quirks,omitempty"`
	Reasons  []string `json:"reasons"`
}

// ExplainJSON writes the explanation for programs. The error is the writer's.
func ExplainJSON(w io.Writer, e *Explanation) error {
	document := ExplanationDocument{
		SchemaVersion: SchemaVersion, KubernetesVersion: e.KubernetesVersion, Profile: e.Spec.Profile.SchedulerName,
		Reading: string(e.Spec.Reading()),
		Notes:   append([]string{}, e.notes()...), NotRead: e.NotRead, Cluster: manifests(e.Cases[0].Question.Snapshot),
	}
	for i, c := range e.Cases {
		decision := ExplainedDecision{Decision: *decisionJSON(e.Spec, c), Findings: []ExplainedFinding{}}
		for j := range e.Findings[i] {
			f := findingJSON(e.Spec, &e.Findings[i][j])
			decision.Findings = append(decision.Findings, ExplainedFinding{f.ID, f.Class, f.Property, f.Plugin,
				f.Quirks, f.Example.Reasons})
		}
		document.Decisions = append(document.Decisions, decision)
	}
	return writeJSON(w, document)
}
