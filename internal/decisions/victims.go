package decisions

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// maxVictimSets is how many sets of pods of one node are weighed for the sake of a pod. With 2^18 of them one
// question takes 7 s, and nothing ends it before (modelcheck --max-states 100 on a node with 18 pods that all have
// to go).
const maxVictimSets = 1 << 18

// TooManyVictimsError is that a pod must preempt at once where there are too many sets of victims for the model as
// first written, which allows any.
type TooManyVictimsError struct {
	// Pod, by namespace and name, may evict any of Victims pods of Node, in Sets sets.
	Pod, Node string
	Victims   int
	Sets      float64
}

// Error says what to do about it.
func (e *TooManyVictimsError) Error() string {
	return fmt.Sprintf("Pod %s fits on no node, and may evict any of %d pods of node %s: of these about %.1g sets the "+
		"literal reading weighs each, and at most %d can be; leave out pods of lower priority that do not matter, or "+
		"ask in the reading of Kubernetes", e.Pod, e.Victims, e.Node, e.Sets, maxVictimSets)
}

// Weighable returns a TooManyVictimsError if, in the literal reading, one of the pending pods must preempt at once
// where there are too many sets of victims. Of pods that are alike only the number counts; alike is the cluster of the
// snapshot as a scenario, which says which are. If it is nil, each pod counts.
func Weighable(m *spec.Scheduler, pods []*v1.Pod, s *spec.Snapshot, alike *model.Scenario) error {
	if m.Reading() != spec.Literal {
		return nil
	}
	for _, pod := range pods {
		m := m.For(pod)
		if !spec.Preempts(pod) || spec.AwaitsVictims(pod, s) {
			continue
		}
		for i, node := range s.Nodes {
			n := victimSets(pod, node, s)
			if alike != nil {
				n = alikeVictimSets(pod, alike, i)
			}
			if n <= maxVictimSets {
				continue
			}
			if slices.ContainsFunc(s.Nodes, func(node *v1.Node) bool { return m.Feasibility(pod, node, s) }) {
				break // it preempts nobody
			}
			return &TooManyVictimsError{pod.Namespace + "/" + pod.Name, node.Name, len(spec.Jeopardy(pod, node, s)), n}
		}
	}
	return nil
}

// victimSets returns how many sets of pods of the node could be evicted for the sake of the pod.
func victimSets(pod *v1.Pod, node *v1.Node, s *spec.Snapshot) float64 {
	sets := 1.0
	for _, bound := range spec.PodsOn(node, s) {
		if spec.Priority(bound) < spec.Priority(pod) {
			sets *= 2
		}
	}
	return sets
}

// alikeVictimSets returns how many multisets of pods of a node, by index, these are.
func alikeVictimSets(pod *v1.Pod, cluster *model.Scenario, node int) float64 {
	count := map[model.ClusterPod]int{}
	sets := 1.0
	for _, bound := range cluster.Initial[0].Nodes[node].Bound {
		if spec.Priority(cluster.Pods[bound.Template].Pod) >= spec.Priority(pod) {
			continue
		}
		is := model.ClusterPod{Template: bound.Template, Phase: bound.Phase}
		sets = sets / float64(count[is]+1) * float64(count[is]+2)
		count[is]++
	}
	return sets
}
