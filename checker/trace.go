package checker

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
)

// NotRepeatedError tells that a state, expanded again, lacks a step that it had before: Expand does not depend on the
// state alone.
type NotRepeatedError struct{ State []byte }

func (e *NotRepeatedError) Error() string {
	return fmt.Sprintf("state %x, expanded again, lacks a step it had before: Expand must depend on the state alone",
		e.State)
}

// trace rebuilds the trace to a state, and on to one of its steps unless step is OnState. Only parents
// are kept, so each state on the way is expanded again to learn the action.
func (e *explorer) trace(w Worker, last stateID, step int) (Trace, error) {
	path, err := e.path(last)
	if err != nil {
		return Trace{}, err
	}
	trace := Trace{Initial: slices.Clone(path[0])}
	out := e.newSteps()
	for i, state := range path {
		number := step
		if i+1 < len(path) {
			if err := again(w, state, out); err != nil {
				return Trace{}, err
			}
			number = out.leadingTo(path[i+1])
		} else if step == OnState {
			break
		} else if err := again(w, state, out); err != nil {
			return Trace{}, err
		}
		if number < 0 || number >= len(out.steps) {
			return Trace{}, &NotRepeatedError{State: slices.Clone(state)}
		}
		trace.Steps = append(trace.Steps, Step{
			Action: out.steps[number].action,
			State:  slices.Clone(out.target(uint32(number))),
		})
	}
	return trace, nil
}

// path returns the states from an initial one to the last, from parent to parent.
func (e *explorer) path(last stateID) ([][]byte, error) {
	var path [][]byte
	for id := last; id != noParent; {
		state, parent, err := e.shards[id.shard()].fetch(id.index())
		if err != nil {
			return nil, err
		}
		path, id = append(path, state), parent
		if int64(len(path)) > e.result.Distinct {
			return nil, errors.New("parents go round in a circle: the states on disk were changed")
		}
	}
	slices.Reverse(path)
	return path, nil
}

// again expands a state once more.
func again(w Worker, state []byte, out *Steps) error {
	out.reset()
	out.enter(0, state)
	w.Expand(state, out)
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
