package loop

import (
	"slices"

	v1 "k8s.io/api/core/v1"
)

// Something may happen while a pod is being tried: plugins decide by the snapshot of the cluster that the cycle took,
// by what they hear at once, or both. As what happens is one thing, what the cycle does is to be right by the state
// before it or by that after it; and if the pod is rejected it is to be tried again, as if it had been before.

// meanwhile returns the cycles that begin in the state, each with one event while its pod is being tried.
func (s *Scope) meanwhile(state *State, used Used, nodes []*v1.Node, pods []*v1.Pod) []Action {
	events := s.inTime(state, terminations(state))
	if used.Events < s.Events {
		events = append(events, s.inTime(state, s.eventsOf(state, nodes, pods))...)
	}
	var actions []Action
	for _, event := range events {
		if event.Verb.Event() {
			actions = append(actions, Action{Verb: Schedule, Meanwhile: &event},
				Action{Verb: Schedule, Meanwhile: &event, Filtered: true})
		}
	}
	return actions
}

// notOfEvent are the properties that hold between steps only, and notOfCycle those that hold of a cycle if nothing
// happens while it runs.
var (
	notOfEvent = []string{conservation().Name, keepsPlace().Name, cacheAgrees().Name, assumed().Name, exclusive().Name}
	notOfCycle = []string{sleeps().Name, noErrors().Name, inTurn().Name, batches().Name, exclusive().Name}
)

// brokenMeanwhile returns how what happens while a pod is being tried breaks the properties, and how the cycle does.
func (t *Transition) brokenMeanwhile() []Breach {
	event, cycle := *t, *t
	event.Action, event.Step = *t.Action.Meanwhile, Step{}
	if t.Step.Between == nil { // it has panicked as the event came
		return event.broken(Properties())
	}
	if t.Step.Afterwards {
		cycle.After, event.Before = t.Step.Between, t.Step.Between
		return append(cycle.broken(Properties()), event.broken(Properties())...)
	}
	event.After, cycle.Before, cycle.Began = t.Step.Between, t.Step.Between, t.Before
	broken := append(event.broken(but(notOfEvent)), cycle.broken(but(notOfCycle))...)
	if before := t.rejectedBefore(); before != nil {
		for _, breach := range before.broken([]Property{wakeUp(), wakeUpToPreempt()}) {
			if breach.Pod == t.Step.Popped {
				broken = append(broken, breach)
			}
		}
	}
	return broken
}

// but returns the properties that do not have one of the names.
func but(names []string) []Property {
	return slices.DeleteFunc(Properties(), func(p Property) bool { return slices.Contains(names, p.Name) })
}

// rejectedBefore returns the event as if the pod had been rejected before it; nil if the pod is not rejected, or
// victims are being evicted for it, which wakes it up. That the pod itself makes victims terminate is not the event's
// doing.
func (t *Transition) rejectedBefore() *Transition {
	q, _ := t.After.Queued(t.Step.Popped)
	if !t.After.asleep(q) || t.After.underWay(q.Pod) {
		return nil
	}
	before := slices.Clone(t.Before.Queue)
	for i := range before {
		if before[i].Pod == q.Pod {
			before[i] = q
		}
	}
	return &Transition{Model: t.Model, Ask: t.Ask, Before: t.Before.withQueue(before), Action: *t.Action.Meanwhile,
		After: t.Step.Between.withQueue(t.After.Queue), Began: t.Before}
}

// withQueue returns the state with another queue.
func (s *State) withQueue(queue []Queued) *State {
	with := *s
	with.hash, with.Queue = hash{}, queue
	return &with
}

// eitherWay returns how a cycle is not right by the state before it, nor, if something has happened since it began, by
// that in which it did. What is known of either is known.
func (t *Transition) eitherWay(wrong func(*State) []Violation) []Violation {
	now := wrong(t.Before)
	if t.Began == nil || len(now) == 0 {
		return now
	}
	for _, began := range []*State{t.Began, t.Began.withNominationsOf(t.Before)} {
		if then := wrong(began); len(then) == 0 || then[0].Known != "" {
			return then
		}
	}
	return now
}

// filteredIn returns the state by which the pod of a cycle was filtered: that in which the cycle began, if what
// happened since did once it had filtered.
func (t *Transition) filteredIn() *State {
	if t.Action.Filtered && t.Began != nil {
		return t.Began
	}
	return t.Before
}

// withNominationsOf returns the state with the nominations that there are in the later one, of which a cycle hears at
// once: also of a pod that is bound then, which it does not hear of.
func (s *State) withNominationsOf(later *State) *State {
	with, told := *s, *s.told()
	told.Pods = slices.Clone(told.Pods)
	for i, pod := range told.Pods {
		node := ""
		if is := later.heard(Key(pod)); is != nil && is.UID == pod.UID && is.Spec.NodeName == "" {
			node = is.Status.NominatedNodeName
		}
		if pod.Status.NominatedNodeName != node {
			told.Pods[i] = pod.DeepCopy()
			told.Pods[i].Status.NominatedNodeName = node
		}
	}
	with.hash, with.Told, with.Nominated = hash{}, &told, later.Nominated
	return &with
}

// remade reports whether the pod was made anew under its name since the cycle of the step began.
func (t *Transition) remade(pod *v1.Pod) bool {
	if t.Began == nil {
		return false
	}
	was := t.Began.heard(Key(pod))
	return was == nil || was.UID != pod.UID
}

// renominated reports whether somebody else has nominated the pod, or taken that away, since the cycle of the step
// began: no document says whether that stands then.
func (t *Transition) renominated(pod *v1.Pod) bool {
	if t.Began == nil {
		return false
	}
	was, is := t.Began.heard(Key(pod)), t.Before.heard(Key(pod))
	return was != nil && is != nil && was.Status.NominatedNodeName != is.Status.NominatedNodeName
}
