package loop

import "math/rand/v2"

// Runs follows single runs, and says what they break: nothing is counted and nothing is shrunk.
type Runs struct{ *explorer }

// NewRuns returns the runs of the subject. They may be followed by several goroutines.
func NewRuns(subject Subject) *Runs { return &Runs{&explorer{Subject: subject}} }

// Drawn follows the run of that number as Random does, of at most so many steps. An error is one of the system: it
// cannot take an action.
func (r *Runs) Drawn(scope *Scope, seed uint64, number int64, steps int) ([]Breach, error) {
	draw := rand.New(rand.NewPCG(seed, uint64(number)))
	initial, next := draw.IntN(len(scope.Initial)), helping(r.in(scope).Model, scope, draw)
	return r.follow(scope, initial, func(state *State, used Used) (Action, bool) {
		if steps--; steps < 0 {
			return Action{}, false
		}
		return next(state, used)
	})
}

// Waking follows the run of a scope of Waking.
func (r *Runs) Waking(scope *Scope) ([]Breach, error) {
	steps, next := WakingSteps, waken(scope)
	return r.follow(scope, 0, func(state *State, used Used) (Action, bool) {
		if steps--; steps < 0 {
			return Action{}, false
		}
		return next(state, used)
	})
}

// Along takes these actions, beginning with the cluster of that index. An action that cannot be taken ends the run
// with the system's error, and what was broken up to there.
func (r *Runs) Along(scope *Scope, initial int, actions []Action) ([]Breach, error) {
	return r.follow(scope, initial, func(*State, Used) (Action, bool) {
		if len(actions) == 0 {
			return Action{}, false
		}
		next := actions[0]
		actions = actions[1:]
		return next, true
	})
}

func (r *Runs) follow(scope *Scope, initial int, next func(*State, Used) (Action, bool)) ([]Breach, error) {
	var broken []Breach
	err := r.walk(scope, initial, next, func(t *Transition) bool {
		if t.Action.Doc != takenBack { // nobody but the search does that
			broken = append(broken, t.Broken()...)
		}
		return true
	})
	return broken, err
}
