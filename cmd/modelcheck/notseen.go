package main

import (
	"slices"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/deviations"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/report"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// notSeen returns the known deviations that the scope must show, and that the result does not: they are mended, or
// another kube-scheduler was asked. Only themes that were explored whole are judged, with the default configuration
// and what happens by default, or more pods that come and go.
func (in *input) notSeen(o *options, r *decisions.Result) []report.NotSeen {
	if in.raw != nil && !in.themed || in.given != nil || spec.Reading(o.reading) != spec.Kubernetes {
		return nil
	}
	var missing []report.NotSeen
	for _, s := range r.Scenarios {
		actions := s.Scenario.Actions
		if !s.Complete || !actions.Preempt || !actions.VictimGone || actions.Recreations > 0 ||
			actions.RefreshBudgets || actions.StartInOrder || actions.Order != model.AnyOrder {
			continue
		}
		for _, e := range deviations.Expected(deviations.Scope{
			Release: production.KubernetesVersion,
			Theme:   s.Scenario.Name, Nodes: o.nodes, Pods: actions.Arrivals, Thorough: o.thorough,
		}) {
			if !shows(r.Findings, e.Quirk.Name) && !shows(r.Untold, e.Quirk.Name) {
				missing = append(missing, report.NotSeen{Quirk: e.Quirk.Name, Class: decisions.Class(e.Quirk.Class),
					Title: e.Quirk.Title, Find: e.Find()})
			}
		}
	}
	return missing
}

// shows reports whether the deviation explains one of the findings, alone or with others.
func shows(findings []decisions.Finding, quirk string) bool {
	return slices.ContainsFunc(findings, func(f decisions.Finding) bool {
		return slices.ContainsFunc(f.Quirks, func(q spec.Quirk) bool { return q.Name == quirk })
	})
}
