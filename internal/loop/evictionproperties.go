package loop

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// notWhileEvicting returns the property that a pod is not tried before its preemption has made room.
//
// Source: KEP-4832 ("blocks the Pod while the preemption routine is in-progress, using PreEnqueue extension point, so
// that the target Pod won't be retried during this time"). Once the last victim terminates it may be tried: no document
// says that kube-scheduler has to wait for the answer to its call, and by a comment in its package preemption it does
// not, lest the pod miss that the victim is gone ("the PreEnqueue check to be able to verify if the eviction is in fact
// ongoing, or if it has already completed, but the function has not returned yet", but for line breaks).
func notWhileEvicting() Property {
	return Property{
		Name: "not-while-evicting",
		Doc: "No pod is tried while pods are still to be evicted for it, and none is kept out of the queue for that once " +
			"the last of them terminates.",
		Broken: func(t *Transition) []Violation {
			if e := t.evictedLast(); e != nil && e.Blocks {
				return []Violation{{Pod: e.Preemptor, About: "blocks", But: fmt.Sprintf(
					"%s is kept out of the queue, and nobody is still to be evicted for it", e.Preemptor)}}
			}
			for _, e := range t.Before.Evictions {
				if e.Preemptor != t.Step.Popped || !e.Same {
					continue
				}
				for _, victim := range e.Victims {
					if victim.Is == Unchanged {
						v := Violation{Pod: e.Preemptor, But: fmt.Sprintf("%s is tried, and %s is still to be evicted for it",
							e.Preemptor, victim.Pod)}
						return []Violation{v.explained(t)}
					}
				}
			}
			return nil
		},
	}
}

// evictedLast returns the preemption whose last victim the step has deleted, of which kube-scheduler has heard; nil if
// there is none, or another one of that pod has not come to its last.
func (t *Transition) evictedLast() *Eviction {
	if t.Action.Verb != Evict || t.After.unheardOf("Pod") > 0 {
		return nil
	}
	var last *Eviction
	for i, e := range t.After.Evictions {
		switch {
		case refOfPod(e.Preemptor) != t.Action.Ref:
		case e.Stage != Returns:
			return nil
		case len(e.Victims) == 0 && e.Same && !e.Fails && !e.InMemory:
			last = &t.After.Evictions[i]
		}
	}
	return last
}

// nominationsCleared returns the property that who has to give way to a preemption is free to go elsewhere.
//
// Source: https://kubernetes.io/docs/concepts/scheduling-eviction/pod-priority-preemption/#user-exposed-information, by
// which the nomination of a pod is cleared where its node is given to one of higher priority, and a comment in
// k8s.io/kubernetes/pkg/scheduler/framework/preemption ("Lower priority pods nominated to run on this node, may no
// longer fit on this node. So, we should remove their nomination", but for line breaks).
func nominationsCleared() Property {
	return Property{
		Name: "nominations-cleared",
		Doc: "When evictions for a pod have begun on a node, no pod of lower priority is nominated to it that was before, " +
			"unless the API server does not take that.",
		Broken: func(t *Transition) []Violation {
			preemptor, node := t.beginsToEvict()
			if preemptor == nil {
				return nil
			}
			var broken []Violation
			for _, was := range t.Before.told().Pods {
				is := t.After.Pod(Key(was))
				if Key(was) == Key(preemptor) || was.Spec.NodeName != "" || was.Status.NominatedNodeName != node ||
					t.Before.nominatedTo(was) != node || spec.Priority(was) >= spec.Priority(preemptor) ||
					is == nil || is.UID != was.UID || is.Status.NominatedNodeName != node {
					continue
				}
				broken = append(broken, Violation{Pod: Key(was), But: fmt.Sprintf(
					"%s is nominated to %s still, where %s preempts", Key(was), node, Key(preemptor))})
			}
			return broken
		},
	}
}

// beginsToEvict returns the pod for which the step began to evict others, if nothing was made to fail in it, and its
// node; nil if there is none.
func (t *Transition) beginsToEvict() (*v1.Pod, string) {
	if t.Action.Fault != NoFault {
		return nil, ""
	}
	for _, e := range t.Before.Evictions {
		if t.Action.Verb == Evict && refOfPod(e.Preemptor) == t.Action.Ref && e.Stage == Begins && e.Same {
			return t.Before.heard(e.Preemptor), e.Node
		}
	}
	if t.Action.Verb != Schedule || t.Step.Popped == "" || len(t.After.Evictions) > len(t.Before.Evictions) ||
		len(t.evicted()) == 0 {
		return nil, ""
	}
	pod := t.After.Pod(t.Step.Popped)
	if pod == nil || pod.Status.NominatedNodeName == "" {
		return nil, ""
	}
	return pod, pod.Status.NominatedNodeName
}

// evictsVictims returns the property that who is evicted was chosen for that, and that who was chosen is evicted.
//
// Source: https://kubernetes.io/docs/concepts/scheduling-eviction/pod-priority-preemption/ (pods on the node are evicted
// whose removal lets the pending pod be scheduled there), and the field doc of ObjectMeta.uid: a pod that is created
// under the name of one that is gone is another one.
func evictsVictims() Property {
	return Property{
		Name: "evicts-victims",
		Doc: "Evictions end pods that were chosen for it, not others of the same name, and each of them as its turn comes, " +
			"unless the API server refuses it: it terminates, or is not to be bound any more.",
		Broken: func(t *Transition) []Violation {
			if t.Action.Verb != Evict {
				return nil
			}
			var broken []Violation
			for _, was := range t.Before.API.Pods {
				is := t.After.Pod(Key(was))
				if deleting(was) || is != nil && !deleting(is) || t.Before.toBeEvicted(Key(was), Unchanged) {
					continue
				}
				broken = append(broken, Violation{Pod: Key(was), Known: t.namesakeEvicted(Key(was)),
					But: fmt.Sprintf("%s is evicted, which was not there when victims were chosen", Key(was))})
			}
			if spared := t.spares(); spared != "" {
				broken = append(broken, Violation{Pod: spared, About: "spared", Known: t.leftWaiting(spared), But: fmt.Sprintf(
					"%s, which is to be evicted, does not terminate, and is on its node or is to be bound to it", spared)})
			}
			return broken
		},
	}
}

// spares returns the victim whose turn it was, "ns/name", if it is on its node all the same, or is to be bound to it;
// "" if not, or if an eviction for the same pod failed. Where who waits was bound by somebody else meanwhile, its wait
// ends, and the preemptor, which is tried again, preempts anew.
func (t *Transition) spares() string {
	of := func(e Eviction) bool { return refOfPod(e.Preemptor) == t.Action.Ref }
	i := slices.IndexFunc(t.Before.Evictions, of)
	if i < 0 || t.Before.Evictions[i].Stage != Calls || t.Before.Evictions[i].Victims[0].Is != Unchanged ||
		slices.ContainsFunc(t.After.Evictions, func(e Eviction) bool { return of(e) && e.Fails && !e.InMemory }) {
		return ""
	}
	victim := t.Before.Evictions[i].Victims[0].Pod
	is := t.After.Pod(victim)
	free := t.After.AssumedOn(victim) == "" || t.After.cancelled(victim)
	if is == nil || deleting(is) || is.Spec.NodeName == "" && free {
		return ""
	}
	if q, _ := t.Before.Queued(victim); q.Waits && t.Before.Pod(victim).Spec.NodeName != "" {
		return ""
	}
	return victim
}

// namesakeEvicted is the name of the defect by which the step evicts a pod of the name of a victim that is gone; "" if
// that is not how it is.
func (t *Transition) namesakeEvicted(pod string) string {
	if t.Before.toBeEvicted(pod, Replaced) {
		return t.has("namesake-evicted")
	}
	return ""
}

// toBeEvicted reports whether the pod is one of those that are still to be evicted, of which this became.
func (s *State) toBeEvicted(pod string, is VictimState) bool {
	return slices.ContainsFunc(s.Evictions, func(e Eviction) bool {
		return slices.ContainsFunc(e.Victims, func(v Victim) bool { return v.Pod == pod && v.Is == is })
	})
}

// evictionDefects are known defects of evictions that are under way.
func evictionDefects() []Known {
	return []Known{
		{
			Name: "sent-back-unheard", Class: spec.Reported, Upstream: "kubernetes/kubernetes#140082", Mended: "v1.37",
			Doc: "When the last victim is a pod that waits to be bound, it is sent back to the queue at once, while the pod " +
				"that preempts is still kept out of it: that one is not retried.",
			Explains: func(t *Transition, pod *v1.Pod) bool {
				return t.Action.Verb == Evict && !t.After.underWay(Key(pod)) && slices.ContainsFunc(t.Before.Evictions,
					func(e Eviction) bool { return e.Preemptor == Key(pod) && e.Same && e.InMemory })
			},
		},
		{
			Name: "evictions-end-unheard", Class: spec.Reported, Upstream: "kubernetes/kubernetes#141694",
			Doc: "While evictions for a pod are under way no event lets it be tried again, and their end is none: if a " +
				"node is feasible for it by then, as the last victim was gone before it was evicted, or for what happened " +
				"while the pod was being tried, the pod is not retried. Nor is it later: who was kept out of the queue " +
				"for evictions hears only of pods that are gone, and if it failed for an error meanwhile of none.",
			Explains: func(t *Transition, pod *v1.Pod) bool {
				q, _ := t.Before.Queued(Key(pod))
				kept := q.GatedBy == preemptionPlugin
				told := slices.ContainsFunc(t.Before.Evictions,
					func(e Eviction) bool { return e.Preemptor == Key(pod) && e.Fails })
				meanwhile := t.Began != nil && t.Action.Verb.Event() // as if the pod had been rejected before it came
				// Whoever else rejected it may stand in the way no more, of which it was not told.
				besides := q
				besides.Rejectors = without(q.Rejectors, []string{preemptionPlugin})
				missed := kept && freed(t.Model, besides, t.Before.View(), t.After.View())
				return meanwhile && slices.Contains(q.Rejectors, preemptionPlugin) ||
					t.Action.Verb == Evict && t.Before.underWay(Key(pod)) && !t.After.underWay(Key(pod)) && !told ||
					kept && !t.Before.underWay(Key(pod)) && (len(q.Rejectors) == 1 || !t.leaves() || missed)
			},
		},
		{
			Name: "second-preemption-unguarded", Class: spec.Unconfirmed, Upstream: "not reported",
			Doc: "What is noted of evictions has one entry for a pod: where the call for the last victim of one preemption " +
				"has not returned when the next one of the pod begins, the pod is not kept out of the queue for that, or not " +
				"once the first has returned, and preempts once more.",
			Explains: func(t *Transition, pod *v1.Pod) bool {
				return t.Step.Popped == Key(pod) && slices.ContainsFunc(t.Before.Evictions, func(e Eviction) bool {
					return e.Preemptor == Key(pod) && e.Same && e.Again
				})
			},
		},
		{
			Name: "namesake-evicted", Class: spec.Unconfirmed, Upstream: "not reported",
			Doc: "Victims are evicted by their names: where one is gone before it is evicted, and another pod was created " +
				"under its name, that one is deleted.",
		},
		{
			Name: "last-victim-unguarded", Class: spec.Reported, Upstream: "kubernetes/kubernetes#134249", Mended: "v1.35",
			Doc: "A pod may be tried again before the last of its victims is evicted, and preempts once more.",
			Explains: func(t *Transition, pod *v1.Pod) bool {
				return t.Step.Popped == Key(pod) && slices.ContainsFunc(t.Before.Evictions, func(e Eviction) bool {
					return e.Preemptor == Key(pod) && len(e.Victims) == 1 && !e.Blocks
				})
			},
		},
		{
			Name: "gated-unflushed", Class: spec.Reported, Upstream: "kubernetes/kubernetes#139162", Mended: "v1.37",
			Doc: "The periodic flush passes over pods that a plugin keeps out of the queue: one that was kept out while " +
				"evictions for it were under way, and missed what made it schedulable, is never tried again by itself.",
			Forgets: keptByPreemption,
		},
	}
}
