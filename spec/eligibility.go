package spec

import v1 "k8s.io/api/core/v1"

// Preempts reports whether the pod ever evicts others: its preemptionPolicy is not Never.
//
// Source:
// https://kubernetes.io/docs/concepts/scheduling-eviction/pod-priority-preemption/#non-preempting-priority-class.
func Preempts(pod *v1.Pod) bool {
	return pod.Spec.PreemptionPolicy == nil || *pod.Spec.PreemptionPolicy != v1.PreemptNever
}

// AwaitsVictims reports whether the pod waits for an earlier preemption to finish: on the node it is
// nominated to, a pod of lower priority is terminating because of a preemption.
//
//	\E Node \in S : /\ Pod.Status.NominatedNodeName = Node.Name
//	                /\ \E Victim \in Jeopardy(Pod, Node, S) : TerminatingByPreemption(Victim)
//
// Source: doc comment of DefaultPreemption.PodEligibleToPreemptOthers ("as long as there are terminating pods on
// this node, we don't attempt to preempt more pods").
func AwaitsVictims(pod *v1.Pod, s *Snapshot) bool {
	return exists(nominatedNodes(pod, s), func(node *v1.Node) bool {
		return exists(Jeopardy(pod, node, s), TerminatingByPreemption)
	})
}

// nominatedNodes returns the node that the pod is nominated to, if it is in the snapshot.
func nominatedNodes(pod *v1.Pod, s *Snapshot) []*v1.Node {
	return filter(s.Nodes, func(node *v1.Node) bool { return node.Name == pod.Status.NominatedNodeName })
}

// TerminatingByPreemption reports whether the pod is on its way out because the scheduler evicted it: it has
// a deletion timestamp, and the condition DisruptionTarget with the reason PreemptionByScheduler.
//
// Source: https://kubernetes.io/docs/concepts/workloads/pods/disruptions/#pod-disruption-conditions.
func TerminatingByPreemption(pod *v1.Pod) bool {
	return pod.DeletionTimestamp != nil && exists(pod.Status.Conditions, func(c v1.PodCondition) bool {
		return c.Type == v1.DisruptionTarget && c.Status == v1.ConditionTrue &&
			c.Reason == v1.PodReasonPreemptionByScheduler
	})
}
