package loop

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// aborted returns the property that a cycle ends where a plugin fails.
//
// Source: page on the scheduling framework ("A scheduling or binding cycle can be aborted if the Pod is determined to
// be unschedulable or if there is an internal error. The Pod will be returned to the queue and retried."). That it is
// returned is asked by conservation, retried and roll-back. That a score beyond the highest is an error is stated in
// code (doc of MaxNodeScore: the maximum score "a Score plugin is expected to return").
func aborted() Property {
	return Property{
		Name: "aborted",
		Doc: "A cycle in which a plugin fails at PreFilter or Filter, or where several nodes are feasible at PreScore, " +
			"Score or NormalizeScore, or by a score that is too high, gives the pod no node, and evicts nobody for it; " +
			"neither does one in which a plugin fails as it is told of the pods that are nominated to the node, or of " +
			"victims. A pod that a plugin rejects at PreFilter, Reserve or PreBind, or fails at Reserve, PreBindPreFlight or " +
			"PreBind, is not bound.",
		Broken: func(t *Transition) []Violation {
			if broken := t.boundAllTheSame(); broken != nil {
				return broken
			}
			view := t.Before.trying(t.Step.Popped).View()
			pod := in(view, t.Step.Popped)
			if pod == nil || !slices.Contains(atPlugin, t.Action.Fault) {
				return nil
			}
			got, scoring := t.outcome(pod, view), slices.Contains(whileScoring, t.Action.Fault)
			if got.Type == spec.Wait || scoring && (got.Type != spec.Bind || t.triesOne(pod)) ||
				slices.Contains(ofOthers, t.Action.Fault) && len(got.Victims) == 0 &&
					(t.Action.Fault == FailRemovePod || len(spec.Respected(pod, view.Nodes[got.Node], view)) == 0) {
				return nil
			}
			v := Violation{Pod: Key(pod), About: t.Action.Fault.String(), But: fmt.Sprintf(
				"%s, and the cycle of %s goes on", t.Action.Fault, Key(pod))}
			if scoring {
				v.Known = t.explanation(Key(pod), t.Before, func(m *spec.Scheduler, pod *v1.Pod, view *spec.Snapshot) bool {
					return len(feasibleNodes(m, Key(pod), view)) < 2
				})
			}
			return []Violation{v}
		},
	}
}

// triesOne reports whether one node is enough for the pod, which then none is scored for: its nomination, one that an
// equal pod left, or the only one that is feasible.
func (t *Transition) triesOne(pod *v1.Pod) bool {
	return pod.Status.NominatedNodeName != "" || t.Step.Batched ||
		len(feasibleNodes(t.Model, Key(pod), t.Before.trying(Key(pod)).View())) < 2
}

// boundAllTheSame returns the violations of pods that the step binds although a plugin was to fail before that, at once
// or after a wait.
func (t *Transition) boundAllTheSame() (broken []Violation) {
	failing := []Queued{{Pod: t.Step.Popped, Fault: t.Action.Fault}}
	for _, q := range append(failing, t.Before.Queue...) {
		if !slices.Contains(beforeBind, q.Fault) || t.Action.Verb.Event() && t.Action.Ref.Key() == q.Pod {
			continue
		}
		was, is := t.Before.Pod(q.Pod), t.After.Pod(q.Pod)
		if was != nil && is != nil && was.UID == is.UID && was.Spec.NodeName == "" && is.Spec.NodeName != "" {
			broken = append(broken, Violation{Pod: q.Pod, About: q.Fault.String(), But: fmt.Sprintf(
				"%s, and %s is bound", q.Fault, q.Pod)})
		}
	}
	return broken
}
