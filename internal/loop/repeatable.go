package loop

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/seed-a3f26817/modelcheck/checker"
)

// repeatable returns the property that the scheduler is a function of what happens. It is not asked of a step: whoever
// repeats a run comes upon it.
func repeatable() Property {
	return Property{
		Name: "repeatable",
		Doc: "The same actions lead to the same state, and what breaks a property breaks it again when the run is " +
			"repeated.",
		Broken: func(*Transition) []Violation { return nil },
	}
}

// divergence is a run that was repeated, and came to something else: a finding, with which nothing more can be explored
// from there.
type divergence struct{ Finding }

func (d *divergence) Error() string {
	return fmt.Sprintf("%s, after %v", d.But, d.Trace)
}

// mostRepeats is how often a run is repeated to see its first state again.
const mostRepeats = 8

// diverged returns the finding that the run to the point led to another state when it was repeated, with both states if
// the first comes again.
func (e *explorer) diverged(p *point, second *State) error {
	d := &divergence{Finding{
		Property: repeatable(), About: "state", Count: 1, Scope: e.scope, Initial: e.scope.Initial[p.initial], Trace: p.run(),
		Last: &Transition{Model: e.Model, Before: second, After: second},
		But: fmt.Sprintf("repeated, these actions led to another state; the first one did not come again in %d "+
			"repetitions", mostRepeats),
	}}
	for range mostRepeats {
		if e.interrupted() {
			break
		}
		first, err := e.repeated(p)
		if err != nil {
			return err
		}
		if hashAt(p, first) == p.state {
			one, other := strings.Split(first.Canonical(), "\n"), strings.Split(second.Canonical(), "\n")
			d.But = fmt.Sprintf("these actions led to a state with %s; repeated, to one with %s",
				listed(without(one, other)), listed(without(other, one)))
			break
		}
	}
	return d
}

// repeated returns the state to which the run to the point leads now.
func (e *explorer) repeated(p *point) (*State, error) {
	system, err := e.begin(p.initial)
	if err != nil {
		return nil, err
	}
	defer system.Close()
	for _, action := range p.run() {
		if _, err := e.do(system, action); err != nil {
			return nil, err
		}
	}
	return system.State(), nil
}

func hashAt(p *point, state *State) hash {
	if p.settling {
		return settledHash(state)
	}
	return state.Hash()
}

// notAgain returns the finding that what broke a property did not break it when its run was repeated. last is the step
// as it was repeated; nil if the run went elsewhere.
func (e *explorer) notAgain(wanted string, scope *Scope, initial int, run []Action, last *Transition) *divergence {
	if last == nil {
		state := &State{API: scope.Initial[initial]}
		last = &Transition{Model: e.in(scope).Model, Before: state, After: state}
	}
	d := &divergence{Finding{
		Property: repeatable(), About: wanted, Count: 1, Last: last,
		But: "these actions led to " + wanted + "; repeated, they did not",
	}}
	d.begin(scope, initial, run)
	return d
}

// numbered returns the error; if it is a divergence, with the number of the run that was not repeated.
func numbered(err error, run int64) error {
	if d, ok := errors.AsType[*divergence](err); ok {
		d.Number = &run
	}
	return err
}

// note keeps the divergence, and reports whether the error is one. Of several of a key that with the shortest run is
// kept, the first by its actions.
func (e *explorer) note(err error) bool {
	d, ok := errors.AsType[*divergence](err)
	if !ok {
		return false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	known := e.divergences[d.Key()]
	if known == nil {
		if e.divergences == nil {
			e.divergences = map[string]*divergence{}
		}
		e.divergences[d.Key()] = d
		return true
	}
	count := known.Count + 1
	if cmp.Or(cmp.Compare(len(d.Trace), len(known.Trace)),
		strings.Compare(fmt.Sprint(d.Trace), fmt.Sprint(known.Trace))) < 0 {
		e.divergences[d.Key()] = d
	}
	e.divergences[d.Key()].Count = count
	return true
}

// addDivergences adds what was not repeated to the result, of which more was to be explored then.
func (e *explorer) addDivergences(result *Result) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, key := range sortedKeys(e.divergences) {
		result.Findings = append(result.Findings, e.divergences[key].Finding)
	}
	if len(e.divergences) > 0 && result.Complete {
		result.Complete, result.Stopped = false, checker.NotRepeated
	}
}
