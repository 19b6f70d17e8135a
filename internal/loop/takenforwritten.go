package loop

import (
	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// takenForWritten is the defect that a nomination is not written that kube-scheduler takes for one that is there.
func takenForWritten() Known {
	return Known{
		Name: "nomination-taken-for-written", Class: spec.Unconfirmed, Upstream: "not reported",
		Doc: "When the nomination of a pod is taken away or changed, and kube-scheduler preempts for it on the same node " +
			"before it has heard of that, it goes by the pod that it has heard of, takes the nomination for one that is " +
			"written, and writes none: the victims are evicted for a pod that is nominated to no node, or another.",
		Explains: func(t *Transition, pod *v1.Pod) bool {
			told, was, is := t.Before.heard(Key(pod)), t.Before.Pod(Key(pod)), t.After.Pod(Key(pod))
			if t.Step.Popped != Key(pod) || told == nil || was == nil || is == nil || len(t.evicted()) == 0 {
				return false
			}
			node := told.Status.NominatedNodeName
			return node != "" && was.Status.NominatedNodeName != node &&
				is.Status.NominatedNodeName == was.Status.NominatedNodeName && t.After.nominatedTo(told) == node
		},
	}
}
