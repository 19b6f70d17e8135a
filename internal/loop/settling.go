package loop

import (
	"bytes"
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// Settling is what goes on once others have done all that they will: the scheduler takes pods, time passes, waits
// end, pods that terminate are gone, volumes are made and bound. Whatever goes on for ever is settling from some
// state on, as others act a bounded number of times. How much of the scope is left makes no difference to it, so it
// is left out of its states.

// settling returns what may happen by itself in the state, in a fixed order. No cycle is made to fail. Time passes,
// up to the end of every backoff or up to the periodic flush, only when the scheduler has no pod to take and has heard
// of everything: a cycle and an informer are faster. So are the calls that evict than the flush. Waits may run out any
// time.
func (s *Scope) settling(state *State) []Action {
	if s.over(state) {
		return nil
	}
	actions := hears(state)
	in := func(place QueueName) bool {
		return slices.ContainsFunc(state.Queue, func(q Queued) bool { return q.In(place) })
	}
	switch {
	case state.Poppable() && s.mayTakeNext(state):
		actions = append(actions, Action{Verb: Schedule})
	case !state.Poppable() && len(state.Unheard) == 0:
		if in(BackingOff) {
			actions = append(actions, Action{Verb: Backoff})
		}
		sleeps := in(Unschedulable) || slices.ContainsFunc(state.Queue, keptByPreemption)
		if sleeps && len(state.Evictions) == 0 {
			actions = append(actions, Action{Verb: Flush})
		}
	}
	actions = append(actions, endsOfWaits(state, true)...)
	actions = append(actions, evictionSteps(state, false)...)
	actions = append(actions, writes(state)...)
	actions = append(actions, s.inTime(state, terminations(state))...)
	actions = append(actions, s.inTime(state, volumeController(state))...)
	actions = append(actions, s.inTime(state, claimController(state))...)
	actions = append(actions, s.inTime(state, templateController(state))...)
	actions = append(actions, s.inTime(state, ephemeralController(state))...)
	actions = append(actions, s.inTime(state, drivers(state, false))...)
	return append(actions, s.inTime(state, provisioner(state, false))...)
}

// settlingState is a state of settling.
type settlingState struct {
	hash hash
	// point says how to reach it.
	point *point
	pods  []podStatus
	moves []move
}

// podStatus says how a pending pod of the scheduler stands in a situation.
type podStatus struct {
	pod string
	// due: a node is feasible, or it waits on permit. What volumes it waits for is not the scheduler's to bring about.
	due, waits bool
	// nominated: it is nominated to a node on which no pod terminates, does not wait to be bound, and is not kept out of
	// the queue, so that no cycle comes.
	nominated bool
	// forgotten is the known defect by which it is never tried again.
	forgotten string
	// queue is the first part of the queue that has it, if queued.
	queue  QueueName
	queued bool
}

// move is a step of settling.
type move struct {
	action Action
	// claimed: it was taken, or somebody has set about it. taken: it was taken, and what is below is known.
	reserved, taken bool
	to              hash
	// popped is the pod that the scheduler took, and preempts reports whether it was nominated or others were
	// evicted for it.
	popped   string
	preempts bool
	// breach reports whether what became of it is not allowed by the formal model, and known which known defect
	// explains that.
	breach bool
	known  string
	// keeps is the known defect by which the pod that was taken keeps its nomination.
	keeps string
}

// settledHash returns the hash by which a state is known while it settles. Of what happened while a pod waits it
// counts what, not how often: with the flush it happens again and again.
func settledHash(state *State) hash {
	queue, repeats := slices.Clone(state.Queue), false
	for i := range queue {
		var since []string
		for _, action := range queue[i].Since {
			if slices.Contains(since, action) {
				repeats = true
			} else {
				since = append(since, action)
			}
		}
		queue[i].Since = since
	}
	if !repeats {
		return state.Hash()
	}
	settled := *state
	settled.Queue, settled.hash = queue, hash{}
	return settled.Hash()
}

// settlingStateOf returns the situation of a state, with moves that are not taken yet and no run to it.
func (e *explorer) settlingStateOf(state *State) *settlingState {
	s := &settlingState{hash: settledHash(state), pods: e.podStatuses(state)}
	for _, action := range e.scope.settling(state) {
		s.moves = append(s.moves, move{action: action})
	}
	return s
}

// podStatuses says how the pending pods of the scheduler stand.
func (e *explorer) podStatuses(state *State) []podStatus {
	var pods []podStatus
	if e.scope.over(state) {
		return nil
	}
	view := state.View()
	for _, pod := range state.API.Pods {
		key := Key(pod)
		if pod.Spec.NodeName != "" || !e.Model.Profile.Runs(pod.Spec.SchedulerName) || spec.Gated(pod) {
			continue
		}
		q, queued := state.Queued(key)
		p := podStatus{
			pod: key, due: !deleting(pod) && q.Waits && !q.Volumes && !q.Devices || feasible(e.Model, key, view), waits: q.Waits,
			nominated: !deleting(pod) && !q.Waits && (!q.In(Gated) || keptByPreemption(q)) && !state.underWay(key) &&
				nominatedInVain(pod, state),
			queued: queued,
		}
		if len(q.Queues) > 0 {
			p.queue = q.Queues[0]
		}
		for _, defect := range defectsOf(e.Model) {
			if defect.Forgets != nil && defect.Forgets(q) {
				p.forgotten = defect.Name
			}
		}
		pods = append(pods, p)
	}
	return pods
}

// nominatedInVain reports whether the pod, nil if it is gone, is nominated to a node on which no pod terminates, so
// that there is nothing to wait for.
func nominatedInVain(pod *v1.Pod, state *State) bool {
	return pod != nil && pod.Status.NominatedNodeName != "" &&
		!slices.ContainsFunc(state.told().Pods, func(other *v1.Pod) bool {
			return other.Spec.NodeName == pod.Status.NominatedNodeName && deleting(other)
		})
}

// stays reports whether the pod stands as it must not for ever, by a property that is about pods.
func (p podStatus) stays(property Property) bool {
	switch property.Name {
	case boundInTheEnd().Name:
		return p.due
	case waitsEnd().Name:
		return p.waits
	}
	return p.nominated
}

// of returns how the pod stands; false if it is not pending.
func (s *settlingState) of(pod string) (podStatus, bool) {
	i := slices.IndexFunc(s.pods, func(p podStatus) bool { return p.pod == pod })
	if i < 0 {
		return podStatus{}, false
	}
	return s.pods[i], true
}

// number returns the number of the action among the moves; -1 if it is none of settling.
func (s *settlingState) number(a Action) int {
	return slices.IndexFunc(s.moves, func(m move) bool { return m.action.String() == a.String() })
}

// reserve returns the number of a move that nobody has set about yet; -1 if there is none.
func (s *settlingState) reserve() int {
	i := slices.IndexFunc(s.moves, func(m move) bool { return !m.reserved })
	if i >= 0 {
		s.moves[i].reserved = true
	}
	return i
}

// moveOf returns a step that was taken as a move.
func moveOf(t *Transition, breaches []Breach) move {
	m := move{
		action: t.Action, reserved: true, taken: true, to: settledHash(t.After), popped: t.Step.Popped,
		preempts: t.preempts(),
	}
	for _, b := range breaches {
		if b.Property.Name == refinement().Name {
			m.breach, m.known = true, b.Known
		}
	}
	pod := t.After.Pod(m.popped)
	if pod != nil && m.preempts && !m.breach && leavesWaiting().Explains(t, pod) {
		m.known = t.has(preFlightLeavesWaiting) // whom it is nominated for is never evicted, before v1.36
	}
	if circles := t.circles(); circles != "" && !m.breach {
		m.known = circles
	}
	for _, defect := range t.defects() {
		if pod != nil && pod.Status.NominatedNodeName != "" && defect.Keeps != nil && defect.Keeps(t, pod) {
			m.keeps = defect.Name
		}
	}
	return m
}

// preempts reports whether the scheduler evicts in the step, or nominates the pod to another node than before. A
// pod that waits is nominated to where it is placed (KEP-5278): that is no preemption.
func (t *Transition) preempts() bool {
	if t.Action.Verb != Schedule || t.After.Panicked != "" {
		return false
	}
	was, is := t.Before.Pod(t.Step.Popped), t.After.Pod(t.Step.Popped)
	nominated := was != nil && is != nil && is.Spec.NodeName == "" && t.After.AssumedOn(t.Step.Popped) == "" &&
		is.Status.NominatedNodeName != "" &&
		is.Status.NominatedNodeName != was.Status.NominatedNodeName
	return nominated || len(t.evicted()) > 0
}

// add keeps of the runs to a situation a shortest, the first by hash, whatever the order in which workers find them.
func (e *explorer) add(s *settlingState) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if known := e.settlingStates[s.hash]; known == nil || before(s, known) < 0 {
		e.settlingStates[s.hash] = s
	}
}

func before(s, t *settlingState) int {
	return cmp.Or(cmp.Compare(s.point.depth, t.point.depth), bytes.Compare(s.point.key(), t.point.key()))
}

// mostSettling is how many times as many states as were explored settling may go through, of small scopes as many
// as leastSettling. A system whose states grow for ever must not keep the run from its end.
const (
	mostSettling  = 16
	leastSettling = 1 << 12
)

// settle follows from every situation that was explored what goes on by itself, until no new situation is found. It
// gives those that were explored, in a fixed order, and why it stopped before its end.
func (e *explorer) settle(ctx context.Context, o checker.Options) ([]*settlingState, checker.Reason, error) {
	var explored []*settlingState
	for _, s := range e.settlingStates {
		explored = append(explored, s)
	}
	slices.SortFunc(explored, before)
	l := &levels{explorer: e, ahead: map[hash]*settlingState{}, most: max(leastSettling, mostSettling*len(explored))}
	for level := explored; len(level) > 0; level = l.next(level) {
		if len(e.settlingStates) > l.most {
			return nil, checker.StateLimit, nil
		}
		if err := l.take(ctx, level, cmp.Or(o.Workers, runtime.GOMAXPROCS(0))); err != nil {
			return nil, checker.NotStopped, err
		}
		if ctx.Err() != nil {
			return nil, checker.Cancelled, nil
		}
	}
	return explored, checker.NotStopped, nil
}

// levels are the situations in the order of their runs' lengths.
type levels struct {
	*explorer
	// ahead are those that systems went on to, and that no level has yet.
	ahead map[hash]*settlingState
	// most is how many there may be.
	most     int
	followed int
}

// take takes the moves of the situations of a level that were not taken yet.
func (l *levels) take(ctx context.Context, level []*settlingState, workers int) error {
	var next atomic.Int64
	var one sync.Mutex
	errs := make([]error, len(level))
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(level) && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				errs[i] = l.takeMoves(level[i])
				one.Lock()
				if l.followed++; l.Settling != nil {
					l.Settling(l.followed, len(l.settlingStates))
				}
				one.Unlock()
			}
		})
	}
	group.Wait()
	for i, s := range level { // what a worker claimed and could not take is left
		if errs[i] == nil && ctx.Err() == nil {
			errs[i] = l.takeMoves(s)
		}
	}
	return cmp.Or(errs...)
}

// next returns the situations that the level leads to and no level had yet.
func (l *levels) next(level []*settlingState) []*settlingState {
	var next []*settlingState
	for _, s := range level {
		for i := range s.moves {
			m := &s.moves[i]
			found := l.ahead[m.to]
			if found == nil {
				continue
			}
			delete(l.ahead, m.to)
			found.point = &point{
				pathKey: pathKey{m.to, s.point.used.After(m.action)}, settling: true, initial: s.point.initial,
				from: s.point, action: m.action, index: i, depth: s.point.depth + 1,
			}
			l.settlingStates[m.to] = found
			next = append(next, found)
		}
	}
	return next
}

// takeMoves takes the moves of a situation that nobody has taken yet, and goes on from there.
func (l *levels) takeMoves(s *settlingState) error {
	for {
		l.mu.Lock()
		i := s.reserve()
		l.mu.Unlock()
		if i < 0 {
			return nil
		}
		system, state, err := l.reach(s.point)
		if err != nil {
			return err
		}
		err = l.goOn(system, state, s, i)
		system.Close()
		if err != nil {
			return err
		}
	}
}

// goOn takes the move of that number with a system that is in the situation, and goes on with others that nobody
// has taken, while it comes upon any.
func (l *levels) goOn(system System, state *State, s *settlingState, i int) error {
	for n := 0; ; n++ {
		taken, err := l.explorer.take(l.scope, system, state, s.moves[i].action)
		if err != nil {
			l.mu.Lock()
			s.moves[i].reserved = false
			l.mu.Unlock()
			if n > 0 {
				err = nil // and an error of the run once its level comes
			}
			return err
		}
		state = taken.After
		var breaches []Breach
		for _, v := range refinement().Broken(taken) {
			breaches = append(breaches, Breach{refinement(), v})
		}
		m := moveOf(taken, breaches)
		to := l.at(m.to, state)
		l.mu.Lock()
		s.moves[i] = m
		s, i = to, -1
		if n < l.Ahead && len(l.settlingStates)+len(l.ahead) <= l.most {
			i = to.reserve()
		}
		l.mu.Unlock()
		if i < 0 {
			return nil
		}
	}
}

// at returns the situation of a state to which a system has come.
func (l *levels) at(hash hash, state *State) *settlingState {
	known := func() *settlingState { return cmp.Or(l.settlingStates[hash], l.ahead[hash]) }
	l.mu.Lock()
	s := known()
	l.mu.Unlock()
	if s != nil {
		return s
	}
	found := l.settlingStateOf(state)
	l.mu.Lock()
	defer l.mu.Unlock()
	if s := known(); s != nil {
		return s // another worker was faster
	}
	l.ahead[hash] = found
	return found
}
