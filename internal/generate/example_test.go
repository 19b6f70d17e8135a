package generate_test

import (
	"fmt"
	"log"

	"pgregory.net/rapid"

	"github.com/seed-a3f26817/modelcheck/internal/generate"
	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// A question about small clusters whose nodes have a label that the generators do not know.
func ExampleLabel() {
	questions := rapid.Custom(func(t *rapid.T) spec.Question {
		q := generate.DrawQuestion(generate.Scope{Nodes: 3, Pods: 4}).Draw(t, "question")
		for _, node := range q.Snapshot.Nodes {
			generate.Label(t, node, "example.com/team", "red", "blue")
		}
		return q
	})
	q, err := generate.Admitted(questions.Example(1), admission.Admit) // in a test: questions.Draw(t, "question")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(q.Snapshot.Nodes) <= 3, len(q.Snapshot.Pods) <= 1+4, q.Pod.Spec.NodeName == "")
	// Output: true true true
}

// A cluster alone, and generators of single objects.
func ExampleCluster() {
	s := generate.Cluster(generate.Scope{Nodes: 2, Pods: 2}).Example(1)
	node, pod := generate.Named(generate.Node().Example(1), "one-more"), generate.Pod().Example(1)
	budget := generate.Budget(s.Pods).Example(1)
	fmt.Println(len(s.Nodes) <= 2, node.Name, pod.Spec.SchedulerName, budget.Spec.MinAvailable)
	// Output: true one-more default-scheduler <nil>
}
