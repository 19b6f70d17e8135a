package main

import (
	"context"
	"errors"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// noFault is the number of no fault.
const noFault = -1

// trial asks questions with each fault switched on.
type trial struct {
	planted
	spec   *spec.Scheduler
	config *production.Config
	// left are the faults that nothing has noticed yet.
	left map[int]bool
	// most is how often a fault is tried in vain before it is tried only at every so many questions, of each part of
	// the questions anew; 0 means always. tried counts.
	most  int
	tried map[int]int
	// small is how many states a theme of the loop has at most that is explored anew with each fault.
	small int64
	// came are the faults the code of which made a difference to some value.
	came map[int]bool
	// comesHere are those of them that did in the theme of the loop at hand.
	comesHere map[int]bool
	// hides are the faults that lead to what a known defect explains, and would not have to without them.
	hides map[int]bool
	// properties are checked; oracles says whether those are among them that need no model.
	properties []invariants.Property
	oracles    bool
	// comes is told of each of those that came, noticed of a fault that is, and by what, hidden of one that leads to
	// something known; trying which one is tried, in case the process dies of it; told which part of the questions begins.
	comes   func(fault int)
	noticed func(fault int, by string)
	hidden  func(fault int, by string)
	trying  func(fault int)
	told    func(i int, name string)
}

// subject is a decider without faults, for the run, that tries the faults at each question.
type subject struct {
	*production.Profiles
	trial *trial
	// odd decides with faults; what is left of one that made a difference is thrown away.
	odd *production.Profiles
	// born have the faults that made a difference to some value when kube-scheduler was built, each built with it.
	born map[int]*production.Profiles
}

// decider returns the subject of a run. There can be one at a time.
func (t *trial) decider(ctx context.Context) (decisions.Decider, error) {
	driven, err := t.profiles(ctx, 0)
	if err != nil {
		return nil, err
	}
	t.Watch()
	odd, err := t.profiles(ctx, soon)
	noted := t.Noted()
	if err != nil {
		return nil, errors.Join(err, driven.Close())
	}
	s := &subject{driven, t, odd, map[int]*production.Profiles{}}
	for _, fault := range noted {
		t.come(fault)
		if t.left[fault] {
			s.bear(ctx, fault)
		}
	}
	return s, nil
}

// bear builds kube-scheduler with the fault. One with which it does not start is noticed.
func (s *subject) bear(ctx context.Context, fault int) {
	s.trial.trying(fault)
	defer s.trial.trying(noFault)
	s.trial.Turn(fault)
	defer s.trial.Turn(noFault)
	defer func() {
		if s.born[fault] == nil {
			_ = recover() // which of the two it is does not matter
			delete(s.trial.left, fault)
			s.trial.noticed(fault, "it does not start")
		}
	}()
	if born, err := s.trial.profiles(ctx, soon); err == nil {
		s.born[fault] = born
	}
}

// come takes note that a fault made a difference to some value.
func (t *trial) come(fault int) {
	if !t.came[fault] {
		t.came[fault] = true
		t.comes(fault)
	}
}

// soon is when a decision counts as hanging: a few thousand times what one takes. If it does so again it has to take
// longer still.
const (
	soon  = 500 * time.Millisecond
	later = 5 * time.Second
)

func (t *trial) profiles(ctx context.Context, hangAfter time.Duration) (*production.Profiles, error) {
	return production.NewProfiles(ctx, t.config, t.config.Profiles()[0],
		production.Options{HangAfter: hangAfter, Starts: &production.Starts{}})
}

// Decide implements decisions.Decider.
func (s *subject) Decide(q spec.Question) *spec.Decision {
	decision := s.Profiles.Decide(q)
	right := answer{decision, s.trial.increments(s.Profiles, q)}
	for _, fault := range s.near(q, right) {
		s.trial.come(fault)
		if s.born[fault] == nil && s.trial.left[fault] && s.trial.turn(fault) {
			s.try(fault, q, right, s.odd)
		}
	}
	for _, fault := range slices.Sorted(maps.Keys(s.born)) {
		if s.trial.left[fault] && s.trial.turn(fault) {
			s.try(fault, q, right, s.born[fault])
		}
	}
	return decision
}

// answer is what is compared.
type answer struct {
	decision *spec.Decision
	// increments are nil where no property is about them.
	increments []*spec.Increment
}

// ask asks from scratch: what was worked out before may have come of another fault. It is forgotten without one: what
// is taken back as wrongly as it was noted is right.
func (t *trial) ask(profiles *production.Profiles, q spec.Question, fault int) answer {
	t.Turn(noFault)
	profiles.Forget()
	t.Turn(fault)
	defer t.Turn(noFault)
	return answer{profiles.Decide(q), t.increments(profiles, q)}
}

// increments lets pods come and go; nil if that cannot be.
func (t *trial) increments(profiles *production.Profiles, q spec.Question) []*spec.Increment {
	if !t.oracles {
		return nil
	}
	var all []*spec.Increment
	for _, node := range q.Snapshot.Nodes {
		for _, pod := range spec.PodsOn(node, q.Snapshot) {
			in, err := profiles.Increment(q, pod)
			if err != nil {
				return nil
			}
			all = append(all, in)
		}
	}
	return all
}

// near returns the faults that make a difference to some value on the way to the answer.
func (s *subject) near(q spec.Question, right answer) []int {
	s.trial.Watch()
	watched := s.trial.ask(s.odd, q, noFault)
	noted := s.trial.Noted()
	if !reflect.DeepEqual(watched, right) { // to work out the value that is wrong changed something
		s.renew()
	}
	return noted
}

// renew throws away what a fault may have left behind.
func (s *subject) renew() {
	_ = s.odd.Close() // nobody is to hear of it
	odd, err := s.trial.profiles(context.Background(), soon)
	if err != nil {
		panic("switching: kube-scheduler does not start again: " + err.Error()) // it did before
	}
	s.odd = odd
}

// differences is how many tries in vain one counts for that makes a difference which is allowed, or known: it takes as
// long.
const differences = 16

// turn reports whether it is the fault's turn to be tried.
func (t *trial) turn(fault int) bool {
	t.tried[fault]++
	const every = 16
	return t.most == 0 || t.tried[fault] <= t.most || t.tried[fault]%every == 0
}

// try asks with the fault. One that makes a difference is noticed if nothing known explains it.
func (s *subject) try(fault int, q spec.Question, right answer, with *production.Profiles) {
	s.trial.trying(fault)
	defer s.trial.trying(noFault)
	wrong := s.trial.ask(with, q, fault)
	if reflect.DeepEqual(right, wrong) {
		return
	}
	if by := s.trial.confirm(fault, q); by != "" {
		delete(s.trial.left, fault)
		s.trial.noticed(fault, by)
	} else {
		s.trial.tried[fault] += differences
	}
	if with == s.odd {
		s.renew()
	}
}

// confirm asks a kube-scheduler of its own, as a run would, and returns the finding that nothing known explains.
func (t *trial) confirm(fault int, q spec.Question) string {
	t.Turn(fault)
	defer t.Turn(noFault)
	fresh, err := t.profiles(context.Background(), later)
	if err != nil {
		return "it does not start"
	}
	defer fresh.Close()
	_, findings := decisions.NewSession(t.spec, t.properties, fresh).Ask(q)
	i := slices.IndexFunc(findings, func(f decisions.Finding) bool { return f.Class == decisions.New })
	if i < 0 {
		return ""
	}
	return findings[i].ID
}

// Close implements decisions.Decider.
func (s *subject) Close() error {
	for _, born := range s.born {
		_ = born.Close() // nobody is to hear of what the fault does
	}
	return errors.Join(s.Profiles.Close(), s.odd.Close())
}
