package scenario

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// Actions are those that the scenario lets happen, without the arrivals.
func (c *Checked) Actions() model.Actions {
	a := c.Spec.Actions
	return model.Actions{
		Completions: a.Completions, Deletions: a.Deletions, Placements: a.Placements, Recreations: a.Recreations,
		NodeChanges: a.NodeChanges, RefreshBudgets: a.RefreshBudgets, StartInOrder: a.StartInOrder,
		Preempt: ptr.Deref(a.Preempt, true), VictimGone: ptr.Deref(a.VictimGone, true), Order: c.order(),
	}
}

// order is which pending pod is scheduled next.
func (c *Checked) order() model.Order {
	if c.Spec.Order == model.AnyOrder.String() {
		return model.AnyOrder
	}
	return model.QueueOrder
}

// Model returns what is explored: the cluster of the snapshot, in each number of nodes that the scenario allows, in
// which its pods arrive. Where a rule tells pods or nodes apart by their names, each is a kind of its own. The
// error says why what the scenario asks for is not there to be explored.
func (c *Checked) Model(s *spec.Snapshot) (*model.Scenario, error) {
	all := *s
	kinds := newTemplates(&all)
	kinds.apart = c.Names()
	scenario := ofCluster(kinds, c.Metadata.Name, &all, c.Actions())
	scenario.Doc = c.Spec.Description
	c.arrive(scenario, kinds, &all)
	if scenario.Actions.Arrivals > mostPods {
		return nil, c.wrong("spec.actions.arrivals", "%d pods may arrive: at most %d can be explored",
			scenario.Actions.Arrivals, mostPods)
	}
	if err := c.eachNumber(scenario, s); err != nil {
		return nil, err
	}
	return scenario, nil
}

func (c *Checked) wrong(field, format string, args ...any) error {
	return &Error{Source: c.Source, Object: c.String(), Field: field, Err: fmt.Errorf(format, args...)}
}

// arrive lets the pods arrive that the scenario allows. Those that are to be told apart have names of their own,
// given beforehand.
func (c *Checked) arrive(scenario *model.Scenario, kinds *templates, s *spec.Snapshot) {
	bounds := map[int]int{}
	total := 0
	for _, a := range c.arrivals {
		total += a.atMost
		if !kinds.apart {
			kind, _ := kinds.pod(a.like)
			bounds[kind] += a.atMost
			if a.base != "" && kinds.pods[kind].Fixed[0] == a.base+"-1" {
				kinds.pods[kind].Name = a.base
			}
			continue
		}
		for range a.atMost {
			pod := a.like.DeepCopy()
			taken := func(p *v1.Pod) bool { return p.Namespace == pod.Namespace && p.Name == pod.Name }
			for i := 2; slices.ContainsFunc(s.Pods, taken); i++ {
				pod.Name = fmt.Sprintf("%s-%d", a.like.Name, i)
			}
			s.Pods = append(slices.Clone(s.Pods), pod)
			kind, _ := kinds.pod(pod)
			bounds[kind] = 1
		}
	}
	scenario.Pods = kinds.pods
	scenario.Actions.Arrivals = min(total, ptr.Deref(c.Spec.Actions.Arrivals, total))
	for kind := range scenario.Pods {
		scenario.Actions.ArrivalsOfTemplate = append(scenario.Actions.ArrivalsOfTemplate, bounds[kind])
	}
}

// eachNumber adds the initial clusters in which the last nodes of a range are not there.
func (c *Checked) eachNumber(scenario *model.Scenario, s *spec.Snapshot) error {
	missing := [][]string{nil}
	for _, r := range c.ranges {
		var more [][]string
		for left := r.least; left <= len(r.names); left++ {
			for _, others := range missing {
				more = append(more, slices.Concat(others, r.names[left:]))
			}
		}
		missing = more
	}
	whole := scenario.Initial[0]
	scenario.Initial = nil
	for _, names := range missing {
		cluster := model.Cluster{}
		for i, place := range whole.Nodes {
			switch name := s.Nodes[i].Name; {
			case !slices.Contains(names, name):
				cluster.Nodes = append(cluster.Nodes, place)
			case len(place.Bound)+len(place.Nominated) > 0:
				return c.wrong("spec.nodes",
					"node %s has pods in the initial state, so it cannot be missing: raise atLeast", name)
			}
		}
		if len(cluster.Nodes) == 0 {
			return c.wrong("spec.nodes", "there may be no node at all: raise atLeast")
		}
		for _, pod := range whole.Pending {
			if !slices.ContainsFunc(
				names,
				func(name string) bool { return goesTo(scenario.Pods[pod.Template].Pod, name) },
			) {
				cluster.Pending = append(cluster.Pending, pod)
			}
		}
		scenario.Initial = append(scenario.Initial, cluster)
	}
	return nil
}
