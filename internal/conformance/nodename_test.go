package conformance

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-a3f26817/modelcheck/internal/generate"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestNodeName: a pod that names a node is bound and asks nobody, so no run sees the filter NodeName reject. Asked
// all the same, it says of every node what the model says.
func TestNodeName(t *testing.T) {
	c := newChecker(t, defaultConfig(t))
	questions := generate.DrawQuestion(generate.Scope{Nodes: 3, Pods: 3})
	accepts, rejects := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		q := drawn(t, questions.Draw(t, "question"))
		names := []string{"nowhere"}
		for _, node := range q.Snapshot.Nodes {
			names = append(names, node.Name)
		}
		pod := q.Pod.DeepCopy()
		pod.Spec.NodeName = rapid.SampledFrom(names).Draw(t, "node")
		decision := c.production.Decide(spec.Question{Pod: pod, Snapshot: q.Snapshot})
		column := slices.Index(decision.Filters, "NodeName")
		for n, node := range q.Snapshot.Nodes {
			want := spec.NodeName().Holds(nil, pod, node, q.Snapshot)
			if got := decision.Nodes[n].Statuses[column] == spec.Fits; got != want {
				t.Fatalf("a pod that names %s fits %s: %v, the model says %v", pod.Spec.NodeName, node.Name, got, want)
			}
			if want {
				accepts++
			} else {
				rejects++
			}
		}
	})
	if accepts == 0 || rejects == 0 {
		t.Errorf("%d nodes accepted, %d rejected; both are wanted", accepts, rejects)
	}
	t.Logf("%d nodes accepted, %d rejected", accepts, rejects)
}
