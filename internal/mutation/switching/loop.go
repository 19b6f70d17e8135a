package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/internal/generate"
	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// A run of the scheduler as a whole begins with a kube-scheduler of its own, so a fault leaves nothing behind. What it
// decides is not compared with a decision alone (levels-agree), nor is it looked for what goes on for ever: what is
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
			s, err := stepped.New(ctx, cfg, cfg.Profiles()[0], initial,
				stepped.Options{Faults: true, Evictions: scope.Evictions})
			if err != nil {
				return nil, err
			}
			return started(initial, s), nil
		},
	}, nil
}

func asItIs(_ *spec.Snapshot, s loop.System) loop.System { return s }

// loopThemes tries the faults at the runs by which the themes of the loop are explored.
func (t *trial) loopThemes(ctx context.Context, o scope) error {
	for i, name := range scenario.LoopThemeNames() {
		if i < o.from || len(o.only) > 0 && !slices.Contains(o.only, name) {
			continue
		}
		t.begin(i, name)
		s, err := scenario.LoopTheme(name, admission.Admit)
		if err != nil {
			return err
		}
		subject, err := t.subject(ctx, s, asItIs)
		if err != nil {
			return fmt.Errorf("theme %s: %w", name, err)
		}
		runs := loop.NewRuns(subject)
		paths, err := t.paths(ctx, s)
		if err != nil {
			return fmt.Errorf("theme %s: %w", name, err)
		}
		for _, p := range paths {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err := t.run(func() ([]loop.Breach, error) { return runs.Along(s, p.initial, p.actions) }); err != nil {
				return fmt.Errorf("theme %s, after %v: %w", name, p.actions, err)
			}
		}
	}
	return nil
}

// loopRandom tries the faults at drawn runs.
func (t *trial) loopRandom(ctx context.Context, o scope) error {
	all := generate.RunScope()
	subject, err := t.subject(ctx, all, asItIs)
	if err != nil {
		return err
	}
	runs := loop.NewRuns(subject)
	for number := int64(o.from) * together; number < o.runs && ctx.Err() == nil; number++ {
		if number%together == 0 {
			t.told(int(number/together), fmt.Sprintf("runs from %d", number))
		}
		s, err := generate.Run(all, t.spec, 1, number, admission.Admit)
		if err != nil {
			return err
		}
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
	before := newIn(right)
	for _, fault := range noted {
		t.come(fault)
		if !t.left[fault] || !t.turn(fault) {
			continue
		}
		t.trying(fault)
		watchdog := time.AfterFunc(hangs, func() { panic("a run hangs") }) // and the fault is noticed by that
		t.Turn(fault)
		wrong, _ := follow()
		t.Turn(noFault)
		watchdog.Stop()
		t.trying(noFault)
		by := slices.DeleteFunc(slices.Sorted(maps.Keys(newIn(wrong))), func(key string) bool { return before[key] })
		if len(by) > 0 {
			delete(t.left, fault)
			t.noticed(fault, by[0])
		}
	}
	return nil
}

// newIn returns the keys of what nothing known explains.
func newIn(breaches []loop.Breach) map[string]bool {
	keys := map[string]bool{}
	for _, b := range breaches {
		if b.Known == "" {
			keys[b.Key()] = true
		}
	}
	return keys
}

// path is a run from a cluster of the scope, by its index.
type path struct {
	initial int
	actions []loop.Action
}

// paths explores the scope, and returns the run of each kube-scheduler that was built for it.
func (t *trial) paths(ctx context.Context, s *loop.Scope) ([]path, error) {
	var mu sync.Mutex
	var paths []path
	subject, err := t.subject(ctx, s, func(initial *spec.Snapshot, system loop.System) loop.System {
		return &recorded{System: system, end: func(actions []loop.Action) {
			mu.Lock()
			defer mu.Unlock()
			if len(actions) > 0 {
				paths = append(paths, path{slices.Index(s.Initial, initial), actions})
			}
		}}
	})
	if err != nil {
		return nil, err
	}
	_, err = loop.Explore(ctx, s, subject, checker.Options{Workers: 1})
	return paths, err
}

// recorded is a system that notes what it does.
type recorded struct {
	loop.System
	actions []loop.Action
	end     func([]loop.Action)
}

// Do implements loop.System.
func (r *recorded) Do(a loop.Action) (loop.Step, error) {
	step, err := r.System.Do(a)
	if err == nil {
		r.actions = append(r.actions, a)
	}
	return step, err
}

// Close implements loop.System.
func (r *recorded) Close() {
	r.end(r.actions)
	r.System.Close()
}
