package decisions

import (
	"slices"

	"github.com/seed-a3f26817/modelcheck/model"
)

// lookup finds the decisions about the pending pods of arrangements, and takes those that are not in the cache yet.
// It is for one worker.
type lookup struct {
	cache    *decisionCache
	scenario *model.Scenario
	builder  *model.QuestionBuilder
	decider  Decider
}

func newLookup(machine *model.Machine, cache *decisionCache, decider Decider) *lookup {
	return &lookup{cache, machine.Scenario, machine.NewQuestionBuilder(), decider}
}

// entry returns the entry of the pending pod's question, and for each node of the question its index in the
// arrangement.
func (l *lookup) entry(a *model.Arrangement, pending model.PendingPod) (*cacheEntry, []int) {
	l.builder.Enter(a)
	return l.entered(pending)
}

// entered is entry for the arrangement that the builder has entered.
func (l *lookup) entered(pending model.PendingPod) (*cacheEntry, []int) {
	key, order := l.builder.Build(pending)
	question := func() *model.CanonicalQuestion { return l.builder.Question(pending) }
	return l.cache.get(key, question, l.decider), order
}

// moves returns the moves that are kept, in terms of the arrangement.
func (l *lookup) moves(a *model.Arrangement, pending model.PendingPod, keep func(followed) bool) []model.Move {
	entry, order := l.entry(a, pending)
	var moves []model.Move
	for _, move := range entry.moves {
		if keep(move) {
			moves = append(moves, withNodes(move.Move, order))
		}
	}
	return moves
}

// followed returns the moves that production makes or the spec allows, preemptions among them even if the scenario
// does not carry them out.
func (l *lookup) followed(a *model.Arrangement, pending model.PendingPod) []model.Move {
	return l.moves(a, pending, func(followed) bool { return true })
}

// enabled returns the moves that production makes or the spec allows, and that are carried out.
func (l *lookup) enabled(a *model.Arrangement, pending model.PendingPod) []model.Move {
	return l.moves(a, pending, l.carriedOut)
}

// taken returns the moves that production makes and that are carried out; none if there is no decision.
func (l *lookup) taken(a *model.Arrangement, pending model.PendingPod) []model.Move {
	return l.moves(a, pending, func(move followed) bool { return move.taken && l.carriedOut(move) })
}

func (l *lookup) carriedOut(move followed) bool {
	return move.Class() != model.Preempt || l.scenario.Actions.Preempt
}

// undocumented returns the decision about the pending pod if the spec does not allow the move; nil if it does.
func (l *lookup) undocumented(a *model.Arrangement, pending model.PendingPod, move model.Move) *cacheEntry {
	entry, order := l.entry(a, pending)
	for _, made := range entry.moves {
		if !made.allowed && withNodes(made.Move, order).Equal(move) {
			return entry
		}
	}
	return nil
}

// stuck returns the pending pods without a nomination for which every decision is to wait.
func (l *lookup) stuck(a *model.Arrangement) []model.PendingPod {
	var stuck []model.PendingPod
	l.builder.Enter(a)
	for _, pending := range a.PendingPods(l.scenario, nil) {
		entry, _ := l.entered(pending)
		moves := slices.ContainsFunc(entry.moves, func(move followed) bool { return move.Class() != model.Wait })
		if pending.Node < 0 && len(entry.moves) > 0 && !moves {
			stuck = append(stuck, pending)
		}
	}
	return stuck
}

// withNodes puts a move in terms of the arrangement.
func withNodes(move model.Move, order []int) model.Move {
	if move.Node >= 0 {
		move.Node = order[move.Node]
	}
	return move
}

// lookups hands out lookups, to each worker one with a decider of its own.
type lookups struct {
	machine  *model.Machine
	cache    *decisionCache
	deciders []Decider
	workers  int
}

func (l *lookups) next() *lookup {
	l.workers++
	return newLookup(l.machine, l.cache, l.deciders[(l.workers-1)%len(l.deciders)])
}
