package decisions

import (
	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/model"
)

// unfolding is a machine with the decisions that production takes, and none that only the spec allows: what goes on
// for ever is asked of kube-scheduler. A decision that changes nothing is a step.
type unfolding struct {
	*exploration
	workers int
}

// Initial emits the initial clusters.
func (u *unfolding) Initial(emit func(state []byte)) { u.machine.Initial(emit) }

// Stepper returns a stepper with a decider of its own.
func (u *unfolding) Stepper() checker.Stepper {
	u.workers++
	return &stepper{
		unfolding: u, taken: u.newTaker(u.run.deciders[(u.workers-1)%len(u.run.deciders)]),
		state: make([]byte, u.machine.Width()),
	}
}

// stepper returns the steps from states without names.
type stepper struct {
	*unfolding
	taken       *taker
	now, next   model.Arrangement
	pendingPods []model.PendingPod
	state       []byte
}

// Run lets the decider say where the stepper works.
func (s *stepper) Run(work func()) { hosted(s.taken.decider, work) }

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
	s.pendingPods = s.now.PendingPods(scenario, s.pendingPods)
	for _, pending := range s.pendingPods {
		moves := s.taken.moves(&s.now, pending)
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

// fair labels the actions that are not put off for ever: terminating pods are gone, pending pods are retried, each
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

// taker returns the moves that production makes, for one worker.
type taker struct {
	decisions *decisions
	scenario  *model.Scenario
	builder   *model.QuestionBuilder
	decider   Decider
}

func (m *exploration) newTaker(decider Decider) *taker {
	return &taker{m.decisions, m.machine.Scenario, m.machine.NewQuestionBuilder(), decider}
}

// record returns what became of the pending pod's question, and for each of its places the index in the arrangement.
func (t *taker) record(a *model.Arrangement, pending model.PendingPod) (*cacheEntry, []int) {
	t.builder.Enter(a)
	key, order := t.builder.Build(pending)
	return t.decisions.get(
		key,
		func() *model.CanonicalQuestion { return t.builder.Question(pending) },
		t.decider,
	), order
}

// moves returns the moves in terms of the arrangement; none if there is no decision, or if preemptions are not
// carried out and this is one.
func (t *taker) moves(a *model.Arrangement, pending model.PendingPod) []model.Move {
	record, order := t.record(a, pending)
	var moves []model.Move
	for _, move := range record.moves {
		if move.taken && (move.Class() != model.Preempt || t.scenario.Actions.Preempt) {
			moves = append(moves, withNodes(move.Move, order))
		}
	}
	return moves
}

// withNodes puts a move in terms of the arrangement.
func withNodes(move model.Move, order []int) model.Move {
	if move.Node >= 0 {
		move.Node = order[move.Node]
	}
	return move
}
