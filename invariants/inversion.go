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
				!slices.ContainsFunc(c.Decision.Outcomes, waits) ||
				slices.ContainsFunc(s.Pods, terminates) {
				return false, nil
			}
			search := victimSearch{Case: c, monotone: c.monotone(), left: mostTried}
			applies := false
			var breaches []Breach
			for n, lower := range c.inJeopardy() {
				node := s.Nodes[n]
				applies = applies || len(lower) > 0
				if victims := search.helpful(n, lower); victims != nil {
					breaches = append(breaches, Breach{
						Plugin:   "DefaultPreemption",
						ByDesign: slices.ContainsFunc(c.Expected.Outcomes, waits),
						Reason: fmt.Sprintf("the pod of priority %d is left pending, though it could be placed by "+
							"evicting %s from %s", priority(pod), names(victims), node.Name),
					})
				}
			}
			return (applies && search.left > 0) || len(breaches) > 0, breaches
		},
	}
}

// inJeopardy returns the pods that the pod may evict, by node, in the snapshot's order.
func (c *Case) inJeopardy() [][]*v1.Pod {
	if c.lower != nil {
		return c.lower
	}
	s := c.Question.Snapshot
	nodes, lower := nodesByName(s.Nodes), make([][]*v1.Pod, len(s.Nodes))
	for _, pod := range s.Pods {
		if pod.Spec.NodeName == "" || priority(pod) >= priority(c.Question.Pod) {
			continue
		}
		if n := nodes(pod.Spec.NodeName); n >= 0 {
			lower[n] = append(lower[n], pod)
		}
	}
	c.lower = lower
	return lower
}

// nodesByName returns the function that gives the index of the node of a name; -1 if there is none.
func nodesByName(nodes []*v1.Node) func(name string) int {
	if len(nodes) <= 8 { // where looking is quicker than a map
		return func(name string) int {
			return slices.IndexFunc(nodes, func(node *v1.Node) bool { return node.Name == name })
		}
	}
	at := make(map[string]int, len(nodes))
	for n, node := range nodes {
		at[node.Name] = n
	}
	return func(name string) int {
		if n, is := at[name]; is {
			return n
		}
		return -1
	}
}

// monotone reports whether a node that is feasible without some pods is known to be without more of them, too.
func (c *Case) monotone() bool {
	return c.Spec.Reading() == spec.Kubernetes && c.Spec.Monotone(c.Question.Pod, c.Question.Snapshot)
}

// victimSearch is the search of all nodes for pods whose eviction would help.
type victimSearch struct {
	*Case
	monotone bool
	left     int // how often it may still ask
}

// helpful returns a smallest set of the pods without which the node is feasible; nil if there is none, or if none
// of them has to go.
func (c *victimSearch) helpful(node int, pods []*v1.Pod) []*v1.Pod {
	if c.monotone && (len(pods) == 0 || !c.FeasibleWithout(node, pods)) {
		return nil
	}
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
		if c.left--; c.left < 0 {
			break
		}
		if c.FeasibleWithout(node, victims) {
			best = victims
		}
	}
	if best == nil && c.monotone {
		return pods // more than are gone through
	}
	return best
}

// mostVictims is how many pods of a node are gone through in all combinations.
const mostVictims = 10

// mostTried is how often the pods of all nodes are tried. Where that does not suffice, and nothing was found, nothing
// is said.
const mostTried = 1 << 16
