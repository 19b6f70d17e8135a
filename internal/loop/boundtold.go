package loop

import (
	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// boundToldFailed is the defect that a pod which somebody else has bound is told that it is not scheduled.
func boundToldFailed() Known {
	return Known{
		Name: "bound-told-failed", Class: spec.Unconfirmed, Upstream: "not reported",
		Doc: "When a pod that kube-scheduler is about to bind is bound by somebody else, its own attempt fails, and it " +
			"sees that the pod has a node, so that it does not try it again; yet it writes PodScheduled=False. It does so " +
			"too of another pod of the name that is bound by then.",
		Explains: func(t *Transition, pod *v1.Pod) bool {
			q, _ := t.Before.Queued(Key(pod))
			was, is := t.Before.heard(Key(pod)), t.After.Pod(Key(pod)) // it may not have heard of what it writes
			ends := q.Waits || t.Began != nil && t.Step.Popped == Key(pod) ||
				t.Action.Verb == Write && t.Before.bindsReplaced(Key(pod))
			return ends && was != nil && is != nil && was.UID == is.UID && was.Spec.NodeName != "" &&
				scheduled(was).Status != v1.ConditionFalse && scheduled(is).Status == v1.ConditionFalse
		},
	}
}
