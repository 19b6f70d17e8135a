package model

import (
	"fmt"
	"slices"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// Class is a kind of action.
type Class uint8

const (
	// Arrive: a pod arrives and is pending.
	Arrive Class = iota
	// Schedule: a decision binds a pod.
	Schedule
	// Preempt: a decision evicts pods and nominates the preemptor.
	Preempt
	// Park: a decision leaves the pod pending.
	Park
	// Gone: a terminating pod is gone.
	Gone
	// Complete: a running pod completes and leaves.
	Complete
	// Delete: somebody deletes a running pod, which terminates.
	Delete
	// ByHand: a pod arrives that is on a node already, put there past the scheduler.
	ByHand
	// Recreate: the controller of an evicted pod creates another, which is pending.
	Recreate
	// Refresh: the disruption controller counts what a budget allows.
	Refresh
	// Cordon, Uncordon: somebody makes a node unschedulable, or schedulable again.
	Cordon
	Uncordon
	// Taint, Untaint: a node stops being ready, or is so again.
	Taint
	Untaint
)

// Classes names the classes of actions, by number.
func Classes() []string {
	return []string{"arrive", "schedule", "preempt", "park", "gone", "complete", "delete", "bind by hand", "recreate", "refresh budget",
		"cordon", "uncordon", "taint", "untaint"}
}

// String gives the words used in reports.
func (c Class) String() string { return Classes()[c] }

// Decided tells whether actions of the class are decisions of the scheduler, not of the environment.
func (c Class) Decided() bool { return c == Schedule || c == Preempt || c == Park }

// ChangesNode tells whether actions of the class happen to a node, not to a pod.
func (c Class) ChangesNode() bool { return c >= Cordon && c <= Untaint }

// Creates tells whether actions of the class bring a pod that was not there before.
func (c Class) Creates() bool { return c == Arrive || c == ByHand || c == Recreate }

// Action is one step of a machine: its class and, for the environment, what it happens to. It
// is read against the arrangement the step starts from.
type Action struct {
	Class Class
	// Pod is the code of a pod that leaves, or the kind of pod that arrives or asks; of a Refresh, which budget allows how much.
	Pod uint32
	// Place is where the pod is bound or nominated; -1 if it is neither.
	Place int
}

// Kind indexes Scenario.Pods: the kind of pod it happens to.
func (a Action) Kind() int {
	switch a.Class {
	case Gone, Complete, Delete:
		return podOfCode(a.Pod).Kind()
	}
	return int(a.Pod)
}

// Pack gives the action in 32 bits: class, place and pod.
func (a Action) Pack() uint32 {
	return uint32(a.Class)<<28 | uint32(a.Place+1)<<21 | a.Pod
}

// UnpackAction reads what Pack wrote.
func UnpackAction(packed uint32) Action {
	return Action{Class: Class(packed >> 28), Place: int(packed>>21&0x7f) - 1, Pod: packed & (1<<21 - 1)}
}

// Asker is a pending pod that asks for a decision.
type Asker struct {
	// Kind indexes Scenario.Pods.
	Kind int
	// Place is the node it is nominated to; -1 for none.
	Place int
}

// Askers gives the pending pods that ask, each kind and nomination once, in the arrangement's order. A pod with scheduling
// gates does not ask.
func (a *Arrangement) Askers(s *Scenario, askers []Asker) []Asker {
	askers = askers[:0]
	add := func(kind, place int) {
		asker := Asker{kind, place}
		if !slices.Contains(askers, asker) && !spec.Gated(s.Pods[kind].Pod) {
			askers = append(askers, asker)
		}
	}
	for _, p := range a.Pending {
		add(p.Kind(), -1)
	}
	for i := range a.Places {
		for _, p := range a.Places[i].Nominated {
			add(p.Kind(), i)
		}
	}
	return askers
}

// Move is what a decision does to an arrangement: an outcome in the arrangement's terms.
type Move struct {
	Kind spec.OutcomeKind
	// Place is the node of a Bind or Nominate.
	Place int
	// Victims are the pods to evict from it, as indexes into its Bound, ascending; of pods that
	// are alike the first ones.
	Victims []int
	// KeepsNomination is for Wait: a nomination the pod holds stays.
	KeepsNomination bool
}

// Equal tells whether two moves are the same.
func (m Move) Equal(other Move) bool {
	return m.Kind == other.Kind && m.Place == other.Place && m.KeepsNomination == other.KeepsNomination && slices.Equal(m.Victims, other.Victims)
}

// Idle tells whether the move changes nothing.
func (m Move) Idle(asker Asker) bool {
	return m.Kind == spec.Wait && (asker.Place < 0 || m.KeepsNomination)
}

// Class is the class of action that carries the move out.
func (m Move) Class() Class {
	return [...]Class{spec.Wait: Park, spec.Bind: Schedule, spec.Nominate: Preempt}[m.Kind]
}

// Apply carries a move of the asker out on a canonical arrangement, which is left unsorted.
func (a *Arrangement) Apply(s *Scenario, asker Asker, m Move) {
	switch m.Kind {
	case spec.Wait:
		if !m.Idle(asker) {
			a.Pending = append(a.Pending, a.takeAsker(asker))
		}
	case spec.Bind:
		place := &a.Places[m.Place]
		place.Bound = append(place.Bound, a.started(s, a.takeAsker(asker)))
	case spec.Nominate:
		preemptor := a.takeAsker(asker)
		place := &a.Places[m.Place]
		for _, i := range m.Victims {
			// A pod that terminates already just goes on.
			if place.Bound[i].Phase() == Running {
				place.Bound[i] = place.Bound[i].withPhase(Preempted)
				a.owe(place.Bound[i].Kind())
			}
		}
		// Nominations of lower priority on the node are cleared: the concept page on pod
		// priority and preemption, "Pod preemption", and exported docs of PostFilterResult.
		kept := place.Nominated[:0]
		for _, p := range place.Nominated {
			if s.Pods[p.Kind()].Priority() < s.Pods[asker.Kind].Priority() {
				a.Pending = append(a.Pending, p)
			} else {
				kept = append(kept, p)
			}
		}
		place.Nominated = append(kept, preemptor)
	}
}

func (a *Arrangement) takeAsker(asker Asker) Pod {
	from := &a.Pending
	if asker.Place >= 0 {
		from = &a.Places[asker.Place].Nominated
	}
	i := slices.IndexFunc(*from, func(p Pod) bool { return p.Kind() == asker.Kind })
	if i < 0 {
		panic(fmt.Sprintf("model: no pod of kind %d asks", asker.Kind))
	}
	p := (*from)[i]
	*from = remove(*from, i)
	return p
}

// Environment calls each with every action of the environment that is enabled. Pods that are alike on the same
// node act once.
func (a *Arrangement) Environment(s *Scenario, each func(Action)) {
	if a.Left.Arrivals > 0 {
		for kind := range s.Pods {
			if len(a.ArrivalsOfKind) > 0 && a.ArrivalsOfKind[kind] == 0 {
				continue
			}
			each(Action{Class: Arrive, Pod: uint32(kind), Place: -1})
			for i := range a.Places {
				if a.Left.Placements > 0 {
					each(Action{Class: ByHand, Pod: uint32(kind), Place: i})
				}
			}
		}
	}
	a.recreations(s, each)
	a.refreshes(s, each)
	a.nodeChanges(s, each)
	for i := range a.Places {
		for j, p := range a.Places[i].Bound {
			if j > 0 && a.Places[i].Bound[j-1].code() == p.code() {
				continue
			}
			running := p.Phase() == Running
			if !running && s.Actions.VictimGone {
				each(Action{Class: Gone, Pod: p.code(), Place: i})
			}
			if running && a.Left.Completions > 0 {
				each(Action{Class: Complete, Pod: p.code(), Place: i})
			}
			if running && a.Left.Deletions > 0 {
				each(Action{Class: Delete, Pod: p.code(), Place: i})
			}
		}
	}
}

// Act carries an action of the environment out. The arrangement is left unsorted. id is who arrives or is created anew.
func (a *Arrangement) Act(s *Scenario, action Action, id int) {
	switch action.Class {
	case Arrive, ByHand:
		kind := int(action.Pod)
		a.Left.Arrivals--
		if len(a.ArrivalsOfKind) > 0 {
			a.ArrivalsOfKind[kind]--
		}
		pod := newPod(kind, Running, id)
		if action.Class == ByHand {
			a.Left.Placements--
			place := &a.Places[action.Place]
			place.Bound = append(place.Bound, a.started(s, pod))
			return
		}
		a.Pending = append(a.Pending, pod)
	case Recreate:
		a.recreate(int(action.Pod), id)
	case Refresh:
		a.refresh(action)
	case Cordon, Uncordon, Taint, Untaint:
		a.changeNode(action)
	case Gone, Complete, Delete:
		place := &a.Places[action.Place]
		i := slices.IndexFunc(place.Bound, func(p Pod) bool { return p.code() == action.Pod })
		switch action.Class {
		case Delete:
			a.Left.Deletions--
			place.Bound[i] = place.Bound[i].withPhase(Terminating)
			return
		case Complete:
			a.Left.Completions--
		}
		gone := place.Bound[i]
		place.Bound = remove(place.Bound, i)
		a.closeRank(s, gone)
	default:
		panic("model: not an action of the environment: " + action.Class.String())
	}
}
