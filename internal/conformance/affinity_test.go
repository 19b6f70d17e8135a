package conformance

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-a3f26817/modelcheck/internal/generate"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// neighbourhoods draws clusters of pods that look at each other, with room on every node.
func neighbourhoods() *rapid.Generator[spec.Question] {
	return generate.DrawQuestion(generate.Scope{Nodes: 5, Pods: 8, Only: []generate.Group{generate.Neighbours}})
}

// TestPodsThatLookAtEachOther: production decides what the model allows about pods that have to do with each other, or
// quirks explain the whole decision. With all quirks together the model agrees with production always.
func TestPodsThatLookAtEachOther(t *testing.T) {
	newChecker(t, defaultConfig(t)).explainsNeighbourhoods(t)
}

// explainsNeighbourhoods asks about random clusters. The log says which quirks explained how many decisions.
func (c *checker) explainsNeighbourhoods(t *testing.T) {
	neighbourhoods := neighbourhoods()
	seen, everything := map[string]int{}, c.with(defects()...)
	rapid.Check(t, func(t *rapid.T) {
		q := drawn(t, neighbourhoods.Draw(t, "question"))
		answer := c.ask(q)
		seen["asked"]++
		if reasons := breaches(everything.compare(q, answer.Decision)); len(reasons) > 0 {
			t.Fatalf("without quirks: %q\nwith all quirks: %q\nthe question:\n%s", breaches(answer), reasons,
				relations(q))
		}
		if len(breaches(answer)) > 0 {
			for _, quirk := range c.explain(q, answer.Decision) {
				seen["explained by "+quirk.Name]++
			}
		}
	})
	for _, what := range slices.Sorted(maps.Keys(seen)) {
		t.Logf("%7d %s", seen[what], what)
	}
}

// TestNeighbourhoodsAreVaried: the clusters above make each of their plugins say different things, often.
func TestNeighbourhoodsAreVaried(t *testing.T) {
	c := newChecker(t, defaultConfig(t))
	questions := neighbourhoods()
	rejected, preferred := map[string]int{}, map[string]int{}
	const asked = 400
	for seed := range asked {
		answer := c.ask(drawn(t, questions.Example(seed)))
		for f, plugin := range answer.Expected.Filters {
			if slices.ContainsFunc(
				answer.Expected.Nodes,
				func(n spec.ExpectedOnNode) bool { return !n.Statuses[f].Holds },
			) {
				rejected[plugin]++
			}
		}
		for r, plugin := range answer.Expected.ScorePlugins {
			if different(answer.Expected.Nodes, r) {
				preferred[plugin]++
			}
		}
	}
	for _, plugin := range []string{"InterPodAffinity", "PodTopologySpread"} {
		if n := rejected[plugin]; n < asked/10 || n > asked*9/10 {
			t.Errorf("%s rejects some node in %d of %d clusters", plugin, n, asked)
		}
	}
	for _, plugin := range []string{"InterPodAffinity", "PodTopologySpread", "ImageLocality"} {
		if n := preferred[plugin]; n < asked/20 {
			t.Errorf("%s prefers some node in %d of %d clusters", plugin, n, asked)
		}
	}
}

// different reports whether a score plugin prefers some of the feasible nodes.
func different(nodes []spec.ExpectedOnNode, scorePlugin int) bool {
	var values []int64
	for _, n := range nodes {
		if n.Scores != nil {
			values = append(values, n.Scores[scorePlugin].Value)
		}
	}
	slices.Sort(values)
	return len(slices.Compact(values)) > 1
}

// relations shows what the question's pods say about each other.
func relations(q spec.Question) string {
	var text strings.Builder
	show := func(format string, args ...any) { fmt.Fprintf(&text, format, args...) }
	for _, node := range q.Snapshot.Nodes {
		show("node %s: labels %v, taints %v, images %v\n", node.Name, node.Labels, node.Spec.Taints, node.Status.Images)
	}
	for _, pod := range q.Snapshot.Pods {
		affinity, _ := json.Marshal(pod.Spec.Affinity)
		constraints, _ := json.Marshal(pod.Spec.TopologySpreadConstraints)
		show("pod %s/%s: on %q, nominated to %q, priority %d, terminates %v, labels %v, selects %v\n\taffinity "+
			"%s\n\tspread %s\n", pod.Namespace, pod.Name, pod.Spec.NodeName, pod.Status.NominatedNodeName,
			spec.Priority(pod), pod.DeletionTimestamp != nil, pod.Labels, pod.Spec.NodeSelector, affinity, constraints)
	}
	return text.String()
}
