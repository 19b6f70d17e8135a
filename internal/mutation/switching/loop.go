package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/seed-a3f26817/modelcheck/internal/generate"
	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// A run of the scheduler as a whole begins with a kube-scheduler of its own, so a fault leaves nothing behind. A fault
// is tried at single runs first, and what no run of a small theme shows in all of the theme (see wholeTheme). What is
// noticed here modelcheck loop notices, which may notice more.

const (
	// ahead is as modelcheck loop goes ahead.
	ahead = 16
	// steps are those of a drawn run.
	steps = 40
	// hangs is after what time a run counts as one that hangs: it takes milliseconds, on a machine that has nothing
	// else to do.
	hangs = 20 * time.Second
	// together is how many drawn runs are told as one part.
	together = 10
)

// subject is the kube-scheduler that is run, with the configuration of the scope, if it has one.
func (t *trial) subject(ctx context.Context, scope *loop.Scope,
	started func(*spec.Snapshot, loop.System) loop.System) (loop.Subject, error) {
	cfg, err := production.LoadConfigOr(scope.ConfigurationAt, scope.Configuration, t.config)
	if err != nil {
		return loop.Subject{}, err
	}
	profile, err := cfg.Spec(cfg.Profiles()[0])
	if err != nil {
		return loop.Subject{}, err
	}
	return loop.Subject{
		Model: spec.New(profile), Ahead: ahead,
		Start: func(initial *spec.Snapshot) (loop.System, error) {
			s, err := stepped.New(ctx, cfg, initial,
				stepped.OptionsFor(scope))
			if err != nil {
				return nil, err
			}
			return started(initial, s), nil
		},
	}, nil
}

func asItIs(_ *spec.Snapshot, s loop.System) loop.System { return s }

// loopRandom tries the faults at drawn runs.
func (t *trial) loopRandom(ctx context.Context, o scope) error {
	all := generate.RunScope()
	subject, err := t.subject(ctx, all, asItIs)
	if err != nil {
		return err
	}
	first := *all
	first.FaultsFirst = true
	withFirst, err := t.subject(ctx, &first, asItIs)
	if err != nil {
		return err
	}
	first.Subject = &withFirst
	runs := loop.NewRuns(subject)
	for number := int64(o.from) * together; number < o.runs && ctx.Err() == nil; number++ {
		if number%together == 0 {
			t.told(int(number/together), fmt.Sprintf("runs from %d", number))
		}
		of := all
		if generate.FaultsFirst(1, number) {
			of = &first
		}
		s := generate.Run(of, t.spec, 1, number, admission.Admit)
		if s == nil {
			continue
		}
		err = t.run(func() ([]loop.Breach, error) { return runs.Drawn(s, 1, number, steps) })
		if err != nil {
			return fmt.Errorf("run %d: %w", number, err)
		}
	}
	return ctx.Err()
}

// run takes a run without a fault, and then with each that makes a difference to some value in it. A fault is noticed
// by what breaks a property, and nothing known explains, if the run does not show it without. With a fault actions may
// become impossible: that alone is not noticed.
func (t *trial) run(follow func() ([]loop.Breach, error)) error {
	t.Watch()
	right, err := follow()
	noted := t.Noted()
	if err != nil {
		return err
	}
	before := shownBy(right)
	for _, fault := range noted {
		t.come(fault)
		t.comesHere[fault] = true
		if !t.left[fault] || !t.turn(fault) {
			continue
		}
		var wrong []loop.Breach
		if t.with(fault, hangs, func() { wrong, err = follow() }) {
			continue
		}
		with := shownBy(wrong)
		if errors.Is(err, loop.ErrPanicked) { // as it began, or a finding would say so
			with["it panics"] = true
		}
		t.compare(fault, before, with)
	}
	return nil
}

// with does something with the fault switched on. It is noticed by a panic, and if it takes longer by the end of the
// process. What it left running may end the process later: so it goes on to be the one that is tried until the next.
func (t *trial) with(fault int, longest time.Duration, do func()) (panics bool) {
	t.trying(fault)
	watchdog := time.AfterFunc(longest, func() { panic("it hangs") })
	defer func() {
		panics = recover() != nil
		t.Turn(noFault)
		watchdog.Stop()
		if panics {
			delete(t.left, fault)
			t.noticed(fault, "it panics")
		}
	}()
	t.Turn(fault)
	do()
	return false
}

// compare notices the fault if something is found with it that nothing known explains. What a known defect explains,
// and would not have to without the fault, may hide it: it is told.
func (t *trial) compare(fault int, before, with map[string]bool) {
	for _, key := range slices.Sorted(maps.Keys(with)) {
		if isNew := with[key]; isNew && !before[key] {
			delete(t.left, fault)
			t.noticed(fault, key)
			return
		}
	}
	for _, key := range slices.Sorted(maps.Keys(with)) {
		if _, shown := before[key]; !shown && !t.hides[fault] {
			t.hides[fault] = true
			t.hidden(fault, key)
		}
	}
}

// shownBy returns the keys of what is found, and of each whether nothing known explains it.
func shownBy(breaches []loop.Breach) map[string]bool {
	keys := map[string]bool{}
	for _, b := range breaches {
		keys[b.Key()] = b.Known == ""
	}
	return keys
}
