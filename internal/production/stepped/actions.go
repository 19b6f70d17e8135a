package stepped

import (
	"context"
	"fmt"
	"time"

	"k8s.io/klog/v2"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
)

// Do implements loop.System.
func (s *Scheduler) Do(a loop.Action) (loop.Step, error) {
	if s.panicked != "" {
		return loop.Step{}, fmt.Errorf("%s: %w: %s", a, loop.ErrPanicked, s.panicked)
	}
	s.clock.Step(tick)
	s.popped, s.api.puttingOff = nil, ""
	s.errors.take()
	for _, f := range s.frameworks {
		f.noteAction(a)
	}
	before := s.batched()
	s.asleep = a.Verb != loop.Restart && s.sleep() // a queue that was ended waits for nothing
	if err := s.run(a); err != nil {
		return loop.Step{}, fmt.Errorf("%s: %w", a, err)
	}
	s.noteSince(a)
	step := loop.Step{Panics: s.cycles.takePanics()}
	if s.panicked != "" {
		step.Panics = append(step.Panics, s.panicked)
	}
	step.Errors, step.Hints, step.Unawaited = s.errors.take(), s.hints.take(), s.early
	step.Unheeded, s.hints.unheeded = s.hints.unheeded, nil
	if step.Backoffs, s.hints.wrong = s.hints.wrong, nil; s.wrongBackoff != "" {
		step.Backoffs = append(step.Backoffs, s.wrongBackoff)
	}
	if s.panicked == "" {
		step.Restless, s.woke = s.woke, false
		step.Tardy, s.timersFail = s.timersFail, false
		step.Oversleeps, step.Remembered = s.asleep && s.oversleeps(), s.remembered()
	}
	step.PreBound, s.faults.preBound = s.faults.preBound, ""
	if bound := s.api.takeBound(); s.options.Faults && s.panicked == "" {
		step.Untold = s.faults.untold(bound)
	}
	if s.popped != nil {
		step.Popped = loop.Key(s.popped)
	}
	step.Between, step.Afterwards = s.between, s.afterwards
	s.between, s.afterwards = nil, false
	step.Batched, step.Looks = s.batched() > before, s.cycles.looks.take(s.popped)
	if len(s.api.unknown) > 0 {
		return step, fmt.Errorf("%s: kube-scheduler made calls that the in-memory API has no answer to: %q", a,
			s.api.unknown)
	}
	return step, nil
}

// run takes the action, and all that follows from it.
func (s *Scheduler) run(a loop.Action) error {
	defer func() {
		if r := recover(); r != nil {
			s.panicked = panicked(r)
		}
	}()
	if err := s.act(a); err != nil {
		return err
	}
	if err := s.settle(a); err != nil || a.Meanwhile == nil {
		return err
	}
	for _, f := range s.frameworks { // what the cycle left goes by what was before
		f.noteAction(*a.Meanwhile)
	}
	if s.between != nil {
		return nil
	}
	s.clock.Step(tick)
	s.between, s.afterwards = s.State(), true
	return s.run(*a.Meanwhile)
}

func (s *Scheduler) act(a loop.Action) error {
	if a.Heard {
		return s.hear(a)
	}
	switch a.Verb {
	case loop.Create:
		return s.api.locked(func() error { return s.api.create(a.Ref, s.api.forOwner(a)) })
	case loop.Update:
		return s.api.locked(func() error { return s.api.update(a.Ref, a.Object) })
	case loop.Delete:
		return s.api.locked(func() error { return s.api.delete(a.Ref) })
	case loop.Replace:
		return s.api.locked(func() error { return s.api.recreate(a.Ref, s.api.forOwner(a)) })
	case loop.Complete, loop.Gone:
		return s.api.locked(func() error { return s.api.remove(a.Ref) })
	case loop.Schedule:
		return s.schedule(a)
	case loop.Allow, loop.Reject, loop.Expire:
		if a.EndsTimeOfDrivers() {
			return s.api.locked(func() error { return s.api.overdue(a.Ref, s.longestTimeout()) })
		}
		return s.permit(a)
	case loop.Backoff:
		s.timers().BackoffOver(klog.FromContext(s.ctx)) // the timer comes while pods back off, too
		s.asleep = s.sleep()                            // whom it woke for nothing waits again
		s.clock.Step(backoff + time.Second)
		s.timers().BackoffOver(klog.FromContext(s.ctx))
		return nil
	case loop.Evict:
		return s.takeStep(a)
	case loop.Write:
		if s.cycles.arrive(a.Ref) {
			return nil
		}
		return s.api.locked(func() error { return s.api.arrive(a.Ref) })
	case loop.Restart:
		s.woke = s.restless(s.Close)
		s.unheard, s.api.underWay, s.api.dead = nil, nil, false
		return s.build()
	case loop.Flush:
		s.clock.Step(maxUnschedulable)
		s.timers().BackoffOver(klog.FromContext(s.ctx))
		s.timers().FlushUnschedulable(klog.FromContext(s.ctx))
		return nil
	}
	return fmt.Errorf("there is no such action")
}

// schedule runs one scheduling cycle, and what it begins.
func (s *Scheduler) schedule(a loop.Action) error {
	if !s.poppable() {
		return fmt.Errorf("no pod is ready to be scheduled")
	}
	fault := a.Fault
	s.arm(fault)
	s.cycles.preempts = ""
	interrupted := s.interrupt(a)
	s.scheduleOne()
	if err := interrupted(); err != nil {
		return err
	}
	if s.popped != nil {
		if evictions := s.under(s.popped).evictions; s.cycles.preempts != "" && evictions != nil {
			s.evict(evictions.begun(s.popped, s.cycles.preempts))
		}
		b := s.cycles.begun(s.popped.UID)
		if b != nil && fault != loop.WaitPermit && fault != loop.Busy { // else it is waiting, and nothing is to go wrong
			b.fault = fault
		}
		if b != nil {
			b.outlived = a.Meanwhile != nil && s.deleted(s.popped)
		}
	}
	s.arm(loop.NoFault)
	return nil
}

// arm has the fault come up, and what came of the last no longer.
func (s *Scheduler) arm(fault loop.Fault) {
	s.faults.armed, s.api.fault, s.api.refusing = fault, fault, false
}

// evict lets the evictions of a preemption come to their end, unless they go on by actions; nil if there are none.
func (s *Scheduler) evict(p *evicting) {
	if p == nil || s.options.Evictions {
		return
	}
	p.evictions.goOn(p, false)
	s.api.sortLog()
	for !p.evictions.goOn(p, false) {
	}
}

// scheduleOne runs the scheduling cycle, after which the scheduler waits for a pod before the binding cycle, which runs
// beside it, goes on: who comes back from that is told of.
func (s *Scheduler) scheduleOne() {
	s.cycles.begin.Lock()
	defer s.cycles.begin.Unlock()
	s.sched.ScheduleOne(s.ctx)
	s.asleep = s.sleep()
}

// permit ends a wait. What production's timer does at the end of its time is to reject the pod in the name of the
// plugin.
func (s *Scheduler) permit(a loop.Action) error {
	for _, b := range s.cycles.all() {
		if loop.Key(b.pod) != a.Ref.Key() || b.bound != nil && a.Verb != loop.Expire {
			continue
		}
		waiting := s.shared().GetWaitingPod(b.pod.UID)
		if waiting == nil && b.bound == nil {
			continue // an earlier pod of that name, whose devices are awaited
		}
		switch a.Verb {
		case loop.Expire:
			if b.bound != nil {
				b.err = context.DeadlineExceeded
				break
			}
			waiting.Reject(FaultPlugin, fmt.Sprintf("rejected due to timeout after waiting %v at plugin %v",
				permitTimeout, FaultPlugin))
		case loop.Allow:
			waiting.Allow(FaultPlugin)
		case loop.Reject:
			waiting.Reject(FaultPlugin, rejects)
		}
		s.cycles.decide(b.pod.UID)
		return nil
	}
	return fmt.Errorf("the pod does not wait on permit")
}

// settle delivers what changed, and lets binding cycles that can go on come to their end, until there is nothing
// left to do.
func (s *Scheduler) settle(a loop.Action) error {
	for {
		change, ok := s.api.next()
		switch {
		case ok:
			if err := s.notice(change, a); err != nil {
				return err
			}
		default:
			s.cycles.look()
			if !s.cycles.finish(s.goOn) {
				return nil
			}
			s.arm(loop.NoFault)
		}
	}
}

// goOn sees to it that what is still to go wrong with the binding does.
func (s *Scheduler) goOn(b *binding) {
	s.clock.Step(tick)
	s.arm(b.fault)
}
