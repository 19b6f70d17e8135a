package decisions

import (
	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// Incremental is a decider that can let a bound pod come and go; a decider need not be one.
type Incremental interface {
	Increment(q spec.Question, pod *v1.Pod) (*spec.Increment, error)
}

// increments lets every bound pod of the question come and go.
func increments(decider Incremental, q spec.Question) ([]spec.Increment, error) {
	var all []spec.Increment
	for _, node := range q.Snapshot.Nodes {
		for _, pod := range spec.PodsOn(node, q.Snapshot) {
			in, err := decider.Increment(q, pod)
			if err != nil {
				return nil, err
			}
			all = append(all, *in)
		}
	}
	return all, nil
}
