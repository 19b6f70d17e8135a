package loop

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// refinement returns the property that every step of the scheduler is one of the formal model.
func refinement() Property {
	return Property{
		Name: "refinement",
		Doc: "What a scheduling cycle does with a pod, bind, preempt or leave pending, is allowed by the formal " +
			"model in the state in which it happens.",
		Broken: func(t *Transition) []Violation { return t.eitherWay(t.disallowed) },
	}
}

// disallowed returns how the model does not allow what the cycle does, as if it had begun in the state; nil if it does.
func (t *Transition) disallowed(began *State) []Violation {
	before := began.trying(t.Step.Popped)
	view := before.View()
	pod := t.asked(view)
	if pod == nil {
		return nil
	}
	got := t.outcome(pod, view)
	allowed := outcomes(t.Model, pod, view, got)
	if t.permits(allowed, got, pod, view) || got.Type == spec.Wait && before.beingAllocated(pod) {
		return nil
	}
	v := Violation{
		Pod: Key(pod),
		But: fmt.Sprintf("kube-scheduler lets %s %s; allowed is: %s", Key(pod), describe(got, view),
			describeAll(allowed, view)),
	}
	if t.claimsUnbound() {
		v.Known = t.unboundBy(pod, view)
	} else {
		v.Known = t.explanation(v.Pod, before, t.allowedBy)
	}
	return []Violation{v.explained(t)}
}

// deleting reports whether the pod is being deleted. A pod without a node is removed at once, unless finalizers
// hold it.
//
// Source: https://kubernetes.io/docs/concepts/overview/working-with-objects/finalizers/.
func deleting(pod *v1.Pod) bool { return pod.DeletionTimestamp != nil }

// ended reports whether the pod has, so that nothing of it runs any more (field doc of PodStatus.phase).
func ended(pod *v1.Pod) bool {
	return pod.Status.Phase == v1.PodSucceeded || pod.Status.Phase == v1.PodFailed
}

// outcomes returns what may become of the pod by the model. The model is not asked about a pod that is being
// deleted: that is never taken back (field doc of ObjectMeta.deletionTimestamp), so nothing is to be done for such
// a pod; nor about one with scheduling gates, which is not to be tried: see keptOut. A pod whose cycle ends in an error
// waits. Of preemptions that are too many to list, got is among them if it is allowed.
func outcomes(m *spec.Scheduler, pod *v1.Pod, view *spec.Snapshot, got spec.Outcome) []spec.Outcome {
	waits := []spec.Outcome{{Type: spec.Wait, Node: -1}, {Type: spec.Wait, Node: -1, KeepsNomination: true}}
	if deleting(pod) || spec.Gated(pod) {
		return waits
	}
	m = m.For(pod)
	var all []spec.Outcome
	for _, reading := range readings(view) {
		asked := in(reading, Key(pod))
		if m.Reading() == spec.Literal {
			all = append(all, m.Outcomes(asked, reading)...)
			continue
		}
		e, _ := m.ExpectIndexed(spec.Question{Pod: asked, Snapshot: reading}, spec.NewIndex(reading))
		switch all = append(all, e.Outcomes...); {
		case e.NoDecision:
			all = append(all, waits...)
		case e.Unlisted != nil && got.Type == spec.Preempt && e.Allows(got):
			all = append(all, got)
		}
	}
	return all
}

// mayEvictMany reports whether the pod may evict so many pods of a node that the order of equals is not to be gone
// through.
func mayEvictMany(pod *v1.Pod, view *spec.Snapshot) bool {
	const many = 6
	return slices.ContainsFunc(view.Nodes, func(node *v1.Node) bool { return len(spec.Jeopardy(pod, node, view)) > many })
}

// readings returns the views by which may be decided. Whether the nomination of a pod that is being deleted still
// keeps room is not documented.
func readings(view *spec.Snapshot) []*spec.Snapshot {
	if !slices.ContainsFunc(view.Pods, func(pod *v1.Pod) bool {
		return deleting(pod) && pod.Spec.NodeName == "" && pod.Status.NominatedNodeName != ""
	}) {
		return []*spec.Snapshot{view}
	}
	return []*spec.Snapshot{view, withoutNominations(view, deleting)}
}

// outcome returns what became of the pod, in terms of the view before the step.
func (t *Transition) outcome(pod *v1.Pod, view *spec.Snapshot) spec.Outcome {
	was, after := t.Before.Pod(Key(pod)), t.After.Pod(Key(pod))
	node := t.After.AssumedOn(Key(pod))
	if after != nil && after.Spec.NodeName != "" && (was == nil || was.Spec.NodeName == "") {
		node = after.Spec.NodeName
	}
	index := func(name string) int {
		return slices.IndexFunc(view.Nodes, func(n *v1.Node) bool { return n.Name == name })
	}
	if node != "" {
		return spec.Outcome{Type: spec.Bind, Node: index(node)}
	}
	nominated := ""
	if known := in(t.After.View(), Key(pod)); known != nil {
		nominated = known.Status.NominatedNodeName
	}
	alike := t.After.nominatedAlike(pod) && t.Before.nominatedTo(pod) != nominated
	if nominated != pod.Status.NominatedNodeName && t.nomination(pod) == nil && t.After.nominationUnheard(pod) && !alike {
		nominated = "" // that is what was heard of an earlier time
	}
	evicted := t.evicted()
	if len(evicted) > 0 || nominated != "" && nominated != pod.Status.NominatedNodeName {
		if after != nil && len(t.After.Unheard) > 0 {
			nominated = after.Status.NominatedNodeName // not in the queue alone, where it is forgotten with what is heard
		}
		o := spec.Outcome{Type: spec.Preempt, Node: index(nominated)}
		for _, key := range evicted {
			o.Victims = append(o.Victims, in(view, key))
		}
		return o
	}
	return spec.Outcome{Type: spec.Wait, Node: -1, KeepsNomination: nominated != ""}
}

// evicted returns the pods that the step began to evict, "ns/name": bound ones terminate, those that waited on
// permit are not assumed any more, those at pre-bind were cancelled, or their evictions are under way.
func (t *Transition) evicted() []string {
	var evicted []string
	chosen := t.chosen()
	for _, pod := range t.Before.told().Pods {
		was, is, after := t.Before.Pod(Key(pod)), t.After.Pod(Key(pod)), t.After.heard(Key(pod))
		terminates := was != nil && !deleting(was) && (is == nil || deleting(is))
		sentBack := after != nil && after.Spec.NodeName == "" && t.Before.AssumedOn(Key(pod)) != "" &&
			t.After.AssumedOn(Key(pod)) == ""
		cancelled := t.After.cancelled(Key(pod)) && !t.Before.cancelled(Key(pod))
		if terminates || sentBack || cancelled || slices.Contains(chosen, Key(pod)) {
			evicted = append(evicted, Key(pod))
		}
	}
	return evicted
}

// cancelled reports whether the pod was preempted at pre-bind, and the plugin has not heeded that yet.
func (s *State) cancelled(pod string) bool {
	q, _ := s.Queued(pod)
	return q.Fault == Cancelled
}

// evictsAgain reports whether the step told a pod that terminates already that it is evicted, as releases before v1.35
// do: they delete such victims once more.
func (t *Transition) evictsAgain() bool {
	told := func(pod *v1.Pod) bool {
		return slices.ContainsFunc(pod.Status.Conditions,
			func(c v1.PodCondition) bool { return c.Type == v1.DisruptionTarget })
	}
	return slices.ContainsFunc(t.Before.API.Pods, func(was *v1.Pod) bool {
		is := t.After.Pod(Key(was))
		return was.DeletionTimestamp != nil && is != nil && told(is) && !told(was)
	})
}

// permits reports whether the outcome is among those allowed, as far as it can be seen. Victims that terminate
// already, or were cancelled at pre-bind, are not evicted again; so to be nominated anew to the same node for their
// sake looks like waiting with the nomination, or, where kube-scheduler has not heard of that one, just like waiting:
// it need not be written. Who is rejected by what was before an event is looked at for its nomination by what is since.
func (t *Transition) permits(allowed []spec.Outcome, got spec.Outcome, pod *v1.Pod, view *spec.Snapshot) bool {
	terminates := func(victim *v1.Pod) bool { // or is gone, whether the scheduler has heard of it or not
		is := t.Before.Pod(Key(victim))
		return is == nil || is.UID != victim.UID || deleting(is) || t.Before.cancelled(Key(victim))
	}
	visible := func(o spec.Outcome) spec.Outcome {
		o.Victims = slices.DeleteFunc(slices.Clone(o.Victims), terminates)
		if o.Type == spec.Preempt && len(o.Victims) == 0 && o.Node >= 0 {
			is := t.Before.Pod(Key(pod))
			switch node := view.Nodes[o.Node].Name; {
			case node == pod.Status.NominatedNodeName:
				o = spec.Outcome{Type: spec.Wait, Node: -1, KeepsNomination: true}
			case is != nil && node == is.Status.NominatedNodeName:
				o = spec.Outcome{Type: spec.Wait, Node: -1}
			}
		}
		o.KeepsNomination = o.KeepsNomination && !t.renominated(pod) && t.filteredIn() == t.Before
		return o
	}
	got = visible(got)
	return slices.ContainsFunc(allowed, func(o spec.Outcome) bool { return visible(o).Equal(got) })
}

// in returns the pod of that key in the snapshot; nil if there is none. Systems have their pods by namespace and name.
func in(s *spec.Snapshot, key string) *v1.Pod {
	namespace, name, namespaced := strings.Cut(key, "/")
	if !namespaced {
		namespace, name = "", key
	}
	compare := func(pod *v1.Pod, _ struct{}) int {
		return cmp.Or(strings.Compare(pod.Namespace, namespace), strings.Compare(pod.Name, name))
	}
	if i, found := slices.BinarySearchFunc(s.Pods, struct{}{}, compare); found {
		return s.Pods[i]
	}
	for _, pod := range s.Pods { // clusters of others have them in any order
		if compare(pod, struct{}{}) == 0 {
			return pod
		}
	}
	return nil
}

func describe(o spec.Outcome, s *spec.Snapshot) string {
	node := "a node that is not there"
	if o.Node >= 0 {
		node = s.Nodes[o.Node].Name
	}
	switch o.Type {
	case spec.Bind:
		return "be bound to " + node
	case spec.Preempt:
		var victims []string
		for _, pod := range o.Victims {
			victims = append(victims, Key(pod))
		}
		return fmt.Sprintf("be nominated to %s, evicting %v", node, victims)
	}
	if o.KeepsNomination {
		return "wait with its nomination"
	}
	return "wait"
}

func describeAll(outcomes []spec.Outcome, s *spec.Snapshot) string {
	text := ""
	for i, o := range outcomes {
		if i > 0 {
			text += ", or "
		}
		text += describe(o, s)
	}
	return text
}
