package decisions

import (
	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/model"
)

// explorer is a scenario as the checker explores it: the states of its machine, and the steps that the decisions in
// the cache lead to.
type explorer struct {
	machine  *model.Machine
	cache    *decisionCache
	deciders []Decider
	workers  int
	// chunk is what of the scenario is explored; nil for all of it.
	chunk *Chunk
}

// Width is the number of bytes of a state.
func (x *explorer) Width() int { return x.machine.Width() }

// Initial emits the initial clusters.
func (x *explorer) Initial(emit func(state []byte)) {
	if x.chunk == nil {
		x.machine.Initial(emit)
		return
	}
	x.machine.InitialOf(x.chunk.Initial, emit)
}

// ActionClasses names the classes of actions.
func (x *explorer) ActionClasses() []string { return model.Classes() }

// ActionClass returns the class of an action.
func (x *explorer) ActionClass(action uint32) int { return int(model.UnpackAction(action).Class) }

// End labels terminal states by whether all pods are bound.
func (x *explorer) End(state []byte) string {
	switch pending, nominated := x.machine.Unbound(state); {
	case nominated:
		return TerminalNominated
	case pending:
		return TerminalUnschedulable
	default:
		return TerminalBound
	}
}

// Size counts nodes, then pods: the smaller cluster makes the better example.
func (x *explorer) Size(state []byte) int { return x.machine.Size(state) }

// Worker returns a worker with a decider of its own.
func (x *explorer) Worker() checker.Worker {
	decider := x.deciders[x.workers%len(x.deciders)]
	x.workers++
	w := &worker{
		machine:  x.machine,
		scenario: x.machine.Scenario,
		cache:    x.cache,
		builder:  x.machine.NewQuestionBuilder(),
		decider:  decider,
		state:    make([]byte, x.Width()),
		others:   newLookup(x.machine, x.cache, decider),
		namer:    x.machine.NewNamer(),
		counters: x.counters(),
	}
	w.countsPlaced = len(initiallyPending(w.scenario)) > 0
	w.checked = invariants.Step{
		Scenario: w.scenario,
		Before:   &w.now,
		After:    &w.next,
		Stuck:    func() []model.PendingPod { return w.others.stuck(&w.now) },
		Named:    w.namedStep,
	}
	for i := range x.cache.properties {
		switch property := &x.cache.properties[i]; {
		case property.Step != nil:
			w.ofSteps = append(w.ofSteps, i)
		case property.State != nil:
			w.ofStates = append(w.ofStates, i)
		}
	}
	return w
}

func (x *explorer) counters() counters {
	return countersOf(len(x.cache.properties), x.machine.Scenario)
}
