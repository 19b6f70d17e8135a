package modelcheck

import (
	"fmt"
	"slices"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// effects are whether a plugin ever made a difference: let a node pass, rejected one, and scored two of a decision
// differently.
type effects struct{ passed, rejected, preferred bool }

// effectsIn returns what the plugin did in a run.
func effectsIn(plugin string, r *decisions.Result) effects {
	var d effects
	for _, f := range r.Filters {
		if f.Plugin == plugin {
			d.passed, d.rejected = f.Passed > 0, f.Rejected > 0
		}
	}
	for _, c := range r.ScorePlugins {
		d.preferred = d.preferred || c.Plugin == plugin && c.Distinguished > 0
	}
	return d
}

// add notes what the plugin did in a decision.
func (d *effects) add(plugin string, decision *spec.Decision) {
	filter, scorePlugin := slices.Index(decision.Filters, plugin), slices.Index(decision.ScorePlugins, plugin)
	var scores []int64
	for _, node := range decision.Nodes {
		if filter >= 0 && filter < len(node.Statuses) {
			fits := node.Statuses[filter] == spec.Fits
			d.passed, d.rejected = d.passed || fits, d.rejected || !fits
		}
		if scorePlugin >= 0 && scorePlugin < len(node.Scores) {
			scores = append(scores, node.Scores[scorePlugin].Value)
		}
	}
	d.preferred = d.preferred || len(scores) > 0 && slices.Min(scores) != slices.Max(scores)
}

// idle says which of the differences that predicates are about their plugins never made. did is in the order of the
// plugins.
func (s Scheduler) idle(did []effects) []string {
	var idle []string
	for i, p := range s.Plugins {
		says := func(what string) {
			idle = append(idle, fmt.Sprintf(
				"plugin %s %s: add nodes and pods for which it does, or this tests nothing of it", p.Name, what))
		}
		if p.Filter != nil && !did[i].passed {
			says("never lets a node pass")
		}
		if p.Filter != nil && !did[i].rejected {
			says("never rejects a node")
		}
		if p.Score != nil && !did[i].preferred {
			says("never scores two nodes differently")
		}
	}
	return idle
}
