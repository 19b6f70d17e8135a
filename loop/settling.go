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

// Settling is what goes on once others have done all that they will: the scheduler takes pods, time passes, waits end, pods that
// terminate are gone, volumes are made and bound. Whatever goes on for ever is settling from some state on, as others act a bounded
// number of times. How much of the scope is left makes no difference to it, so it is left out of its states.

// settling gives what may happen by itself in the state, in a fixed order. No cycle is made to fail. Time passes, up to the end of every
// backoff or up to the periodic flush, only when the scheduler has no pod to take: a cycle is faster than either. Waits may run out any time.
func settling(state *State) []Action {
	if state.Panicked != "" {
		return nil
	}
	var actions []Action
	in := func(place Place) bool {
		return slices.ContainsFunc(state.Queue, func(q Queued) bool { return q.In(place) })
	}
	if state.Poppable() {
		actions = append(actions, Action{Verb: Schedule})
	} else {
		if in(BackingOff) {
			actions = append(actions, Action{Verb: Backoff})
		}
		if in(Unschedulable) {
			actions = append(actions, Action{Verb: Flush})
		}
	}
	actions = append(actions, endsOfWaits(state, true)...)
	actions = append(actions, terminations(state)...)
	actions = append(actions, volumeController(state)...)
	return append(actions, provisioner(state, false)...)
}

// situation is a state of settling.
type situation struct {
	hash hash
	// point says how to reach it.
	point *point
	pods  []standing
	moves []move
}

// standing says how a pending pod of the scheduler stands in a situation.
type standing struct {
	pod string
	// due: a node is feasible, or it waits on permit. What volumes it waits for is not the scheduler's to bring about.
	due, waits bool
	// nominated: it is nominated to a node on which no pod terminates, and does not wait to be bound.
	nominated bool
	// place is the first part of the queue that has it, if queued.
	place  Place
	queued bool
}

// move is a step of settling.
type move struct {
	action Action
	// taken: it was taken, and what is below is known.
	taken bool
	to    hash
	// found is the situation it leads to, if nobody knew it; until the level is over.
	found *situation
	// popped is the pod that the scheduler took, and preempts tells whether it was nominated or others were evicted for it.
	popped   string
	preempts bool
	// breach tells whether what became of it is not allowed by the formal model, and known which known defect explains that.
	breach bool
	known  string
	// keeps is the known defect by which the pod that was taken keeps its nomination.
	keeps string
}

// settledHash gives the hash by which a state is known while it settles. Of what happened while a pod waits it counts what, not how often:
// with the flush it happens again and again.
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

// situationAt gives the situation of a state, with moves that are not taken yet.
func (e *explorer) situationAt(at *point, state *State) *situation {
	s := &situation{hash: settledHash(state), point: at, pods: e.standings(state)}
	for _, action := range settling(state) {
		s.moves = append(s.moves, move{action: action})
	}
	return s
}

// standings says how the pending pods of the scheduler stand.
func (e *explorer) standings(state *State) []standing {
	var pods []standing
	if state.Panicked != "" {
		return nil
	}
	view := state.View()
	for _, pod := range state.API.Pods {
		key := Key(pod)
		if pod.Spec.NodeName != "" || pod.Spec.SchedulerName != e.Model.Profile.SchedulerName || spec.Gated(pod) {
			continue
		}
		q, queued := state.Queued(key)
		p := standing{
			pod: key, due: !deleting(pod) && q.Waits && !q.Volumes || feasible(e.Model, key, view), waits: q.Waits,
			nominated: !deleting(pod) && !q.Waits && nominatedInVain(pod, state), queued: queued,
		}
		if len(q.Places) > 0 {
			p.place = q.Places[0]
		}
		pods = append(pods, p)
	}
	return pods
}

// nominatedInVain tells whether the pod is nominated to a node on which no pod terminates, so that there is nothing to wait for.
func nominatedInVain(pod *v1.Pod, state *State) bool {
	node := pod.Status.NominatedNodeName
	return node != "" && !slices.ContainsFunc(state.API.Pods, func(other *v1.Pod) bool { return other.Spec.NodeName == node && deleting(other) })
}

// stays tells whether the pod stands as it must not for ever, by a property that is about pods.
func (p standing) stays(property Property) bool {
	switch property.Name {
	case boundInTheEnd().Name:
		return p.due
	case waitsEnd().Name:
		return p.waits
	}
	return p.nominated
}

// of gives how the pod stands; false if it is not pending.
func (s *situation) of(pod string) (standing, bool) {
	i := slices.IndexFunc(s.pods, func(p standing) bool { return p.pod == pod })
	if i < 0 {
		return standing{}, false
	}
	return s.pods[i], true
}

// note notes a step that was taken in the situation, if it is one of settling.
func (s *situation) note(t *Transition, breaches []Breach) {
	i := slices.IndexFunc(s.moves, func(m move) bool { return m.action.String() == t.Action.String() })
	if i < 0 {
		return
	}
	m := &s.moves[i]
	m.taken, m.to, m.popped, m.preempts = true, settledHash(t.After), t.Step.Popped, t.preempts()
	for _, b := range breaches {
		if b.Property.Name == refinement().Name {
			m.breach, m.known = true, b.Known
		}
	}
	pod := t.After.Pod(m.popped)
	for _, defect := range Defects() {
		if pod != nil && pod.Status.NominatedNodeName != "" && defect.Keeps != nil && defect.Keeps(t, pod) {
			m.keeps = defect.Name
		}
	}
}

// preempts tells whether the scheduler evicts in the step, or nominates the pod to another node than before. A pod that waits is nominated to where it is
// placed (KEP-5278): that is no preemption.
func (t *Transition) preempts() bool {
	if t.Action.Verb != Schedule || t.After.Panicked != "" {
		return false
	}
	was, is := t.Before.Pod(t.Step.Popped), t.After.Pod(t.Step.Popped)
	nominated := was != nil && is != nil && is.Spec.NodeName == "" && t.After.AssumedOn(t.Step.Popped) == "" && is.Status.NominatedNodeName != "" &&
		is.Status.NominatedNodeName != was.Status.NominatedNodeName
	return nominated || len(t.evicted()) > 0
}

// add keeps of the runs to a situation a shortest, the first by hash, whatever the order in which workers find them.
func (e *explorer) add(s *situation) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if known := e.situations[s.hash]; known == nil || before(s, known) < 0 {
		e.situations[s.hash] = s
	}
}

func before(s, t *situation) int {
	return cmp.Or(cmp.Compare(s.point.depth, t.point.depth), bytes.Compare(s.point.key(), t.point.key()))
}

// mostSettling is how many times as many states as were explored settling may go through, of small scopes as many as leastSettling. A
// system whose states grow for ever must not keep the run from its end.
const (
	mostSettling  = 16
	leastSettling = 1 << 12
)

// settle follows from every situation that was explored what goes on by itself, until no new situation is found. It gives those that were
// explored, in a fixed order, and why it stopped before its end.
func (e *explorer) settle(ctx context.Context, o checker.Options) ([]*situation, checker.Reason, error) {
	var explored []*situation
	for _, s := range e.situations {
		explored = append(explored, s)
	}
	slices.SortFunc(explored, before)
	followed := 0
	most := max(leastSettling, mostSettling*len(explored))
	for level := explored; len(level) > 0; {
		err := e.settleLevel(ctx, level, cmp.Or(o.Workers, runtime.GOMAXPROCS(0)), func() {
			if followed++; e.Settling != nil {
				e.Settling(followed, len(e.situations))
			}
		})
		if err != nil {
			return nil, checker.NotStopped, err
		}
		if ctx.Err() != nil {
			return nil, checker.Cancelled, nil
		}
		var next []*situation
		for _, s := range level {
			for i := range s.moves {
				found := s.moves[i].found
				s.moves[i].found = nil
				switch {
				case found == nil:
				case e.situations[found.hash] == nil:
					e.situations[found.hash] = found
					next = append(next, found)
				default:
					e.drop(found.point)
				}
			}
		}
		if len(e.situations) > most {
			return nil, checker.StateLimit, nil
		}
		level = next
	}
	return explored, checker.NotStopped, nil
}

// settleLevel takes the moves of the situations that were not taken yet. done is called after each, by one worker at a time.
func (e *explorer) settleLevel(ctx context.Context, level []*situation, workers int, done func()) error {
	var next atomic.Int64
	var one sync.Mutex
	errs := make([]error, len(level))
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(level) && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				errs[i] = e.takeMoves(level[i])
				one.Lock()
				done()
				one.Unlock()
			}
		})
	}
	group.Wait()
	return cmp.Or(errs...)
}

// takeMoves takes the moves of a situation that were not taken yet.
func (e *explorer) takeMoves(s *situation) error {
	for i := range s.moves {
		if s.moves[i].taken {
			continue
		}
		system, err := e.resume(s.point)
		if err != nil {
			return err
		}
		taken, err := e.take(system, system.State(), s.moves[i].action)
		if err != nil {
			system.Close()
			return err
		}
		var breaches []Breach
		for _, v := range refinement().Broken(taken) {
			breaches = append(breaches, Breach{refinement(), v})
		}
		s.note(taken, breaches)
		if e.situations[s.moves[i].to] != nil {
			system.Close()
			continue
		}
		used := s.point.used.After(s.moves[i].action)
		at := &point{
			state: taken.After.Hash(), used: used, initial: s.point.initial, from: s.point, action: s.moves[i].action, index: i, depth: s.point.depth + 1,
		}
		s.moves[i].found = e.situationAt(at, taken.After)
		e.keep(at, system)
	}
	return nil
}

// keep keeps the system that is at the point, if there is room, or closes it.
func (e *explorer) keep(at *point, system System) {
	e.mu.Lock()
	kept := e.kept.put(at.state, system)
	e.mu.Unlock()
	if !kept {
		system.Close()
	}
}

// drop closes a system that is kept for the point, if there is one.
func (e *explorer) drop(at *point) {
	e.mu.Lock()
	system := e.kept.take(at.state)
	e.mu.Unlock()
	if system != nil {
		system.Close()
	}
}
