package page

import (
	"io"

	"github.com/seed-a3f26817/modelcheck/internal/report"
)

// AuditData is what the page of an audit is given, as JSON.
type AuditData struct {
	// Audit lacks the findings' examples and the steps of a what-if, which would be most of the page.
	Audit *report.AuditDocument `json:"audit"`
	// Given is what the user would give to ask about the same cluster.
	Given string `json:"given"`
	// Extenders are the addresses of extenders that were not asked.
	Extenders []string `json:"extenders"`
	// Drained are the nodes that were drained, whether a pod was evicted there or not.
	Drained []string `json:"drained"`
	// Pods has the names of the pods on each node of the document, sorted.
	Pods [][]string `json:"pods"`
	// Reasons has, for each group of pending pods, or of those that are left at the end of a what-if, the reason of
	// each node: the index in the reasons of the decision, -1 for none. A group whose pods are placed has null.
	Reasons [][]int32 `json:"reasons"`
}

// WriteAudit writes the page of an audit as one file, which loads nothing from anywhere. The error is the writer's.
func WriteAudit(w io.Writer, a *report.Audit) error {
	return fill(w, newAuditData(a), "'none'", []string{"style.css", "audit.css"}, auditScripts)
}

func newAuditData(a *report.Audit) *AuditData {
	data := &AuditData{Audit: report.NewAuditDocument(a), Given: a.Given, Pods: a.PodsOn(), Reasons: a.ReasonsOf(),
		Extenders: append([]string{}, a.Extenders...), Drained: append([]string{}, a.Drained...)}
	if data.Audit.WhatIf != nil {
		data.Audit.WhatIf.Steps = nil
	}
	for i := range data.Audit.Findings {
		data.Audit.Findings[i].Example = report.Example{Reasons: data.Audit.Findings[i].Example.Reasons}
	}
	return data
}
