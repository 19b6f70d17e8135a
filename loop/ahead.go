package loop

import (
	"encoding/json"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
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

// stop is where a system is on its way.
type stop struct {
	place
	visit   *visit // nil if nothing is left to be taken here
	state   *State
	actions []Action // what may be taken here, once somebody has asked
}

// possible gives the actions that may be taken at the stop, by their numbers.
func (s *stop) possible(scope *Scope) []Action {
	if s.actions == nil {
		s.actions = scope.Actions(s.state, s.used)
	}
	return s.actions
}

// arrive gives the stop of a system that has come to a place, and sees to it that the place has a visit if something is left to be taken there.
func (e *explorer) arrive(at place, state *State) *stop {
	s := &stop{place: at, state: state}
	e.mu.Lock()
	known, expanded := e.visits[at], e.points.expanded(at)
	e.mu.Unlock()
	if known != nil || expanded {
		s.visit = known
		return s
	}
	found := e.newVisit(s)
	e.mu.Lock()
	defer e.mu.Unlock()
	if known, expanded := e.visits[at], e.points.expanded(at); known != nil || expanded {
		s.visit = known // another worker was faster
		return s
	}
	e.visits[at], s.visit = found, found
	return s
}

// newVisit gives a visit of which no action was taken.
func (e *explorer) newVisit(at *stop) *visit {
	n := len(at.possible(e.scope))
	v := &visit{outcomes: make([]*outcome, n), claimed: make([]bool, n)}
	if e.scope.Liveness {
		v.situation = e.situationOf(at.state)
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
	return e.newVisit(&stop{place: at.place, state: state}), nil
}

// outcome gives what the action of that number leads to from the point. If nobody has taken it, its run is repeated for it, and the system goes on from there.
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
	before := &stop{place: at.place, visit: v, state: state}
	asked, here, err := e.tryOut(system, before, number)
	if err != nil {
		return nil, err
	}
	for last, n := asked, 1; n <= e.Ahead && (e.maxDepth == 0 || at.depth+n < e.maxDepth); n++ {
		i := e.claim(here.visit)
		if i < 0 {
			if i = e.claim(before.visit); i < 0 {
				break
			}
			if before.state = e.takeBack(system, before.state, last.action); before.state == nil {
				e.unclaim(before.visit, i)
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

// Inverse gives the action that takes an event back, given the state before it; false if nobody can: pods do not come back, and keep what is decided
// about them. It may lead to the state before or, if the scheduler has heard of the event, to another one.
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
	return ok && equality.Semantic.DeepEqual(before.Spec, pod.Spec) && equality.Semantic.DeepEqual(before.Status, pod.Status)
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

// unclaim gives an action back that could not be taken.
func (e *explorer) unclaim(v *visit, number int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	v.claimed[number] = false
}

// tryOut takes the action of that number, notes what it leads to, and gives that with where it leads.
func (e *explorer) tryOut(system System, at *stop, number int) (*outcome, *stop, error) {
	action := at.possible(e.scope)[number]
	taken, err := e.take(system, at.state, action)
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
	e.mu.Lock()
	at.visit.outcomes[number] = o // two workers may have taken it; it led both to the same
	e.mu.Unlock()
	to := place{o.state, at.used.After(action)}
	return o, e.arrive(to, taken.After), nil
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
