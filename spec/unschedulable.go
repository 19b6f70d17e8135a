package spec

import v1 "k8s.io/api/core/v1"

// NodeUnschedulable is the filter
//
//	Holds == \/ ~Node.Spec.Unschedulable
//	         \/ \E Toleration \in Pod.Spec.Tolerations :
//	                Tolerates(Toleration, node.kubernetes.io/unschedulable:NoSchedule)
//
// It answers for the plugin NodeUnschedulable, and reads only the node.
//
// Source: field doc of NodeSpec.unschedulable, and
// https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/#taint-nodes-by-condition.
// The taint of that name is the node controller's copy of the field. The filter reads the field,
// the toleration lifts both.
func NodeUnschedulable() Filter {
	return Filter{
		Plugin:    "NodeUnschedulable",
		Footprint: ReadsNode,
		Holds: func(_ *Profile, pod *v1.Pod, node *v1.Node, _ *Snapshot) bool {
			cordon := v1.Taint{Key: v1.TaintNodeUnschedulable, Effect: v1.TaintEffectNoSchedule}
			return !node.Spec.Unschedulable || Tolerated(cordon, pod)
		},
	}
}
