package loop

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-a3f26817/modelcheck/checker"
)

// grows says, of an exploration that a bound has stopped, which part of the state goes on changing along its deepest
// run: of a scheduler that leaks, that is what keeps its states from an end. "" if the run is too short to tell.
func (e *explorer) grows(deepest *point) (string, error) {
	if deepest == nil || deepest.depth < 8 || e.interrupted() {
		return "", nil
	}
	system, err := e.begin(deepest.initial)
	if err != nil {
		return "", err
	}
	defer system.Close()
	var states []map[string]string
	for _, action := range deepest.run() {
		if _, err := e.do(system, action); err != nil {
			return "", err
		}
		states = append(states, parts(system.State()))
	}
	late := states[len(states)/2:]
	most, part := 0, ""
	for _, name := range sortedKeys(late[len(late)-1]) {
		values := map[string]bool{}
		for _, state := range late {
			values[state[name]] = true
		}
		if len(values) > most {
			most, part = len(values), name
		}
	}
	first, last := late[0][part], late[len(late)-1][part]
	return fmt.Sprintf("%s has %d values in the last %d states of the deepest run, of %d actions: first %s, in the end %s",
		part, most, len(late), len(states), shortened(first), shortened(last)), nil
}

// parts returns the parts of a state, as text.
func parts(s *State) map[string]string {
	all := map[string]string{
		"assumed": fmt.Sprint(s.Assumed), "nominated": fmt.Sprint(s.Nominated),
		"cache": strings.Join(without(s.Cache, s.Expected), "; "),
	}
	for _, object := range s.Reserved {
		all["reserved "+RefOf(object.Object).String()+object.Under] = s.canonical(object.Object)
	}
	for _, object := range Objects(s.API) {
		all["API "+RefOf(object).String()] = s.canonical(object)
	}
	for i, q := range s.Queue {
		all["queue, of "+q.Pod+", since"] = strings.Join(q.Since, "; ")
		q.Since = nil
		all["queue, of "+q.Pod] = fmt.Sprintf("%d: %+v", i, q)
	}
	return all
}

// shortened returns the length of a text, with the text if it is short.
func shortened(text string) string {
	const short = 80
	if len(text) > short {
		return fmt.Sprintf("%d bytes", len(text))
	}
	return fmt.Sprintf("%q", text)
}

// deepest returns the point with the longest run, the first by its key.
func (all points) deepest() *point {
	var found *point
	for _, there := range all {
		for _, p := range there {
			if found == nil || p.depth > found.depth || p.depth == found.depth && bytes.Compare(p.key(), found.key()) < 0 {
				found = p
			}
		}
	}
	return found
}

// deepestSettling returns the point of settling with the longest run, the first by its key.
func (e *explorer) deepestSettling() *point {
	var found *settlingState
	for _, s := range e.settlingStates {
		if found == nil || s.point.depth > found.point.depth ||
			s.point.depth == found.point.depth && before(s, found) < 0 {
			found = s
		}
	}
	if found == nil {
		return nil
	}
	return found.point
}

// growth says what grows, if a bound has stopped the search or that of settling.
func (e *explorer) growth(r *Result) (string, error) {
	var at *point
	switch {
	case limited(r.Stopped):
		e.mu.Lock()
		at = e.points.deepest()
		e.mu.Unlock()
	case r.Liveness != nil && limited(r.Liveness.Stopped):
		at = e.deepestSettling()
	}
	return e.grows(at)
}

// limited reports whether a bound on the search has stopped it.
func limited(r checker.Reason) bool {
	return slices.Contains([]checker.Reason{checker.StateLimit, checker.DepthLimit, checker.MemoryLimit}, r)
}
