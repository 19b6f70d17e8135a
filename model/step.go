package model

import (
	"fmt"
	"slices"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// Class is a template of action.
type Class uint8

const (
	// Arrive: a pod arrives and is pending.
	Arrive Class = iota
	// Bind: a decision binds a pod.
	Bind
	// Preempt: a decision evicts pods and nominates the preemptor.
	Preempt
	// Wait: a decision leaves the pod pending.
	Wait
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
	return []string{"arrive", "bind", "preempt", "wait", "gone", "complete", "delete", "bind by hand", "recreate",
		"refresh budget", "cordon", "uncordon", "taint", "untaint"}
}

// String returns the words used in reports.
func (c Class) String() string { return Classes()[c] }

// Decided reports whether actions of the class are decisions of the scheduler, not of the environment.
func (c Class) Decided() bool { return c == Bind || c == Preempt || c == Wait }

// ChangesNode reports whether actions of the class happen to a node, not to a pod.
func (c Class) ChangesNode() bool { return c >= Cordon && c <= Untaint }

// Creates reports whether actions of the class bring a pod that was not there before.
func (c Class) Creates() bool { return c == Arrive || c == ByHand || c == Recreate }

// Action is one step of a machine: its class and, for the environment, what it happens to. It
// is read against the arrangement the step starts from.
type Action struct {
	Class Class
	// Pod is the code of a pod that leaves, or the pod template that arrives or asks; of a Refresh, which budget
	// allows how much.
	Pod uint32
	// Node is where the pod is bound or nominated; -1 if it is neither.
	Node int
}

// Template indexes Scenario.Pods: the pod template it happens to.
func (a Action) Template() int {
	switch a.Class {
	case Gone, Complete, Delete:
		return podOfCode(a.Pod).Template()
	}
	return int(a.Pod)
}

// Pack returns the action in 32 bits: class, place and pod.
func (a Action) Pack() uint32 {
	return uint32(a.Class)<<28 | uint32(a.Node+1)<<21 | a.Pod
}

// UnpackAction reads what Pack wrote.
func UnpackAction(packed uint32) Action {
	return Action{Class: Class(packed >> 28), Node: int(packed>>21&0x7f) - 1, Pod: packed & (1<<21 - 1)}
}

// PendingPod is a pending pod that a decision is about.
type PendingPod struct {
	// Template indexes Scenario.Pods.
	Template int
	// Node is the node it is nominated to; -1 for none.
	Node int
}

// PendingPods returns the pending pods, each template and nomination once, in the arrangement's order. A pod with
// scheduling gates does not ask.
func (a *Arrangement) PendingPods(s *Scenario, pendingPods []PendingPod) []PendingPod {
	pendingPods = pendingPods[:0]
	add := func(template, nodeState int) {
		pending := PendingPod{template, nodeState}
		if !slices.Contains(pendingPods, pending) && !spec.Gated(s.Pods[template].Pod) {
			pendingPods = append(pendingPods, pending)
		}
	}
	for _, p := range a.Pending {
		add(p.Template(), -1)
	}
	for i := range a.Nodes {
		for _, p := range a.Nodes[i].Nominated {
			add(p.Template(), i)
		}
	}
	return pendingPods
}

// Move is what a decision does to an arrangement: an outcome in the arrangement's terms.
type Move struct {
	Type spec.OutcomeType
	// Node is the node of a Bind or Nominate.
	Node int
	// Victims are the pods to evict from it, as indexes into its Bound, ascending; of pods that
	// are alike the first ones.
	Victims []int
	// KeepsNomination is for Wait: a nomination the pod holds stays.
	KeepsNomination bool
}

// Equal reports whether two moves are the same.
func (m Move) Equal(other Move) bool {
	return m.Type == other.Type && m.Node == other.Node && m.KeepsNomination == other.KeepsNomination &&
		slices.Equal(m.Victims, other.Victims)
}

// Idle reports whether the move changes nothing.
func (m Move) Idle(pending PendingPod) bool {
	return m.Type == spec.Wait && (pending.Node < 0 || m.KeepsNomination)
}

// Class is the class of action that carries the move out.
func (m Move) Class() Class {
	return [...]Class{spec.Wait: Wait, spec.Bind: Bind, spec.Preempt: Preempt}[m.Type]
}

// Apply carries a move of the pending pod out on a canonical arrangement, which is left unsorted.
func (a *Arrangement) Apply(s *Scenario, pending PendingPod, m Move) {
	switch m.Type {
	case spec.Wait:
		switch {
		case !m.Idle(pending):
			waiting := s.failed(a.takePending(pending))
			a.changed(s)
			a.Pending = append(a.Pending, waiting)
		case s.inQueue():
			waiting := a.waiting(pending.Node)
			*waiting = append(*waiting, s.failed(a.takePending(pending)))
		}
	case spec.Bind:
		nodeState := &a.Nodes[m.Node]
		nodeState.Bound = append(nodeState.Bound, a.started(s, a.takePending(pending).withRank(0)))
		a.changed(s)
	case spec.Preempt:
		preemptor := s.failed(a.takePending(pending))
		a.changed(s)
		nodeState := &a.Nodes[m.Node]
		for _, i := range m.Victims {
			// A pod that terminates already just goes on.
			if nodeState.Bound[i].Phase() == Running {
				nodeState.Bound[i] = nodeState.Bound[i].withPhase(Preempted)
				a.owe(nodeState.Bound[i].Template())
			}
		}
		// Nominations of lower priority on the node are cleared: the concept page on pod
		// priority and preemption, "Pod preemption", and exported docs of PostFilterResult.
		kept := nodeState.Nominated[:0]
		for _, p := range nodeState.Nominated {
			if s.Pods[p.Template()].Priority() < s.Pods[pending.Template].Priority() {
				a.Pending = append(a.Pending, p)
			} else {
				kept = append(kept, p)
			}
		}
		nodeState.Nominated = append(kept, preemptor)
	}
}

// waiting are the pods nominated to a node, or those without a nomination.
func (a *Arrangement) waiting(node int) *[]Pod {
	if node >= 0 {
		return &a.Nodes[node].Nominated
	}
	return &a.Pending
}

// takePending takes the pod away, of those that are alike the one that is tried first.
func (a *Arrangement) takePending(pending PendingPod) Pod {
	p := a.first(pending)
	from := a.waiting(pending.Node)
	*from = remove(*from, slices.Index(*from, p))
	return p
}

// first returns the pod that is tried first of those that are alike. The arrangement is canonical.
func (a *Arrangement) first(pending PendingPod) Pod {
	for _, p := range *a.waiting(pending.Node) {
		if p.Template() == pending.Template {
			return p
		}
	}
	panic(fmt.Sprintf("model: no pod of template %d asks", pending.Template))
}

// Environment calls each with every action of the environment that is enabled. Pods that are alike on the same
// node act once.
func (a *Arrangement) Environment(s *Scenario, each func(Action)) {
	if a.Left.Arrivals > 0 {
		for template := range s.Pods {
			if len(a.ArrivalsOfTemplate) > 0 && a.ArrivalsOfTemplate[template] == 0 {
				continue
			}
			each(Action{Class: Arrive, Pod: uint32(template), Node: -1})
			for i := range a.Nodes {
				if a.Left.Placements > 0 {
					each(Action{Class: ByHand, Pod: uint32(template), Node: i})
				}
			}
		}
	}
	a.recreations(s, each)
	a.refreshes(s, each)
	a.nodeChanges(s, each)
	for i := range a.Nodes {
		for j, p := range a.Nodes[i].Bound {
			if j > 0 && a.Nodes[i].Bound[j-1].code() == p.code() {
				continue
			}
			running := p.Phase() == Running
			if !running && s.Actions.VictimGone {
				each(Action{Class: Gone, Pod: p.code(), Node: i})
			}
			if running && a.Left.Completions > 0 {
				each(Action{Class: Complete, Pod: p.code(), Node: i})
			}
			if running && a.Left.Deletions > 0 {
				each(Action{Class: Delete, Pod: p.code(), Node: i})
			}
		}
	}
}

// Act carries an action of the environment out. The arrangement is left unsorted. id is who arrives or is created anew.
func (a *Arrangement) Act(s *Scenario, action Action, id int) {
	switch action.Class {
	case Arrive, ByHand:
		template := int(action.Pod)
		a.Left.Arrivals--
		if len(a.ArrivalsOfTemplate) > 0 {
			a.ArrivalsOfTemplate[template]--
		}
		if action.Class == ByHand {
			a.Left.Placements--
			nodeState := &a.Nodes[action.Node]
			nodeState.Bound = append(nodeState.Bound, a.started(s, newPod(template, Running, id)))
			a.changed(s)
			return
		}
		a.Pending = append(a.Pending, s.newcomer(template, id))
	case Recreate:
		a.recreate(s, int(action.Pod), id)
	case Refresh:
		a.refresh(action)
		a.changed(s)
	case Cordon, Uncordon, Taint, Untaint:
		a.changeNode(action)
		a.changed(s)
	case Gone, Complete, Delete:
		a.changed(s)
		nodeState := &a.Nodes[action.Node]
		i := slices.IndexFunc(nodeState.Bound, func(p Pod) bool { return p.code() == action.Pod })
		switch action.Class {
		case Delete:
			a.Left.Deletions--
			nodeState.Bound[i] = nodeState.Bound[i].withPhase(Terminating)
			return
		case Complete:
			a.Left.Completions--
		}
		gone := nodeState.Bound[i]
		nodeState.Bound = remove(nodeState.Bound, i)
		a.closeRank(s, gone)
	default:
		panic("model: not an action of the environment: " + action.Class.String())
	}
}
