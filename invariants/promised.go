package invariants

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// mostPromised is how many nodes are compared with each other: a promise is about any two.
const mostPromised = 100

// promised tells who says that a score which differs is wrong: a document, where kube-scheduler breaks what is
// promised of the plugin, or, where it does not, only the code from which the model has the numbers; empty where a
// document gives the numbers as well.
func (c *Case) promised(plugin string) string {
	i := slices.IndexFunc(spec.Promises(), func(p spec.Promise) bool { return p.Plugin == plugin })
	if i < 0 {
		return ""
	}
	promise := spec.Promises()[i]
	nodes, scores := c.scored(plugin)
	if len(nodes) <= mostPromised {
		if a, b, broken := promise.Broken(c.Spec.Profile, c.Question.Pod, nodes, c.Question.Snapshot, scores); broken {
			return fmt.Sprintf("is documented: %s is not to score less than %s, since %s", nodes[a].Name,
				nodes[b].Name, promise.Doc)
		}
	}
	return "only code states; no document gives the numbers"
}

// scored returns the nodes that kube-scheduler scored, and its plugin's scores of them without weight.
func (c *Case) scored(plugin string) (nodes []*v1.Node, scores []int64) {
	column := slices.Index(c.Decision.ScorePlugins, plugin)
	weight := max(1, c.Spec.Weight(spec.ScorePlugin{Plugin: plugin}))
	for n, node := range c.Decision.Nodes {
		if column >= 0 && node.Scores != nil {
			nodes = append(nodes, c.Question.Snapshot.Nodes[n])
			scores = append(scores, node.Scores[column].Value/weight)
		}
	}
	return nodes, scores
}
