package conformance

import (
	"fmt"
	"testing"

	v1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"

	"github.com/seed-a3f26817/modelcheck/internal/generate"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestCopies: as many copies fit on a node as can be bound one after the other, each where Feasibility has it.
func TestCopies(t *testing.T) {
	m := spec.New(spec.DefaultProfile())
	questions := generate.DrawQuestion(generate.Scope{Nodes: 3, Pods: 6})
	known, several := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		q := questions.Draw(t, "question")
		copies, alone := m.Copies(q.Pod, spec.NewIndex(q.Snapshot))
		if !alone {
			return
		}
		known++
		for n, node := range q.Snapshot.Nodes {
			now, count := *q.Snapshot, 0
			for ; count <= copies[n] && m.Feasibility(q.Pod, node, &now); count++ {
				bound := q.Pod.DeepCopy()
				bound.Name, bound.Spec.NodeName = fmt.Sprintf("%s-%d", q.Pod.Name, count), node.Name
				now.Pods = append([]*v1.Pod{bound}, now.Pods...)
			}
			if count != copies[n] {
				t.Fatalf("%s takes %d copies of %s (or more), Copies says %d", node.Name, count, q.Pod.Name, copies[n])
			}
			if count > 1 {
				several++
			}
		}
	})
	if known == 0 || several == 0 {
		t.Errorf("%d questions were counted by node, on %d nodes there is more than one copy", known, several)
	}
}
