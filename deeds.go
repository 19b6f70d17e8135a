package modelcheck

import (
	"fmt"
	"slices"

	"github.com/seed-a3f26817/modelcheck/explore"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// deeds are whether a plugin ever made a difference: let a node pass, rejected one, and rated two of a decision differently.
type deeds struct{ passed, rejected, preferred bool }

// deedsIn gives what the plugin did in a run.
func deedsIn(plugin string, r *explore.Result) deeds {
	var d deeds
	for _, f := range r.Filters {
		if f.Plugin == plugin {
			d.passed, d.rejected = f.Passed > 0, f.Rejected > 0
		}
	}
	for _, c := range r.Raters {
		d.preferred = d.preferred || c.Plugin == plugin && c.ToldApart > 0
	}
	return d
}

// add notes what the plugin did in a decision.
func (d *deeds) add(plugin string, decision *spec.Decision) {
	filter, rater := slices.Index(decision.Filters, plugin), slices.Index(decision.Raters, plugin)
	var ratings []int64
	for _, node := range decision.Nodes {
		if filter >= 0 && filter < len(node.Verdicts) {
			fits := node.Verdicts[filter] == spec.Fits
			d.passed, d.rejected = d.passed || fits, d.rejected || !fits
		}
		if rater >= 0 && rater < len(node.Ratings) {
			ratings = append(ratings, node.Ratings[rater].Value)
		}
	}
	d.preferred = d.preferred || len(ratings) > 0 && slices.Min(ratings) != slices.Max(ratings)
}

// idle says which of the differences that predicates are about their plugins never made. did is in the order of the plugins.
func (s Scheduler) idle(did []deeds) []string {
	var idle []string
	for i, p := range s.Plugins {
		says := func(what string) {
			idle = append(idle, fmt.Sprintf("plugin %s %s: add nodes and pods for which it does, or this tests nothing of it", p.Name, what))
		}
		if p.Filter != nil && !did[i].passed {
			says("never lets a node pass")
		}
		if p.Filter != nil && !did[i].rejected {
			says("never rejects a node")
		}
		if p.Rater != nil && !did[i].preferred {
			says("never rates two nodes differently")
		}
	}
	return idle
}
