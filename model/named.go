package model

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// Named states tell alike pods and nodes apart. What is said about a pod in particular, such as that nobody keeps
// it waiting for ever, is said of them: in an arrangement without names, one pod that waits for ever looks like
// many that wait in turn.

// PackNamed returns an arrangement with its identities as bytes. Two are the same if and only if every node and pod
// of one is where that of the other is. It appends to to.
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
	numbers(a.ArrivalsOfTemplate)
	numbers(a.Owed)
	number(uint32(len(a.Budgets)))
	to = append(to, a.Budgets...)
	nodeStates := make([]*NodeState, len(a.Nodes))
	for i := range a.Nodes {
		nodeStates[i] = &a.Nodes[i]
	}
	slices.SortFunc(nodeStates, func(p, q *NodeState) int {
		if p.Template != q.Template {
			return p.Template - q.Template
		}
		return p.ID - q.ID
	})
	number(uint32(len(nodeStates)))
	for _, nodeState := range nodeStates {
		number(uint32(nodeState.Template))
		number(uint32(nodeState.ID))
		to = append(to, byte(nodeState.Changed))
		pods(nodeState.Bound)
		pods(nodeState.Nominated)
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
	a.ArrivalsOfTemplate, a.Owed = numbers(), numbers()
	a.Budgets = bytes(number())
	for range number() {
		nodeState := NodeState{Template: number(), ID: number()}
		nodeState.Changed = NodeChange(bytes(1)[0])
		nodeState.Bound, nodeState.Nominated = pods(), pods()
		a.Nodes = append(a.Nodes, nodeState)
	}
	a.Pending = pods()
	a.Canonical()
	return a
}

// Named is a step between arrangements with identities. It is valid only during the call that gives it.
type Named struct {
	*NamedStep
	// Who is the pod it happens to; one of no template that is there if it happens to a node or a budget.
	Who Pod
	// From is the arrangement it starts from, pods that act first among those like them, and To the one it leads
	// to. Both are canonical.
	From, To *Arrangement
	// Pending pod and Move are the decision; Move is nil if the step is the environment's, or if there is no decision.
	Pending PendingPod
	Move    *Move
}

// NamedSteps calls each with every step from an arrangement with identities: of the environment, every pod's by
// itself, and every pending pod's decision. A decision that changes nothing is a step, of class Park. A pod that is
// new takes the lowest number that no pod of its template has. Of victims that are alike, those of the lowest
// numbers die.
func (m *Machine) NamedSteps(now *Arrangement, moves Moves, each func(Named)) {
	to := &Arrangement{}
	now.Environment(m.Scenario, func(action Action) {
		if action.Class.Creates() {
			id := now.freeID(int(action.Pod))
			to.CopyFrom(now)
			to.Act(m.Scenario, action, id)
			to.Canonical()
			each(
				Named{
					NamedStep: m.environmentStep(now, action, id),
					Who:       newPod(int(action.Pod), Running, id),
					From:      now,
					To:        to,
				},
			)
			return
		}
		if action.Class.ChangesNode() || action.Class == Refresh {
			to.CopyFrom(now)
			to.Act(m.Scenario, action, 0)
			to.Canonical()
			each(Named{NamedStep: m.environmentStep(now, action, 0), Who: nobody(action), From: now, To: to})
			return
		}
		for _, p := range now.Nodes[action.Node].Bound {
			if p.code() == action.Pod {
				chosen := now.with(action.Node, true, p)
				to.CopyFrom(chosen)
				to.Act(m.Scenario, action, 0)
				to.Canonical()
				each(Named{NamedStep: m.environmentStep(chosen, action, 0), Who: p, From: chosen, To: to})
			}
		}
	})
	next := now.Next(m.Scenario, nil)
	for nodeState := -1; nodeState < len(now.Nodes); nodeState++ {
		waiting := now.Pending
		if nodeState >= 0 {
			waiting = now.Nodes[nodeState].Nominated
		}
		for _, p := range waiting {
			pending := PendingPod{p.Template(), nodeState}
			if !slices.Contains(next, pending) || p.Rank() != now.first(pending).Rank() {
				continue // it has scheduling gates, or others are before it in the queue
			}
			chosen := now.with(nodeState, false, p)
			made := moves(chosen, pending)
			if m.Scenario.inQueue() {
				made = m.Scenario.Steps(pending, made)
			}
			for i, move := range made {
				to.CopyFrom(chosen)
				to.Apply(m.Scenario, pending, move)
				to.Canonical()
				step := m.decisionStep(chosen, pending, move)
				each(Named{NamedStep: step, Who: p, From: chosen, To: to, Pending: pending, Move: &made[i]})
			}
			if len(made) == 0 {
				step := m.decisionStep(chosen, pending, Move{Node: -1, KeepsNomination: true})
				each(Named{NamedStep: step, Who: p, From: chosen, To: chosen, Pending: pending})
			}
		}
	}
}

// nobody stands for the pod of an action that happens to a node or a budget.
func nobody(action Action) Pod {
	if action.Class == Refresh {
		return newPod(maxPodTemplates, Running, action.budget()&0xff)
	}
	return newPod(maxPodTemplates, Running, action.Node)
}

// with returns a copy in which the pod comes first of those like it, so that it is the one that acts.
func (a *Arrangement) with(nodeState int, bound bool, p Pod) *Arrangement {
	copied := &Arrangement{}
	copied.CopyFrom(a)
	pods := copied.Pending
	if nodeState >= 0 && bound {
		pods = copied.Nodes[nodeState].Bound
	} else if nodeState >= 0 {
		pods = copied.Nodes[nodeState].Nominated
	}
	first := slices.IndexFunc(pods, func(other Pod) bool { return other.code() == p.code() })
	at := slices.Index(pods, p)
	if at < 0 {
		panic(fmt.Sprintf("model: pod %d of template %d is not there", p.ID(), p.Template()))
	}
	pods[first], pods[at] = pods[at], pods[first]
	return copied
}

// freeID is the lowest number that no pod of the template has, from 1.
func (a *Arrangement) freeID(template int) int {
	for id := 1; ; id++ {
		if a.count(func(p Pod) bool { return p.Template() == template && p.ID() == id }) == 0 {
			return id
		}
	}
}

// NamedStage returns a stage of a trace: an arrangement with identities, and the step that leads on from it.
func (m *Machine) NamedStage(a *Arrangement, step *NamedStep) Stage {
	return Stage{Cluster: m.Named(a), Step: step, named: a}
}

// InitialNamed returns the initial states with identities, in the scenario's order.
func (m *Machine) InitialNamed() []*Arrangement {
	var all []*Arrangement
	for i := range m.Scenario.Initial {
		a := m.arrange(i, newIdentities(m.Scenario))
		a.Canonical()
		all = append(all, a)
	}
	return all
}
