package model

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// Walker goes through a scenario step by step, from its first initial cluster, by the names of nodes and pods. It
// says which steps are enabled, short of what a scheduler decides: whether it may take the step is for the caller
// to say.
type Walker struct {
	machine *Machine
	who     *identities
	now     *Arrangement
}

// NewWalker begins with the first initial cluster of the scenario.
func (m *Machine) NewWalker() *Walker {
	w := &Walker{machine: m, who: newIdentities(m.Scenario)}
	w.now = m.arrange(0, w.who)
	w.now.Canonical()
	return w
}

// WalkerAt begins with a stage of a trace. Nothing arrives where it goes.
func (m *Machine) WalkerAt(stage Stage) *Walker { return &Walker{machine: m, now: stage.named} }

// Stage is where the walker stands, without a step that leads on.
func (w *Walker) Stage() Stage { return Stage{Cluster: w.machine.Named(w.now), named: w.now} }

// Taken is a step that was taken, in the terms of the machine.
type Taken struct {
	Action Action
	// Before is canonical; After is what the action made of it, and not sorted yet.
	Before, After *Arrangement
}

// Take takes the step. The error says why it is not enabled; then the walker stays where it is.
func (w *Walker) Take(step *NamedStep) (Taken, error) {
	if step.Class.Decided() {
		return w.decide(step)
	}
	return w.act(step)
}

// decide carries a decision out.
func (w *Walker) decide(step *NamedStep) (Taken, error) {
	pending, err := w.pendingPod(step.Pod)
	if err != nil {
		return Taken{}, err
	}
	move, err := w.Move(step)
	switch {
	case err != nil:
		return Taken{}, err
	case step.Class == Preempt && !w.machine.Scenario.Actions.Preempt:
		return Taken{}, fmt.Errorf("preemptions are not carried out in this scenario")
	case step.Class == Wait && pending.Node < 0 && !step.Idle:
		return Taken{}, fmt.Errorf("pod %s holds no nomination that could be cleared", podName(step.Pod))
	case !slices.Contains(w.now.Next(w.machine.Scenario, nil), pending):
		return Taken{}, fmt.Errorf("pod %s is not the next in the queue", podName(step.Pod))
	}
	after := &Arrangement{}
	after.CopyFrom(w.now)
	after.Apply(w.machine.Scenario, pending, move)
	return w.moveOn(Action{Class: step.Class, Pod: uint32(pending.Template), Node: pending.Node}, after), nil
}

// pendingPod finds the pod among the pending ones.
func (w *Walker) pendingPod(pod *v1.Pod) (PendingPod, error) {
	named := func(pods []Pod) int {
		return slices.IndexFunc(pods, func(p Pod) bool { return podName(w.machine.PodNamed(p)) == podName(pod) })
	}
	pending, found := PendingPod{}, false
	if i := named(w.now.Pending); i >= 0 {
		pending, found = PendingPod{w.now.Pending[i].Template(), -1}, true
	}
	for nodeState := range w.now.Nodes {
		nominated := w.now.Nodes[nodeState].Nominated
		if i := named(nominated); i >= 0 {
			pending, found = PendingPod{nominated[i].Template(), nodeState}, true
		}
	}
	switch {
	case !found:
		return pending, fmt.Errorf("pod %s is not pending", podName(pod))
	case spec.Gated(w.machine.Scenario.Pods[pending.Template].Pod):
		return pending, fmt.Errorf("pod %s has scheduling gates", podName(pod))
	}
	return pending, nil
}

// Move returns the move that carries the step of a decision out. Of victims that are alike it takes the first ones,
// so steps that differ in nothing else are the same move.
func (w *Walker) Move(step *NamedStep) (Move, error) {
	template := spec.Wait
	switch step.Class {
	case Bind:
		template = spec.Bind
	case Preempt:
		template = spec.Preempt
	}
	move := Move{Type: template, Node: -1}
	if template == spec.Wait {
		move.KeepsNomination = step.Idle
		return move, nil
	}
	if step.Node == nil {
		return move, fmt.Errorf("it names no node")
	}
	move.Node = slices.IndexFunc(
		w.now.Nodes,
		func(p NodeState) bool { return w.machine.nodeNamed(&p).Name == step.Node.Name },
	)
	if move.Node < 0 {
		return move, fmt.Errorf("there is no node %s", step.Node.Name)
	}
	bound := w.now.Nodes[move.Node].Bound
	for _, victim := range step.Victims {
		i := slices.IndexFunc(bound, func(p Pod) bool { return podName(w.machine.PodNamed(p)) == podName(victim) })
		if i < 0 {
			return move, fmt.Errorf("victim %s is not on %s", podName(victim), step.Node.Name)
		}
		move.Victims = append(move.Victims, i)
	}
	move.Victims = firstAlike(bound, move.Victims)
	return move, nil
}

// act carries an action of the environment out.
func (w *Walker) act(step *NamedStep) (Taken, error) {
	var enabled []Action
	each := func(action Action) {
		id := 0
		if action.Class.Creates() {
			id = w.who.pods[action.Pod] + 1 // who would be next
		}
		if action.Class == step.Class && w.machine.environmentStep(w.now, action, id).is(step) {
			enabled = append(enabled, action)
		}
	}
	w.now.Environment(w.machine.Scenario, each)
	if step.Class == Refresh && len(enabled) == 0 && w.machine.Scenario.Actions.RefreshBudgets {
		// The scenario of a recorded trace has the pods of the trace only. A budget of others is refreshed for
		// their sake.
		for i := range w.now.Budgets {
			w.now.outdated(w.machine.Scenario, i, each)
		}
	}
	if len(enabled) == 0 {
		return Taken{}, fmt.Errorf("it cannot happen here: %s", w.why(step))
	}
	action, id := enabled[0], 0
	if action.Class.Creates() {
		id = w.who.pod(int(action.Pod), 0)
	}
	after := &Arrangement{}
	after.CopyFrom(w.now)
	after.Act(w.machine.Scenario, action, id)
	return w.moveOn(action, after), nil
}

// is reports whether a step of the environment is the one that is wanted, which may leave out the node.
func (s *NamedStep) is(wanted *NamedStep) bool {
	switch {
	case wanted.Node != nil && (s.Node == nil || s.Node.Name != wanted.Node.Name):
		return false
	case s.Budget != nil:
		return wanted.Budget != nil && s.Budget.Namespace == wanted.Budget.Namespace &&
			s.Budget.Name == wanted.Budget.Name
	case s.Class.ChangesNode():
		return wanted.Node != nil
	default:
		return wanted.Pod != nil && podName(s.Pod) == podName(wanted.Pod)
	}
}

// why says why an action of the environment is not enabled.
func (w *Walker) why(step *NamedStep) string {
	left, actions := w.now.Left, w.machine.Scenario.Actions
	spent := map[Class]bool{
		Arrive: left.Arrivals == 0, ByHand: left.Arrivals == 0 || left.Placements == 0, Complete: left.Completions == 0,
		Delete: left.Deletions == 0, Gone: !actions.VictimGone, Recreate: actions.Recreations == 0,
		Refresh: !actions.RefreshBudgets,
	}
	switch {
	case spent[step.Class] || step.Class.ChangesNode() && left.NodeChanges == 0:
		return fmt.Sprintf("the scenario has no %q left", step.Class)
	case step.Class == Arrive || step.Class == ByHand:
		return fmt.Sprintf("no pod %s can arrive next", podName(step.Pod))
	case step.Class == Refresh && step.Budget != nil:
		return fmt.Sprintf("budget %s/%s is not there, or up to date", step.Budget.Namespace, step.Budget.Name)
	case step.Class.ChangesNode() && step.Node != nil:
		return fmt.Sprintf("node %s is not there, or is so already", step.Node.Name)
	case step.Pod == nil:
		return "it does not say what it happens to"
	case step.Class == Recreate:
		return fmt.Sprintf("no controller creates pod %s next", podName(step.Pod))
	case step.Class == Gone:
		return fmt.Sprintf("no pod %s is terminating there", podName(step.Pod))
	default:
		return fmt.Sprintf("no pod %s is running there", podName(step.Pod))
	}
}

func (w *Walker) moveOn(action Action, after *Arrangement) Taken {
	taken := Taken{Action: action, Before: w.now, After: after}
	w.now = &Arrangement{}
	w.now.CopyFrom(after)
	w.now.Canonical()
	return taken
}

func podName(pod *v1.Pod) string { return pod.Namespace + "/" + pod.Name }
