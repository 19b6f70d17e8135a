package invariants

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// NominationHasReason returns the property that a nomination lasts only while victims terminate.
func NominationHasReason() Property {
	return Property{
		Name: "nomination-has-reason",
		Doc: "A pod that is left pending keeps a nomination only while victims of a preemption terminate on the " +
			"node; but for one that never preempts, or that nobody asks to.",
		Decision: func(c *Case) (bool, []Breach) {
			pod, s := c.Question.Pod, c.Question.Snapshot
			if pod.Status.NominatedNodeName == "" || len(s.Nodes) == 0 || !spec.Preempts(pod) ||
				!c.Spec.Profile.Preempts ||
				c.Expected.NoDecision ||
				c.Spec.KeepsNomination(pod, s) {
				return false, nil
			}
			kept := func(o spec.Outcome) bool { return o.Type == spec.Wait && o.KeepsNomination }
			if !slices.ContainsFunc(c.Decision.Outcomes, kept) || c.victimsTerminate() {
				return true, nil
			}
			return true, []Breach{{Plugin: "DefaultPreemption", Reason: fmt.Sprintf(
				"the pod keeps its nomination to %s, where no victim terminates", pod.Status.NominatedNodeName)}}
		},
	}
}

// OnePreemptionAtATime returns the property that a pod does not preempt again while its victims terminate.
func OnePreemptionAtATime() Property {
	return Property{
		Name: "one-preemption-at-a-time",
		Doc: "No pod preempts again while victims terminate on the node it is nominated to, unless that node will " +
			"not take it even if every pod on it were gone.",
		Decision: func(c *Case) (bool, []Breach) {
			if !c.victimsTerminate() {
				return false, nil
			}
			_, breaches := eachPreemption(func(c *Case, o spec.Outcome) []Breach {
				nominated := slices.IndexFunc(
					c.Question.Snapshot.Nodes,
					func(n *v1.Node) bool { return n.Name == c.Question.Pod.Status.NominatedNodeName },
				)
				if slices.ContainsFunc(c.Expected.Nodes[nominated].Statuses, neverFits) {
					return nil
				}
				return []Breach{preemption("the pod evicts %s from %s, while victims terminate on %s for its sake",
					names(o.Victims), c.node(o.Node), c.node(nominated))}
			})(c)
			return true, breaches
		},
	}
}

// victimsTerminate reports whether pods of lower priority terminate because of a preemption on the node that the
// pod is nominated to.
func (c *Case) victimsTerminate() bool {
	return spec.AwaitsVictims(c.Question.Pod, c.Question.Snapshot)
}
