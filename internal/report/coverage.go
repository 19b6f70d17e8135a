package report

import (
	"strings"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// coverage tells how often each plugin spoke, and names those that never made a difference: about them the run says
// little.
func (p *page) coverage(r *Run) {
	if r.Result.Asked == 0 {
		return
	}
	p.section("Coverage, over every node of every distinct decision")
	rows := table{{"filter", "fits", "unschedulable", "unresolvable", ""}}
	for _, f := range r.Result.Filters {
		v := f.Statuses
		rows = append(rows, []string{
			f.Plugin, count(v[spec.Fits]), count(v[spec.Unschedulable]), count(v[spec.Unresolvable]),
			remark(f.Modelled, v[spec.Unschedulable]+v[spec.Unresolvable] == 0, "never rejected a node"),
		})
	}
	p.table("  ", rows)
	p.line("")
	rows = table{{"score", "weight", "scores", "distinct values", ""}}
	for _, s := range r.Result.ScorePlugins {
		rows = append(rows, []string{
			s.Plugin, weightWords(r.weights(s.Plugin)), count(s.Scores), count(int64(s.Values)),
			remark(s.Modelled, s.Values <= 1, "the same for all nodes"),
		})
	}
	p.table("  ", rows)
}

// weightWords lists the weights of a plugin in several profiles.
func weightWords(weights []int64) string {
	var words []string
	for _, weight := range weights {
		words = append(words, count(weight))
	}
	return strings.Join(words, ", ")
}

// remark says what to know about a plugin.
func remark(modelled, idle bool, never string) string {
	var words []string
	if !modelled {
		words = append(words, "not modelled")
	}
	if idle {
		words = append(words, never)
	}
	return strings.Join(words, ", ")
}
