package decisions

import (
	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/model"
)

// unfolding is a machine with the decisions that production takes, and none that only the spec allows: liveness is
// a property of kube-scheduler's behaviours. A decision that changes nothing is a step.
type unfolding struct {
	machine *model.Machine
	lookups lookups
}

// Initial emits the initial clusters.
func (u *unfolding) Initial(emit func(state []byte)) { u.machine.Initial(emit) }

// Stepper returns a stepper with a decider of its own.
func (u *unfolding) Stepper() checker.Stepper {
	return &stepper{machine: u.machine, decisions: u.lookups.next(), state: make([]byte, u.machine.Width())}
}

// stepper returns the steps from states without names.
type stepper struct {
	machine     *model.Machine
	decisions   *lookup
	now, next   model.Arrangement
	pendingPods []model.PendingPod
	state       []byte
}

// Run lets the decider say where the stepper works.
func (s *stepper) Run(work func()) { hosted(s.decisions.decider, work) }

// Steps returns the steps; actions are packed.
func (s *stepper) Steps(state []byte, each func(action uint32, next []byte)) error {
	scenario := s.machine.Scenario
	s.machine.Unpack(state, &s.now)
	step := func(action model.Action) {
		s.next.Canonical()
		s.machine.Pack(&s.next, s.state)
		each(action.Pack(), s.state)
	}
	s.now.Environment(scenario, func(action model.Action) {
		s.next.CopyFrom(&s.now)
		s.next.Act(scenario, action, 0)
		step(action)
	})
	s.pendingPods = s.now.Next(scenario, s.pendingPods)
	for _, pending := range s.pendingPods {
		moves := s.decisions.taken(&s.now, pending)
		if scenario.Actions.Order == model.QueueOrder {
			moves = scenario.Steps(pending, moves)
		}
		for _, move := range moves {
			s.next.CopyFrom(&s.now)
			s.next.Apply(scenario, pending, move)
			step(model.Action{Class: move.Class(), Pod: uint32(pending.Template), Node: pending.Node})
		}
		if len(moves) == 0 {
			each(model.Action{Class: model.Wait, Pod: uint32(pending.Template), Node: pending.Node}.Pack(), state)
		}
	}
	return nil
}

// fair labels the actions that are not put off for ever: terminating pods finish, pending pods are retried, each
// pod template by itself.
func fair(packed uint32) (label uint64, ok bool) {
	action := model.UnpackAction(packed)
	return fairLabel(action.Class, uint64(action.Template()))
}

// strong labels the bindings, which are not passed over for ever where fairness is strong.
func strong(packed uint32) (label uint64, ok bool) {
	action := model.UnpackAction(packed)
	return uint64(action.Template()), action.Class == model.Bind
}

func fairLabel(class model.Class, who uint64) (label uint64, ok bool) {
	switch {
	case class == model.Gone:
		return 1<<32 | who, true
	case class.Decided():
		return 2<<32 | who, true
	default:
		return 0, false
	}
}
