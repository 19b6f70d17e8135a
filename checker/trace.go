package checker

import (
	"bytes"
	"fmt"
	"slices"
)

// trace rebuilds the trace to a state, and on to one of its steps unless step is OnState. Only parents
// are kept, so each state on the way is expanded again to learn the action.
func (e *explorer) trace(w Worker, last stateID, step int) (Trace, error) {
	path := e.path(last)
	trace := Trace{Initial: slices.Clone(e.state(path[0]))}
	out := e.newSteps()
	for i, id := range path {
		number := step
		if i+1 < len(path) {
			if err := e.again(w, id, out); err != nil {
				return Trace{}, err
			}
			number = out.leadingTo(e.state(path[i+1]))
		} else if step == OnState {
			break
		} else if err := e.again(w, id, out); err != nil {
			return Trace{}, err
		}
		if number < 0 || number >= len(out.steps) {
			return Trace{}, fmt.Errorf(
				"state %x, expanded again, lacks a step it had before: Expand must depend on the state alone", e.state(id))
		}
		trace.Steps = append(trace.Steps, Step{
			Action: out.steps[number].action,
			State:  slices.Clone(out.target(uint32(number))),
		})
	}
	return trace, nil
}

// path gives the states from an initial one to the last, from parent to parent.
func (e *explorer) path(last stateID) []stateID {
	var path []stateID
	for id := last; id != noParent; id = e.shards[id.shard()].parent(id.index()) {
		path = append(path, id)
	}
	slices.Reverse(path)
	return path
}

func (e *explorer) state(id stateID) []byte { return e.shards[id.shard()].state(id.index()) }

// again expands a state once more.
func (e *explorer) again(w Worker, id stateID, out *Steps) error {
	out.reset()
	out.enter(id, e.state(id))
	w.Expand(e.state(id), out)
	return out.brokenRule
}

// leadingTo is the number of the first step to the state, or -1.
func (s *Steps) leadingTo(state []byte) int {
	for i := range s.steps {
		if bytes.Equal(s.target(uint32(i)), state) {
			return i
		}
	}
	return -1
}
