package loop

import (
	"context"
	"encoding/json"
	"slices"
	"sync/atomic"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/seed-a3f26817/modelcheck/internal/lanes"
)

// A system cannot be set to a state, nor copied. So once a run was repeated to take one action, its system goes on
// from there, with actions that are still to be taken where it comes. What they lead to is noted until the checker
// asks for it.

// expansion is what is known of a place before the checker asks for it.
type expansion struct {
	// outcomes are those of the actions that may be taken here, by their numbers; nil where no run took it yet.
	// claimed says where one has set about it.
	outcomes []*outcome
	reserved []bool
	// settlingState is how things stand here, with no move taken; nil without Scope.Liveness.
	settlingState *settlingState
}

// outcome is what an action led to.
type outcome struct {
	action Action
	state  hash
	// breaches are the keys of the breaches, and needless is how many pods were woken in vain.
	breaches []string
	needless int
	hints    []HintUse
	// move is the step as one of settling, where it is one.
	move move
}

// waypoint is where a system is on its way.
type waypoint struct {
	pathKey
	expansion *expansion // nil if nothing is left to be taken here
	state     *State
	actions   []Action // what may be taken here, once somebody has asked
}

// possible returns the actions that may be taken at the stop, by their numbers.
func (s *waypoint) possible(scope *Scope) []Action {
	if s.actions == nil {
		s.actions = scope.Actions(s.state, s.used)
	}
	return s.actions
}

// arrive returns the stop of a system that has come to a place, and sees to it that the place has a visit if
// something is left to be taken there.
func (e *explorer) arrive(at pathKey, state *State) *waypoint {
	s := &waypoint{pathKey: at, state: state}
	e.mu.Lock()
	known, expanded := e.expansions[at], e.points.expanded(at)
	e.mu.Unlock()
	if known != nil || expanded {
		s.expansion = known
		return s
	}
	found := e.newExpansion(s)
	e.mu.Lock()
	defer e.mu.Unlock()
	if known, expanded := e.expansions[at], e.points.expanded(at); known != nil || expanded {
		s.expansion = known // another worker was faster
		return s
	}
	e.expansions[at], s.expansion = found, found
	return s
}

// newExpansion returns a visit of which no action was taken.
func (e *explorer) newExpansion(at *waypoint) *expansion {
	n := len(at.possible(e.scope))
	v := &expansion{outcomes: make([]*outcome, n), reserved: make([]bool, n)}
	if e.scope.Liveness {
		v.settlingState = e.settlingStateOf(at.state)
	}
	return v
}

// expansionOf returns the visit of a point that the checker asks for: that of the system which came there first or,
// if the checker asks again, a new one.
func (e *explorer) expansionOf(at *point) (*expansion, error) {
	e.mu.Lock()
	v := e.expansions[at.pathKey]
	e.mu.Unlock()
	if v != nil {
		return v, nil
	}
	system, state, err := e.reach(at)
	if err != nil {
		return nil, err
	}
	defer system.Close()
	return e.newExpansion(&waypoint{pathKey: at.pathKey, state: state}), nil
}

// outcome returns what the action of that number leads to from the point. If nobody has taken it, its run is
// repeated for it, and the system goes on from there.
func (e *explorer) outcome(at *point, v *expansion, number int) (*outcome, error) {
	e.mu.Lock()
	known := v.outcomes[number]
	v.reserved[number] = true
	e.mu.Unlock()
	if known != nil {
		return known, nil
	}
	system, state, err := e.reach(at)
	if err != nil {
		return nil, err
	}
	defer system.Close()
	before := &waypoint{pathKey: at.pathKey, expansion: v, state: state}
	asked, here, err := e.tryOut(system, before, number)
	if err != nil {
		return nil, err
	}
	for last, n := asked, 1; n <= e.Ahead && (e.maxDepth == 0 || at.depth+n < e.maxDepth); n++ {
		i := e.reserve(here.expansion)
		if i < 0 {
			if i = e.reserve(before.expansion); i < 0 {
				break
			}
			if before.state = e.takeBack(system, before.state, last.action); before.state == nil {
				e.release(before.expansion, i)
				break
			}
			here = before
		}
		before = here
		if last, here, err = e.tryOut(system, before, i); err != nil {
			break // and an error of the run once the checker asks for it
		}
	}
	return asked, nil
}

// many is how many actions a state of a large cluster has at least that several workers take: the checker gives a state
// to one, and the others would wait where a run begins, in the only state there is.
const many = 64

// takeMany notes what the actions lead to from the point, as far as they can be taken. Others are left to be asked for.
func (e *explorer) takeMany(at *point, v *expansion) {
	var taken atomic.Int64
	take := func(context.Context, int, int) error {
		i := e.reserve(v)
		if i < 0 {
			return nil
		}
		if e.interrupted() {
			return context.Canceled
		}
		_, err := e.outcome(at, v, i)
		if e.Trying != nil {
			e.Trying(int(taken.Add(1)), len(v.outcomes))
		}
		return err
	}
	// An error is one of the run once the checker asks for it, as it does after an interrupt for what is left.
	_ = lanes.Do(context.Background(), e.workers, len(v.outcomes), take)
	if e.Trying != nil {
		e.Trying(len(v.outcomes), len(v.outcomes))
	}
}

// takeBack takes an event back, and gives the state if it is the one before; nil if not.
func (e *explorer) takeBack(system System, before *State, a Action) *State {
	back, ok := a.Inverse(before)
	if !ok {
		return nil
	}
	if _, err := e.do(system, back); err != nil {
		return nil
	}
	state := system.State()
	if state.Hash() != before.Hash() {
		return nil
	}
	return state
}

// takenBack is the Doc of what only takes an event back.
const takenBack = "it is as it was"

// Inverse returns the action that takes an event back, given the state before it; false if nobody can: pods do not
// come back, and keep what is decided about them. It may lead to the state before or, if the scheduler has heard of
// the event, to another one.
func (a Action) Inverse(before *State) (Action, bool) {
	if a.Controller {
		return Action{}, false
	}
	if a.Verb == Create {
		return Action{Verb: Delete, Ref: a.Ref, Doc: takenBack}, true
	}
	objects := Objects(before.API)
	i := slices.IndexFunc(objects, func(object runtime.Object) bool { return RefOf(object) == a.Ref })
	if i < 0 {
		return Action{}, false
	}
	switch pod, ok := objects[i].(*v1.Pod); {
	case a.Verb == Delete && !ok:
		return Action{Verb: Create, Ref: a.Ref, Object: objects[i], Doc: takenBack}, true
	case a.Verb == Update && (!ok || relabelled(pod, a.Object)):
		return Action{Verb: Update, Ref: a.Ref, Object: objects[i], Doc: takenBack}, true
	}
	return Action{}, false
}

// relabelled tells that nothing of the pod was changed but its metadata.
func relabelled(before *v1.Pod, after runtime.Object) bool {
	pod, ok := after.(*v1.Pod)
	return ok && equality.Semantic.DeepEqual(before.Spec, pod.Spec) &&
		equality.Semantic.DeepEqual(before.Status, pod.Status)
}

// reserve returns the number of an action that nobody has set about yet; -1 if there is none.
func (e *explorer) reserve(v *expansion) int {
	if v == nil {
		return -1
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	i := slices.Index(v.reserved, false)
	if i >= 0 {
		v.reserved[i] = true
	}
	return i
}

// release returns an action back that could not be taken.
func (e *explorer) release(v *expansion, number int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	v.reserved[number] = false
}

// tryOut takes the action of that number, notes what it leads to, and gives that with where it leads.
func (e *explorer) tryOut(system System, at *waypoint, number int) (*outcome, *waypoint, error) {
	action := at.possible(e.scope)[number]
	taken, err := e.take(e.scope, system, at.state, action)
	if err != nil {
		return nil, nil, err
	}
	breaches := taken.Broken()
	o := &outcome{
		action: e.shared(action), state: taken.After.Hash(), needless: len(taken.Needless()),
		hints: taken.Step.Hints,
	}
	for _, breach := range breaches {
		o.breaches = append(o.breaches, breach.Key())
	}
	if e.scope.Liveness {
		o.move = moveOf(taken, breaches)
	}
	e.mu.Lock()
	at.expansion.outcomes[number] = o // two workers may have taken it; it led both to the same
	e.mu.Unlock()
	to := pathKey{o.state, at.used.After(action)}
	return o, e.arrive(to, taken.After), nil
}

// shared returns the action with an object that other actions have too: most of the memory would go to objects of
// which there are few. What they differ in, version and uid, the API server gives anew whenever the action is
// repeated.
func (e *explorer) shared(a Action) Action {
	if a.Meanwhile != nil {
		meanwhile := e.shared(*a.Meanwhile)
		a.Meanwhile = &meanwhile
	}
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

// after returns the situation of the point, with the moves that were taken.
func (s *settlingState) after(at *point, outcomes []*outcome) *settlingState {
	known := *s
	known.point, known.moves = at, slices.Clone(s.moves)
	for _, o := range outcomes {
		if i := s.number(o.action); i >= 0 {
			known.moves[i] = o.move
		}
	}
	return &known
}
