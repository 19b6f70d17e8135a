package scenario

import (
	"slices"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// OfTrace returns the scenario of a trace: it begins with the cluster of the snapshot, and the pods arrive in the
// order given, each under its own name.
func OfTrace(name string, s *spec.Snapshot, arriving []*v1.Pod, actions model.Actions) *model.Scenario {
	all := *s
	for _, pod := range arriving {
		pending := pod.DeepCopy()
		pending.Spec.NodeName, pending.DeletionTimestamp, pending.Status = "", nil, v1.PodStatus{}
		if start := pod.Status.StartTime; start != nil {
			// Its kind says when it will start: such a start counts of pods that have a node, so it has one that is
			// not there.
			pending.Spec.NodeName, pending.Status.StartTime = "to be bound", start
		}
		all.Pods = append(slices.Clone(all.Pods), pending)
	}
	scenario := OfCluster(name, &all, actions)
	// OfCluster lets them all wait; they arrive later.
	initial := &scenario.Initial[0]
	waiting := len(initial.Pending) - len(arriving)
	initial.Pending = initial.Pending[:waiting]
	return scenario
}
