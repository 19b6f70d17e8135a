package report

import (
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/deviations"
)

// The parts of SARIF 2.1.0 that a report has.
//
// Source: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Invocations []sarifInvocation `json:"invocations"`
		Results     []sarifResult     `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name       string            `json:"name"`
		Rules      []sarifRule       `json:"rules"`
		Properties map[string]string `json:"properties"`
	}
	sarifRule struct {
		ID               string    `json:"id"`
		ShortDescription sarifText `json:"shortDescription"`
	}
	sarifInvocation struct {
		ExecutionSuccessful bool `json:"executionSuccessful"`
	}
	sarifResult struct {
		RuleID              string            `json:"ruleId"`
		RuleIndex           int               `json:"ruleIndex"`
		Level               string            `json:"level"`
		Message             sarifText         `json:"message"`
		Locations           []sarifLocation   `json:"locations"`
		PartialFingerprints map[string]string `json:"partialFingerprints"`
		Properties          map[string]any    `json:"properties"`
	}
	sarifLocation struct {
		Physical *sarifPhysical `json:"physicalLocation,omitempty"`
		Logical  []sarifLogical `json:"logicalLocations"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifLogical struct {
		Name string `json:"name"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
)

// SARIF writes the report as SARIF 2.1.0: each property is a rule, each finding a result, an error if it makes the
// run fail and a note otherwise. The error is the writer's.
func SARIF(w io.Writer, r *Run) error {
	run := sarifRun{
		Tool: sarifTool{sarifDriver{Name: "modelcheck", Rules: []sarifRule{}, Properties: map[string]string{
			"kubernetesVersion": r.KubernetesVersion, "profile": r.profileNames(), "reading": string(r.Spec.Reading()),
			"scope":   scopeSentence(r),
			"verdict": verdictSentence(r),
		}}},
		Invocations: []sarifInvocation{{ExecutionSuccessful: r.Result.Complete}}, Results: []sarifResult{},
	}
	for _, p := range r.Result.Properties {
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{p.Name, sarifText{p.Doc}})
	}
	for i := range r.Result.Findings {
		run.Results = append(run.Results, r.sarifResult(&r.Result.Findings[i]))
	}
	if len(r.NotSeen) > 0 {
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{knownSeen,
			sarifText{"A known deviation shows in every scope that its smallest cluster is in."}})
	}
	for _, missing := range r.NotSeen {
		run.Results = append(run.Results, r.sarifNotSeen(missing, len(run.Tool.Driver.Rules)-1))
	}
	return writeJSON(w, sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
}

// knownSeen is the rule that known deviations which do not show break.
const knownSeen = "known-seen"

func (r *Run) sarifNotSeen(missing NotSeen, rule int) sarifResult {
	result := sarifResult{
		RuleID: knownSeen, RuleIndex: rule, Level: "note", Message: sarifText{missing.String()},
		Locations:           []sarifLocation{{Logical: []sarifLogical{{missing.Quirk}}}},
		PartialFingerprints: map[string]string{"finding/v1": knownSeen + "/" + missing.Quirk},
		Properties:          map[string]any{},
	}
	if r.Strict.Has(missing.Class) {
		result.Level = "error"
	}
	return result
}

func (r *Run) sarifResult(f *decisions.Finding) sarifResult {
	result := sarifResult{
		RuleID: f.Property.Name, Level: "note",
		RuleIndex: slices.IndexFunc(
			r.Result.Properties,
			func(p decisions.PropertyResult) bool { return p.Name == f.Property.Name },
		),
		Locations:           []sarifLocation{{Logical: []sarifLogical{{f.Example.Scenario}}}},
		PartialFingerprints: map[string]string{"finding/v1": f.ID},
		Properties:          map[string]any{"class": string(f.Class), "count": f.Count},
	}
	if f.Fails(r.Strict) {
		result.Level = "error"
	}
	if file := r.firstFile(); file != "" {
		result.Locations[0].Physical = &sarifPhysical{sarifArtifact{(&url.URL{Path: filepath.ToSlash(file)}).String()}}
	}
	text := &page{spec: r.Spec}
	text.example(f)
	said := []string{strings.Join(reasons(f), "; ") + "."}
	for _, quirk := range f.Quirks {
		said = append(said, fmt.Sprintf("%s (%s, %s): %s", quirk.Name, quirk.Class, quirk.Upstream, quirk.Doc))
		if e, known := deviations.EvidenceOf(quirk.Name); known {
			said = append(said, fmt.Sprintf("%s: %s", e.Norm.Basis, e.Norm.Words()))
		}
	}
	result.Message.Text = strings.Join(said, "\n") + "\n" + strings.TrimRight(text.String(), "\n")
	return result
}
