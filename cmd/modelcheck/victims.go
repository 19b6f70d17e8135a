package main

import (
	"slices"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/internal/scenario"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// maxVictimSets is how many sets of pods of one node are weighed for the sake of a pod. With 2^18 of them one
// question takes 7 s, and nothing ends it before (modelcheck --max-states 100 on a node with 18 pods that all have
// to go).
const maxVictimSets = 1 << 18

// weighable refuses pods that must preempt at once where there are too many sets of victims. Of pods that are alike
// only the number counts, or each one, if they are named.
func weighable(m *spec.Scheduler, pods []*v1.Pod, s *spec.Snapshot, named bool) error {
	cluster := scenario.OfCluster("", s, model.Actions{})
	for _, pod := range pods {
		m := m.For(pod)
		never := !spec.Preempts(pod) || m.Reading() == spec.Kubernetes && !m.Profile.Preempts
		if never || spec.AwaitsVictims(pod, s) {
			continue
		}
		for i, node := range s.Nodes {
			n := victimSets(pod, cluster, i, named)
			if n <= maxVictimSets {
				continue
			}
			if slices.ContainsFunc(s.Nodes, func(node *v1.Node) bool { return m.Feasibility(pod, node, s) }) {
				break // it preempts nobody
			}
			return usage("Pod %s/%s fits on no node, and may evict any of %d pods of node %s: these are about %.1g "+
				"sets of "+"victims, each of which is weighed, and at most %d can be; "+"leave out pods of lower "+
				"priority that do not matter, or ask about the pod with "+"preemptionPolicy: Never", pod.Namespace,
				pod.Name, len(spec.Jeopardy(pod, node, s)), node.Name, n, maxVictimSets)
		}
	}
	return nil
}

// victimSets returns how many sets of pods of the node could be evicted for the sake of the pod.
func victimSets(pod *v1.Pod, cluster *model.Scenario, node int, named bool) float64 {
	count := map[model.ClusterPod]int{}
	sets := 1.0
	for _, bound := range cluster.Initial[0].Nodes[node].Bound {
		if spec.Priority(cluster.Pods[bound.Template].Pod) >= spec.Priority(pod) {
			continue
		}
		is := model.ClusterPod{Template: bound.Template, Phase: bound.Phase}
		if named {
			sets *= 2
			continue
		}
		sets = sets / float64(count[is]+1) * float64(count[is]+2)
		count[is]++
	}
	return sets
}
