package invariants

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// CountingOn returns the property that a filter's state may be updated, by AddPod and RemovePod, instead of made anew.
func CountingOn() Property {
	return Property{
		Name: "counting-on",
		Doc: "When a bound pod comes or goes and the filters bring up to date what they have counted (AddPod, " +
			"RemovePod), they say of its node what they say when they count afresh.",
		Decision: func(c *Case) (bool, []Breach) {
			if c.Increments == nil {
				return false, nil
			}
			increments, err := c.Increments()
			if err != nil {
				return true, []Breach{{Reason: err.Error()}}
			}
			var breaches []Breach
			for _, in := range increments {
				for f, plugin := range in.Filters {
					if in.Removed[f] != in.Without[f] {
						breaches = append(breaches, Breach{Plugin: plugin, Reason: fmt.Sprintf(
							"once %s goes, %s says that node %s %s; asked afresh, that it %s",
							podName(in.Pod), plugin, c.node(in.Node), verb(in.Removed[f]), verb(in.Without[f]))})
					}
					if in.Added[f] != in.With[f] {
						breaches = append(breaches, Breach{Plugin: plugin, Reason: fmt.Sprintf(
							"once %s comes, %s says that node %s %s; asked afresh, that it %s",
							podName(in.Pod), plugin, c.node(in.Node), verb(in.Added[f]), verb(in.With[f]))})
					}
				}
			}
			return len(increments) > 0, breaches
		},
		Explained: func(c *Case, s *spec.Scheduler) bool {
			increments, err := c.Increments()
			return err == nil &&
				!slices.ContainsFunc(increments, func(in spec.Increment) bool { return !counts(c.Question, in, s) })
		},
	}
}

// counts reports whether the model says of each filter that makes a difference what production says, in all four
// ways. A quirk of the model may tell a pod that was taken away or put on a node from one that was not, or was,
// there in the initial state.
func counts(q spec.Question, in spec.Increment, s *spec.Scheduler) bool {
	node := q.Snapshot.Nodes[in.Node]
	with := *q.Snapshot
	with.Pods = slices.Clone(with.Pods)
	pending := in.Pod.DeepCopy()
	pending.Spec.NodeName = ""
	without, waiting := with, with
	without.Pods = slices.DeleteFunc(slices.Clone(with.Pods), func(p *v1.Pod) bool { return p == in.Pod })
	waiting.Pods = append(slices.Clone(without.Pods), pending)
	for _, filter := range s.Filters() {
		f := slices.Index(in.Filters, filter.Plugin)
		if in.Removed[f] == in.Without[f] && in.Added[f] == in.With[f] {
			continue
		}
		allows := func(snapshot *spec.Snapshot, got spec.Status) bool {
			return s.Allowed(filter, q.Pod, node, snapshot).Allow(got)
		}
		if !allows(&with, in.With[f]) || !allows(&without, in.Without[f]) ||
			!allows(with.Without(in.Pod), in.Removed[f]) || !allows(waiting.WithBound(node, pending), in.Added[f]) {
			return false
		}
	}
	return true
}

func podName(pod *v1.Pod) string { return pod.Namespace + "/" + pod.Name }
