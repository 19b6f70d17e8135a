package audit

import (
	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/internal/cluster"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// About is a question about some of the pods of a cluster.
type About struct {
	// Pods are those that it is about; nothing tells them apart.
	Pods     []*v1.Pod
	Question spec.Question
}

// Questions returns what an audit asks about the pods of a cluster: where each pending one would go as things are, and
// where bound ones would go if they were to be placed again, as many of them as is given; all if it is below 0.
func Questions(s *spec.Snapshot, bound int) []About {
	var all []About
	for _, pods := range alike(cluster.InQueueOrder(cluster.Waiting(s))) {
		all = append(all, About{pods, spec.Question{Pod: pods[0], Snapshot: s}})
	}
	var placed []*v1.Pod
	on := map[string]bool{}
	for _, node := range s.Nodes {
		on[node.Name] = true
	}
	for _, pod := range s.Pods {
		if on[pod.Spec.NodeName] && placedByScheduler(pod) {
			placed = append(placed, pod)
		}
	}
	for _, pod := range spread(byOwner(placed), bound) {
		asks, then := again(pod, s)
		all = append(all, About{[]*v1.Pod{pod}, spec.Question{Pod: asks, Snapshot: then}})
	}
	return all
}

// placedByScheduler reports whether a bound pod stays, and a scheduler placed it: a kubelet runs mirror pods from files
// of its own.
func placedByScheduler(pod *v1.Pod) bool {
	_, mirror := pod.Annotations[v1.MirrorPodAnnotationKey]
	return !mirror && pod.DeletionTimestamp == nil
}
