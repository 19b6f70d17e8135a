package loop

import (
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// batches returns the property that what a cycle found is used for an equal pod.
//
// Source: KEP-5598, and the doc comments of StoreScheduleResults ("stores results from scheduling for use as a batch
// later") and GetNodeHint ("provides a hint for the pod based on filtering a scoring results of previous cycles") of
// OpportunisticBatch in k8s.io/kubernetes/pkg/scheduler/framework/runtime. A pod that is nominated is tried on its
// node. Where nothing scores, kube-scheduler takes the first node that it finds feasible (stated in code), so there are
// no others. Before v1.37 it is not asked: there what pods are taken for equal is not known before they are tried.
func batches() Property {
	return Property{
		Name: "batches",
		Doc: "A pod that is placed leaves the other nodes that are feasible for it to an equal pod in the next cycle, " +
			"which is put on one of these without a look at all, if nothing else has changed; one that is never taken for " +
			"equal leaves none.",
		Broken: func(t *Transition) []Violation {
			view := t.Before.trying(t.Step.Popped).View()
			pod := in(view, t.Step.Popped)
			signature := t.Before.Signed[t.Step.Popped]
			if pod == nil || pod.Status.NominatedNodeName != "" || t.Action.Fault != NoFault ||
				!(Known{Since: "v1.37"}).In(t.Model.Profile.Release) {
				return nil
			}
			got := t.outcome(pod, view)
			if got.Type != spec.Bind || got.Node < 0 {
				return nil
			}
			node, nodes := view.Nodes[got.Node].Name, feasibleNodes(t.Model, Key(pod), view)
			if signature == "" {
				if t.After.Batch == nil {
					return nil
				}
				return []Violation{{Pod: Key(pod), But: fmt.Sprintf("%s is never taken for equal, and %s are left after it",
					Key(pod), strings.Join(t.After.Batch.Nodes, ", "))}}
			}
			if t.Step.Batched && (t.Before.Batch == nil || t.Before.Batch.Signature != signature) {
				return []Violation{{Pod: Key(pod), But: fmt.Sprintf("%s takes %s for a node that an equal pod left, and none did",
					Key(pod), node)}}
			}
			if t.Step.Batched || !slices.Contains(nodes, node) || len(t.model(pod).Profile.ScorePlugins) == 0 {
				return nil // what it is given there is the refinement's to judge
			}
			if left := t.After.Batch; len(nodes) > 1 &&
				(left == nil || left.Signature != signature || left.Chosen != node) {
				v := Violation{Pod: Key(pod), But: fmt.Sprintf("%s is put on %s, and leaves none of the other nodes of %s",
					Key(pod), node, strings.Join(nodes, ", "))}
				v.Known = t.explanation(Key(pod), t.Before, func(m *spec.Scheduler, pod *v1.Pod, view *spec.Snapshot) bool {
					return len(feasibleNodes(m, Key(pod), view)) < 2
				})
				return []Violation{v}
			}
			left := t.Before.Batch
			among := func(nodes []string) bool {
				return slices.ContainsFunc(left.Nodes, func(name string) bool { return slices.Contains(nodes, name) })
			}
			if left == nil || left.Signature != signature || left.Changed || !among(nodes) ||
				t.keptForNominated(pod, left.Chosen, view) {
				return nil
			}
			v := Violation{Pod: Key(pod), But: fmt.Sprintf("%s is put on %s after a look at all nodes, where the pod before, "+
				"which is equal, left %s", Key(pod), node, strings.Join(left.Nodes, ", "))}
			v.Known = t.explanation(Key(pod), t.Before, func(m *spec.Scheduler, pod *v1.Pod, view *spec.Snapshot) bool {
				return !among(feasibleNodes(m, Key(pod), view))
			})
			return []Violation{v}
		},
	}
}

// keptForNominated reports whether the node is feasible for the pod but for the room that pods have that are nominated
// to it: of a node that was chosen before that is not looked at as it is scored anew (stated in code), but as it is
// tried.
func (t *Transition) keptForNominated(pod *v1.Pod, node string, view *spec.Snapshot) bool {
	fits := func(view *spec.Snapshot) bool { return slices.Contains(feasibleNodes(t.Model, Key(pod), view), node) }
	return !fits(view) && fits(withoutNominations(view, func(*v1.Pod) bool { return true }))
}
