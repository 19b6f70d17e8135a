package loop

import (
	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// earlierClaimUnheard is the defect that nobody is told that a claim is gone which was in the way of its own pod.
func earlierClaimUnheard() Known {
	return Known{
		Name: "earlier-claim-unheard", Class: spec.Unconfirmed, Upstream: "not reported",
		Doc: "A claim that was made for extended resources of a pod, and is in its way since, is deleted when no node is " +
			"feasible, so that the pod can be placed without it; but the hint of DynamicResources skips claims that are " +
			"deleted without an allocation, and the pod is not retried.",
		Explains: func(t *Transition, pod *v1.Pod) bool {
			gone := t.Action.Verb == Schedule && t.Step.Popped == Key(pod) ||
				t.Action.Ref.Kind == "ResourceClaim" // where informers lag, or somebody else is faster
			return gone && t.rejectedBy(pod, "DynamicResources") &&
				spec.EarlierClaim(pod, t.Before.View()) != nil && spec.EarlierClaim(pod, t.After.View()) == nil
		},
	}
}
