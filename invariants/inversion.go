package invariants

import (
	"fmt"
	"math/bits"
	"slices"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// NoLastingInversion returns the property that no pod waits that could be helped by evicting pods of lower priority.
//
// It is asked of every pod that is left pending while nothing terminates, whatever the others do: more than is
// wanted of states in which nobody moves any more, which are among them.
func NoLastingInversion() Property {
	return Property{
		Name: "no-lasting-inversion",
		Doc: "While nothing terminates, no pod that may preempt is left pending where it could be placed by evicting " +
			"only pods of lower priority from a node.",
		Decision: func(c *Case) (bool, []Breach) {
			s, pod := c.Question.Snapshot, c.Question.Pod
			terminates := func(p *v1.Pod) bool { return p.DeletionTimestamp != nil }
			waits := func(o spec.Outcome) bool { return o.Type == spec.Wait }
			if len(c.Unmodelled) > 0 || !c.Spec.Profile.Preempts || !spec.Preempts(pod) ||
				slices.ContainsFunc(s.Pods, terminates) ||
				!slices.ContainsFunc(c.Decision.Outcomes, waits) {
				return false, nil
			}
			applies := false
			var breaches []Breach
			for n, node := range s.Nodes {
				lower := spec.Jeopardy(pod, node, s)
				applies = applies || len(lower) > 0
				if victims := c.helpful(n, lower); victims != nil {
					breaches = append(breaches, Breach{
						Plugin:   "DefaultPreemption",
						ByDesign: slices.ContainsFunc(c.Expected.Outcomes, waits),
						Reason: fmt.Sprintf("the pod of priority %d is left pending, though it could be placed by "+
							"evicting %s from %s", priority(pod), names(victims), node.Name),
					})
				}
			}
			return applies, breaches
		},
	}
}

// helpful returns a smallest set of the pods without which the node is feasible; nil if there is none, or if none
// of them has to go.
func (c *Case) helpful(node int, pods []*v1.Pod) []*v1.Pod {
	var best []*v1.Pod
	for set := uint(1); set < 1<<min(len(pods), mostVictims); set++ {
		if n := bits.OnesCount(set); best != nil && n >= len(best) {
			continue
		}
		var victims []*v1.Pod
		for i, pod := range pods {
			if set&(1<<i) != 0 {
				victims = append(victims, pod)
			}
		}
		if c.FeasibleWithout(node, victims) {
			best = victims
		}
	}
	return best
}

// mostVictims is how many pods of a node are gone through in all combinations.
const mostVictims = 10
