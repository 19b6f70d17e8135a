package decisions

import (
	"slices"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// wrongStatus is a filter's status on a node that is not the one expected.
type wrongStatus struct {
	plugin string
	node   int // index
	got    spec.Status
}

func wrongStatuses(expected *spec.Expected, decision *spec.Decision) []wrongStatus {
	var wrong []wrongStatus
	for f, plugin := range expected.Filters {
		column := slices.Index(decision.Filters, plugin)
		for n, node := range decision.Nodes {
			if column < len(node.Statuses) && n < len(expected.Nodes) &&
				!expected.Nodes[n].Statuses[f].Allow(node.Statuses[column]) {
				wrong = append(wrong, wrongStatus{plugin, n, node.Statuses[column]})
			}
		}
	}
	return wrong
}

// differingScorePlugins names the score plugins whose score of some node is not the one expected, if the same nodes
// are feasible: which nodes are scored decides what normalisation makes of it.
func differingScorePlugins(expected *spec.Expected, decision *spec.Decision) []string {
	for n, node := range decision.Nodes {
		if n >= len(expected.Nodes) || !node.Filtered || (node.Overall == spec.Fits) != expected.Nodes[n].Feasible {
			return nil
		}
	}
	var plugins []string
	for r, plugin := range expected.ScorePlugins {
		column := slices.Index(decision.ScorePlugins, plugin)
		for n, node := range decision.Nodes {
			scores := expected.Nodes[n].Scores
			if column < len(node.Scores) && r < len(scores) && !node.Scores[column].Agrees(scores[r]) {
				plugins = append(plugins, plugin)
				break
			}
		}
	}
	return plugins
}
