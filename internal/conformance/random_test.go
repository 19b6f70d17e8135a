package conformance

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-a3f26817/modelcheck/internal/generate"
	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestRandomClusters: production decides what the model allows, whatever the cluster; known defects are reproduced
// exactly. Every pending pod of a cluster asks. For a long run: go test ./conformance -run TestRandomClusters
// -rapid.checks=10000 -v
func TestRandomClusters(t *testing.T) {
	c := newChecker(t, defaultConfig(t)).with(spec.PodRequestsOverlooked(), spec.MissingRequestsOfBound(),
		spec.NominationsBesideTerminating(), spec.SharedPortFreed(), spec.UnreportedFree(), spec.WholeNames(),
		spec.WholeInstead())
	seen := map[string]int{}
	for _, scope := range []generate.Scope{{Nodes: 2, Pods: 3}, {Nodes: 3, Pods: 7}, {Nodes: 6, Pods: 12}} {
		t.Run(fmt.Sprintf("%d nodes, %d pods", scope.Nodes, scope.Pods), func(t *testing.T) {
			scope.Only = []generate.Group{generate.Resources}
			questions := generate.DrawQuestion(scope)
			rapid.Check(t, func(t *rapid.T) {
				q := drawn(t, questions.Draw(t, "question"))
				for _, pod := range spec.Unbound(q.Snapshot) {
					answer := c.ask(spec.Question{Pod: pod, Snapshot: q.Snapshot})
					check(t, answer)
					onlyModelled(t, answer)
					count(seen, answer)
				}
			})
		})
	}
	for _, property := range invariants.All() {
		if property.Decision != nil && seen[property.Name] == 0 && property.Name != invariants.NeverPreempts().Name {
			t.Errorf("%s was never exercised", property.Name)
		}
	}
	t.Log(seen)
}

// count notes what the answer was about.
func count(seen map[string]int, c *invariants.Case) {
	seen["questions"]++
	seen[c.Decision.Outcomes[0].Type.String()]++
	for _, property := range invariants.All() {
		if property.Decision == nil {
			continue
		}
		if applies, _ := property.Decision(c); applies {
			seen[property.Name]++
		}
	}
}

// onlyModelled fails if a plugin that the model does not know rejected a node or preferred one: generated clusters
// must not ask for more than is modelled, or properties of outcomes would say nothing.
func onlyModelled(t fatal, c *invariants.Case) {
	t.Helper()
	for f, plugin := range c.Decision.Filters {
		rejects := func(n spec.NodeDecision) bool { return n.Statuses[f] != spec.Fits }
		if !slices.Contains(c.Expected.Filters, plugin) && slices.ContainsFunc(c.Decision.Nodes, rejects) {
			t.Fatalf("%s rejects a node, and the model does not know it", plugin)
		}
	}
	for r, plugin := range c.Decision.ScorePlugins {
		var values []int64
		for _, n := range c.Decision.Nodes {
			if n.Scores != nil {
				values = append(values, n.Scores[r].Value)
			}
		}
		if !slices.Contains(c.Expected.ScorePlugins, plugin) && len(slices.Compact(values)) > 1 {
			t.Fatalf("%s prefers a node, and the model does not know it", plugin)
		}
	}
}
