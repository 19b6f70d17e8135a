package spec

import v1 "k8s.io/api/core/v1"

// Unkept returns the filters that would not let a bound pod be where it is, were it to be placed there now:
//
//	{Filter : ~Filter.Holds(Unbound(Pod), Node, Snapshot \ {Pod})}
//
// by plugin, in the model's order. Nobody is evicted for it: what is required of a node is required "during scheduling"
// and "ignored during execution". Nominations are left aside. A pod whose node is not in the snapshot has none.
//
// Source: https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#affinity-and-anti-affinity
// (IgnoredDuringExecution).
func (m *Scheduler) Unkept(pod *v1.Pod, s *Snapshot) []string {
	on := filter(s.Nodes, func(node *v1.Node) bool { return node.Name == pod.Spec.NodeName })
	if len(on) == 0 {
		return nil
	}
	others, asks := s.Without(pod), unbound(pod)
	others.gone = s.gone // it is not taken away from what was counted: it comes
	rejecting := filter(m.filters, func(f Filter) bool { return !f.Holds(m.Profile, asks, on[0], others) })
	return each(rejecting, func(f Filter) string { return f.Plugin })
}

// UnkeptIndexed is Unkept of each of several pods that nothing but their names and nodes tells apart, by an index of
// the snapshot.
func (m *Scheduler) UnkeptIndexed(pods []*v1.Pod, x *Index) [][]string {
	if m.text != nil || len(m.quirks) > 0 || len(x.Snapshot.gone) > 0 || len(pods) == 0 {
		return each(pods, func(pod *v1.Pod) []string { return m.Unkept(pod, x.Snapshot) })
	}
	asked := m.indexed(unbound(pods[0]), x)
	return each(pods, func(pod *v1.Pod) []string {
		n, ok := x.nodeOf(pod)
		if !ok {
			return nil
		}
		at := asked.at(n, pod)
		rejecting := filter(asked.asks, func(ask indexedFilter) bool { return !ask.ask(at) })
		return each(rejecting, func(ask indexedFilter) string { return ask.Plugin })
	})
}

// unbound returns the pod as it was when it waited for a node.
func unbound(pod *v1.Pod) *v1.Pod {
	waiting := pod.DeepCopy()
	waiting.Spec.NodeName = ""
	waiting.Status = v1.PodStatus{Phase: v1.PodPending}
	waiting.DeletionTimestamp, waiting.DeletionGracePeriodSeconds = nil, nil
	return waiting
}
