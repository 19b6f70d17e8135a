package loop

import (
	"encoding/json"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A system cannot be set to a state, nor copied. So once a run was repeated to take one action, its system goes on from there, with actions that are
// still to be taken where it comes. What they lead to is noted until the checker asks for it.

// visit is what is known of a place before the checker asks for it.
type visit struct {
	// outcomes are those of the actions that may be taken here, by their numbers; nil where no run took it yet. claimed says where one
	// has set about it.
	outcomes []*outcome
	claimed  []bool
	// situation is how things stand here, with no move taken; nil without Scope.Liveness.
	situation *situation
}

// outcome is what an action led to.
type outcome struct {
	action Action
	state  hash
	// breaches are the keys of the breaches, and needless is how many pods were woken in vain.
	breaches []string
	needless int
	// move is the step as one of settling, where it is one.
	move move
}

// visit gives the visit of a place to which a system has come; nil if nothing is left to be taken there.
func (e *explorer) visit(at place, state *State) *visit {
	e.mu.Lock()
	known, expanded := e.visits[at], e.points.expanded(at)
	e.mu.Unlock()
	if known != nil || expanded {
		return known
	}
	found := e.newVisit(at, state)
	e.mu.Lock()
	defer e.mu.Unlock()
	if known, expanded := e.visits[at], e.points.expanded(at); known != nil || expanded {
		return known // another worker was faster
	}
	e.visits[at] = found
	return found
}

// newVisit gives a visit of which no action was taken.
func (e *explorer) newVisit(at place, state *State) *visit {
	n := len(e.scope.Actions(state, at.used))
	v := &visit{outcomes: make([]*outcome, n), claimed: make([]bool, n)}
	if e.scope.Liveness {
		v.situation = e.situationOf(state)
	}
	return v
}

// visited gives the visit of a point that the checker asks for: that of the system which came there first or, if the checker asks again, a new one.
func (e *explorer) visited(at *point) (*visit, error) {
	e.mu.Lock()
	v := e.visits[at.place]
	e.mu.Unlock()
	if v != nil {
		return v, nil
	}
	system, state, err := e.reach(at)
	if err != nil {
		return nil, err
	}
	defer system.Close()
	return e.newVisit(at.place, state), nil
}

// outcome gives what the action of that number leads to from the point. If nobody has taken it, its run is repeated for it.
func (e *explorer) outcome(at *point, v *visit, number int) (*outcome, error) {
	e.mu.Lock()
	known := v.outcomes[number]
	v.claimed[number] = true
	e.mu.Unlock()
	if known != nil {
		return known, nil
	}
	system, state, err := e.reach(at)
	if err != nil {
		return nil, err
	}
	defer system.Close()
	asked, after, err := e.tryOut(system, state, at.used, number)
	if err != nil {
		return nil, err
	}
	e.note(v, number, asked)
	here := place{asked.state, at.used.After(asked.action)}
	for n := 1; ; n++ {
		v := e.visit(here, after)
		if n > e.Ahead || e.maxDepth > 0 && at.depth+n >= e.maxDepth {
			break
		}
		i := e.claim(v)
		if i < 0 {
			break
		}
		var o *outcome
		if o, after, err = e.tryOut(system, after, here.used, i); err != nil {
			break // and an error of the run once the checker asks for it
		}
		e.note(v, i, o)
		here = place{o.state, here.used.After(o.action)}
	}
	return asked, nil
}

// note notes what an action led to. Two workers may have taken it; it led both to the same.
func (e *explorer) note(v *visit, number int, o *outcome) {
	e.mu.Lock()
	defer e.mu.Unlock()
	v.outcomes[number] = o
}

// claim gives the number of an action that nobody has set about yet; -1 if there is none.
func (e *explorer) claim(v *visit) int {
	if v == nil {
		return -1
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	i := slices.Index(v.claimed, false)
	if i >= 0 {
		v.claimed[i] = true
	}
	return i
}

// tryOut takes the action of that number, and gives what it leads to.
func (e *explorer) tryOut(system System, before *State, used Used, number int) (*outcome, *State, error) {
	action := e.scope.Actions(before, used)[number]
	taken, err := e.take(system, before, action)
	if err != nil {
		return nil, nil, err
	}
	breaches := taken.Broken()
	o := &outcome{action: e.shared(action), state: taken.After.Hash(), needless: len(taken.Needless())}
	for _, breach := range breaches {
		o.breaches = append(o.breaches, breach.Key())
	}
	if e.scope.Liveness {
		o.move = moveOf(taken, breaches)
	}
	return o, taken.After, nil
}

// shared gives the action with an object that other actions have too: most of the memory would go to objects of which there are few. What they differ in,
// version and uid, the API server gives anew whenever the action is repeated.
func (e *explorer) shared(a Action) Action {
	if a.Object == nil {
		return a
	}
	object := a.Object.DeepCopyObject()
	if meta, ok := object.(metav1.Object); ok {
		meta.SetResourceVersion("")
		meta.SetUID("")
	}
	data, err := json.Marshal(object)
	if err != nil {
		return a
	}
	key := a.String() + string(data)
	e.mu.Lock()
	defer e.mu.Unlock()
	known, ok := e.actions[key]
	if !ok {
		known = a
		known.Object = object
		e.actions[key] = known
	}
	return known
}

// after gives the situation of the point, with the moves that were taken.
func (s *situation) after(at *point, outcomes []*outcome) *situation {
	known := *s
	known.point, known.moves = at, slices.Clone(s.moves)
	for _, o := range outcomes {
		if i := s.number(o.action); i >= 0 {
			known.moves[i] = o.move
		}
	}
	return &known
}
