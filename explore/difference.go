package explore

import (
	"slices"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// wrongVerdict is a filter's verdict on a node that is not the one expected.
type wrongVerdict struct {
	plugin string
	node   int // index
	got    spec.Verdict
}

func wrongVerdicts(expected *spec.Expectation, decision *spec.Decision) []wrongVerdict {
	var wrong []wrongVerdict
	for f, plugin := range expected.Filters {
		column := slices.Index(decision.Filters, plugin)
		for n, node := range decision.Nodes {
			if column < len(node.Verdicts) && n < len(expected.Nodes) && !expected.Nodes[n].Verdicts[f].Allow(node.Verdicts[column]) {
				wrong = append(wrong, wrongVerdict{plugin, n, node.Verdicts[column]})
			}
		}
	}
	return wrong
}

// differingRaters names the raters whose rating of some node is not the one expected, if the same nodes are feasible: which nodes
// are rated decides what normalisation makes of it.
func differingRaters(expected *spec.Expectation, decision *spec.Decision) []string {
	for n, node := range decision.Nodes {
		if n >= len(expected.Nodes) || !node.Asked || (node.Overall == spec.Fits) != expected.Nodes[n].Feasible {
			return nil
		}
	}
	var plugins []string
	for r, plugin := range expected.Raters {
		column := slices.Index(decision.Raters, plugin)
		for n, node := range decision.Nodes {
			ratings := expected.Nodes[n].Ratings
			if column < len(node.Ratings) && r < len(ratings) && !node.Ratings[column].Agrees(ratings[r]) {
				plugins = append(plugins, plugin)
				break
			}
		}
	}
	return plugins
}
