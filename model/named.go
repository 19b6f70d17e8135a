package model

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// Named states tell alike pods and nodes apart. What is said about a pod in particular, such as that nobody keeps it waiting for ever,
// is said of them: in an arrangement without names, one pod that waits for ever looks like many that wait in turn.

// PackNamed gives an arrangement with its identities as bytes. Two are the same if and only if every node and pod of one is where that of
// the other is. It appends to to.
func PackNamed(a *Arrangement, to []byte) []byte {
	number := func(n uint32) { to = binary.BigEndian.AppendUint32(to, n) }
	numbers := func(all []int) {
		number(uint32(len(all)))
		for _, n := range all {
			number(uint32(n))
		}
	}
	pods := func(all []Pod) {
		number(uint32(len(all)))
		for _, p := range slices.Sorted(slices.Values(all)) {
			to = binary.BigEndian.AppendUint64(to, uint64(p))
		}
	}
	to = append(to, a.Left.Arrivals, a.Left.Completions, a.Left.Deletions, a.Left.Placements, a.Left.NodeChanges)
	numbers(a.ArrivalsOfKind)
	numbers(a.Owed)
	number(uint32(len(a.Budgets)))
	to = append(to, a.Budgets...)
	places := make([]*Place, len(a.Places))
	for i := range a.Places {
		places[i] = &a.Places[i]
	}
	slices.SortFunc(places, func(p, q *Place) int {
		if p.Kind != q.Kind {
			return p.Kind - q.Kind
		}
		return p.ID - q.ID
	})
	number(uint32(len(places)))
	for _, place := range places {
		number(uint32(place.Kind))
		number(uint32(place.ID))
		to = append(to, byte(place.Changed))
		pods(place.Bound)
		pods(place.Nominated)
	}
	pods(a.Pending)
	return to
}

// UnpackNamed reads what PackNamed wrote. The arrangement is canonical, but for the identities.
func UnpackNamed(from []byte) *Arrangement {
	number := func() int {
		n := binary.BigEndian.Uint32(from)
		from = from[4:]
		return int(n)
	}
	numbers := func() (all []int) {
		for range number() {
			all = append(all, number())
		}
		return all
	}
	pods := func() (all []Pod) {
		for range number() {
			all = append(all, Pod(binary.BigEndian.Uint64(from)))
			from = from[8:]
		}
		return all
	}
	bytes := func(n int) (all []byte) {
		all, from = append(all, from[:n]...), from[n:]
		return all
	}
	left := bytes(5)
	a := &Arrangement{Left: Left{left[0], left[1], left[2], left[3], left[4]}}
	a.ArrivalsOfKind, a.Owed = numbers(), numbers()
	a.Budgets = bytes(number())
	for range number() {
		place := Place{Kind: number(), ID: number()}
		place.Changed = NodeChange(bytes(1)[0])
		place.Bound, place.Nominated = pods(), pods()
		a.Places = append(a.Places, place)
	}
	a.Pending = pods()
	a.Canonical()
	return a
}

// Named is a step between arrangements with identities. It is valid only during the call that gives it.
type Named struct {
	*NamedStep
	// Who is the pod it happens to; one of no kind that is there if it happens to a node or a budget.
	Who Pod
	// From is the arrangement it starts from, pods that act first among those like them, and To the one it leads to. Both are canonical.
	From, To *Arrangement
	// Asker and Move are the decision; Move is nil if the step is the environment's, or if there is no decision.
	Asker Asker
	Move  *Move
}

// NamedSteps calls each with every step from an arrangement with identities: of the environment, every pod's by itself,
// and every pending pod's decision. A decision that changes nothing is a step, of class Park. A pod that is new takes the lowest number
// that no pod of its kind has. Of victims that are alike, those of the lowest numbers die.
func (m *Machine) NamedSteps(now *Arrangement, moves Moves, each func(Named)) {
	next := &Arrangement{}
	now.Environment(m.Scenario, func(action Action) {
		if action.Class.Creates() {
			id := now.freeID(int(action.Pod))
			next.CopyFrom(now)
			next.Act(m.Scenario, action, id)
			next.Canonical()
			each(Named{NamedStep: m.environmentStep(now, action, id), Who: newPod(int(action.Pod), Running, id), From: now, To: next})
			return
		}
		if action.Class.ChangesNode() || action.Class == Refresh {
			next.CopyFrom(now)
			next.Act(m.Scenario, action, 0)
			next.Canonical()
			each(Named{NamedStep: m.environmentStep(now, action, 0), Who: nobody(action), From: now, To: next})
			return
		}
		for _, p := range now.Places[action.Place].Bound {
			if p.code() == action.Pod {
				chosen := now.with(action.Place, true, p)
				next.CopyFrom(chosen)
				next.Act(m.Scenario, action, 0)
				next.Canonical()
				each(Named{NamedStep: m.environmentStep(chosen, action, 0), Who: p, From: chosen, To: next})
			}
		}
	})
	for place := -1; place < len(now.Places); place++ {
		waiting := now.Pending
		if place >= 0 {
			waiting = now.Places[place].Nominated
		}
		for _, p := range waiting {
			asker := Asker{p.Kind(), place}
			if !slices.Contains(now.Askers(m.Scenario, nil), asker) {
				continue // it has scheduling gates
			}
			chosen := now.with(place, false, p)
			made := moves(chosen, asker)
			for i, move := range made {
				next.CopyFrom(chosen)
				next.Apply(m.Scenario, asker, move)
				next.Canonical()
				step := m.decisionStep(chosen, asker, move)
				step.Idle = move.Idle(asker)
				each(Named{NamedStep: step, Who: p, From: chosen, To: next, Asker: asker, Move: &made[i]})
			}
			if len(made) == 0 {
				step := m.decisionStep(chosen, asker, Move{Place: -1, KeepsNomination: true})
				step.Idle = true
				each(Named{NamedStep: step, Who: p, From: chosen, To: chosen, Asker: asker})
			}
		}
	}
}

// nobody stands for the pod of an action that happens to a node or a budget.
func nobody(action Action) Pod {
	if action.Class == Refresh {
		return newPod(maxPodKinds, Running, action.budget()&0xff)
	}
	return newPod(maxPodKinds, Running, action.Place)
}

// with gives a copy in which the pod comes first of those like it, so that it is the one that acts.
func (a *Arrangement) with(place int, bound bool, p Pod) *Arrangement {
	copied := &Arrangement{}
	copied.CopyFrom(a)
	pods := copied.Pending
	if place >= 0 && bound {
		pods = copied.Places[place].Bound
	} else if place >= 0 {
		pods = copied.Places[place].Nominated
	}
	first := slices.IndexFunc(pods, func(other Pod) bool { return other.code() == p.code() })
	at := slices.Index(pods, p)
	if at < 0 {
		panic(fmt.Sprintf("model: pod %d of kind %d is not there", p.ID(), p.Kind()))
	}
	pods[first], pods[at] = pods[at], pods[first]
	return copied
}

// freeID is the lowest number that no pod of the kind has, from 1.
func (a *Arrangement) freeID(kind int) int {
	for id := 1; ; id++ {
		if a.count(func(p Pod) bool { return p.Kind() == kind && p.ID() == id }) == 0 {
			return id
		}
	}
}

// NamedStage gives a stage of a trace: an arrangement with identities, and the step that leads on from it.
func (m *Machine) NamedStage(a *Arrangement, step *NamedStep) Stage {
	return Stage{Cluster: m.Named(a), Step: step, named: a}
}

// InitialNamed gives the initial states with identities, in the scenario's order.
func (m *Machine) InitialNamed() []*Arrangement {
	var all []*Arrangement
	for i := range m.Scenario.Initial {
		a := m.arrange(i, newIdentities(m.Scenario))
		a.Canonical()
		all = append(all, a)
	}
	return all
}
