package plugin_test

import (
	"slices"
	"strconv"
	"testing"

	v1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"

	"github.com/seed-a3f26817/modelcheck"
	"github.com/seed-a3f26817/modelcheck/examples/plugin"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// scheduler is kube-scheduler with the plugin, and what the plugin is documented to do: both predicates read the
// node only.
var scheduler = modelcheck.Scheduler{Plugins: []modelcheck.Plugin{{
	Name: plugin.Name, New: plugin.New,
	Filter: &spec.Filter{
		Footprint: spec.ReadsNode,
		Holds: func(_ *spec.Profile, pod *v1.Pod, node *v1.Node, _ *spec.Snapshot) bool {
			team, reserved := node.Labels[plugin.TeamLabel]
			mine, ours := pod.Labels[plugin.TeamLabel]
			return !reserved || ours && mine == team
		},
	},
	Score: &spec.ScorePlugin{Footprint: spec.ReadsNode, Raw: rank, Normalize: inProportion},
}}}

// TestEveryCluster goes through every cluster of up to two nodes and three pods of these templates.
func TestEveryCluster(t *testing.T) {
	scheduler.Test(t, modelcheck.Scope{Templates: templates, Nodes: 2, Pods: 3})
}

// TestDrawnClusters asks about random clusters, in which nodes and pods have the plugin's labels.
func TestDrawnClusters(t *testing.T) {
	scheduler.TestRandom(t, rapid.Custom(func(t *rapid.T) spec.Question {
		q := modelcheck.DrawQuestion(modelcheck.Clusters{
			Nodes: 3, Pods: 4, Only: []modelcheck.Group{modelcheck.Resources},
		}).Draw(t, "question")
		for _, node := range q.Snapshot.Nodes {
			modelcheck.Label(t, node, plugin.TeamLabel, "red", "blue", "")
			modelcheck.Label(t, node, plugin.RankLabel, "0", "7", "1000", "1001", "007", "high")
		}
		for _, pod := range q.Snapshot.Pods {
			modelcheck.Label(t, pod, plugin.TeamLabel, "red", "blue", "")
		}
		return q
	}))
}

// rank is the rank that the label states, a whole number from 0 to 1000; anything else counts as 0.
func rank(_ *spec.Profile, _ *v1.Pod, node *v1.Node, _ *spec.Snapshot) int64 {
	if n, err := strconv.Atoi(node.Labels[plugin.RankLabel]); err == nil && 0 <= n && n <= 1000 {
		return int64(n)
	}
	return 0
}

// inProportion returns the highest rank 100, and others in proportion, rounded down.
func inProportion(ranks []int64) []int64 {
	scores := make([]int64, len(ranks))
	if highest := slices.Max(ranks); highest > 0 {
		for i, rank := range ranks {
			scores[i] = 100 * rank / highest
		}
	}
	return scores
}

const templates = `
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Node, metadata: {name: red, labels: {example.com/team: red, example.com/rank: "7"}}, status: {allocatable: {cpu: "2", pods: "9"}}}
- {apiVersion: v1, kind: Node, metadata: {name: ranked, labels: {example.com/rank: "9"}}, status: {allocatable: {cpu: "2", pods: "9"}}}
- {apiVersion: v1, kind: Node, metadata: {name: plain, labels: {example.com/rank: high}}, status: {allocatable: {cpu: "2", pods: "9"}}}
- {apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: urgent}, value: 10}
- {apiVersion: v1, kind: Pod, metadata: {name: red, labels: {example.com/team: red}}, spec: {containers: [{name: c, image: c, resources: {requests: {cpu: "1"}}}]}}
- {apiVersion: v1, kind: Pod, metadata: {name: blue, labels: {example.com/team: blue}}, spec: {priorityClassName: urgent, containers: [{name: c, image: c, resources: {requests: {cpu: "2"}}}]}}
- {apiVersion: v1, kind: Pod, metadata: {name: nobody}, spec: {containers: [{name: c, image: c, resources: {requests: {cpu: "1"}}}]}}
`
