package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
	"github.com/seed-a3f26817/modelcheck/spec"
)

const (
	// mostStates of a theme are explored to find runs, and so many with more failures than it has, or informers that lag.
	mostStates      = 6000
	mostStatesOther = 1500
	// growth is how many times as many states a theme may have with a fault: some have no end.
	growth = 4
	// longestTheme is after what time the exploration of a theme counts as one that hangs.
	longestTheme = 5 * time.Minute
)

// loopThemes tries the faults at the runs by which the themes of the loop are explored, and explores small ones with
// each fault that their runs come by and do not show.
func (t *trial) loopThemes(ctx context.Context, o scope) error {
	for i, name := range scenario.LoopThemeNames() {
		if i < o.from || len(o.only) > 0 && !slices.Contains(o.only, name) {
			continue
		}
		s, err := scenario.LoopTheme(name, admission.Admit)
		if err != nil {
			return err
		}
		if o.thorough {
			usual := s
			if s, err = scenario.ThoroughLoopTheme(name, admission.Admit); err != nil {
				return err
			}
			if sameBounds(s, usual) {
				continue
			}
		}
		if o.faults > 0 && s.Faults > 0 { // a theme of its own is about them
			continue
		}
		t.begin(i, name)
		most := int64(mostStates)
		if o.faults > 0 || o.late > 0 || o.meanwhile {
			most = mostStatesOther
		}
		s.Faults, s.Late, s.Liveness = max(s.Faults, o.faults), max(s.Late, o.late), true
		s.Meanwhile = s.Meanwhile || o.meanwhile
		if err := t.loopTheme(ctx, s, most); err != nil {
			return fmt.Errorf("theme %s: %w", name, err)
		}
	}
	return nil
}

func sameBounds(a, b *loop.Scope) bool {
	return len(a.Initial) == len(b.Initial) && a.Arrivals == b.Arrivals && a.Events == b.Events &&
		a.Faults == b.Faults && a.Late == b.Late && a.Meanwhile == b.Meanwhile
}

func (t *trial) loopTheme(ctx context.Context, s *loop.Scope, most int64) error {
	paths, small, err := t.paths(ctx, s, most)
	if err != nil {
		return err
	}
	subject, err := t.subject(ctx, s, asItIs)
	if err != nil {
		return err
	}
	t.comesHere = map[int]bool{}
	runs := loop.NewRuns(subject)
	for _, p := range paths {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := t.run(func() ([]loop.Breach, error) { return runs.Along(s, p.initial, p.actions) }); err != nil {
			return fmt.Errorf("after %v: %w", p.actions, err)
		}
	}
	if !small {
		return nil
	}
	return t.wholeTheme(ctx, s)
}

// wholeTheme explores the theme with each fault that its runs came by, and that nothing has noticed. That there is an
// action which kube-scheduler cannot take any more is no finding.
func (t *trial) wholeTheme(ctx context.Context, s *loop.Scope) error {
	var before map[string]bool
	for _, fault := range slices.Sorted(maps.Keys(t.comesHere)) {
		if !t.left[fault] {
			continue
		}
		if before == nil {
			result, err := t.explore(ctx, s)
			if err != nil {
				return err
			}
			before = shownIn(result)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		var with map[string]bool
		if !t.with(fault, longestTheme, func() {
			if result, err := t.explore(ctx, s); err == nil {
				with = shownIn(result)
			}
		}) {
			t.compare(fault, before, with)
		}
	}
	return nil
}

// path is a run from a cluster of the scope, by its index.
type path struct {
	initial int
	actions []loop.Action
}

// paths explores so many states of the scope, and returns the run of each kube-scheduler that was built for it, and
// whether it is small.
func (t *trial) paths(ctx context.Context, s *loop.Scope, most int64) ([]path, bool, error) {
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
		return nil, false, err
	}
	once := *s
	once.Liveness = false
	result, err := loop.Explore(ctx, &once, subject, checker.Options{Workers: 1, MaxStates: most})
	if err != nil {
		return nil, false, err
	}
	return paths, result.Complete && result.Distinct <= t.small, nil
}

func shownIn(result *loop.Result) map[string]bool {
	keys := map[string]bool{}
	for _, f := range result.Findings {
		keys[f.Key()] = f.Known == ""
	}
	return keys
}

// explore explores the scope as modelcheck loop does.
func (t *trial) explore(ctx context.Context, s *loop.Scope) (result *loop.Result, err error) {
	subject, err := t.subject(ctx, s, asItIs)
	if err != nil {
		return nil, err
	}
	cfg, err := production.LoadConfigOr(s.ConfigurationAt, s.Configuration, t.config)
	if err != nil {
		return nil, err
	}
	alone, err := production.NewAlone(ctx, cfg, 1)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, alone.Close()) }()
	subject.Ask = alone.Decide
	return loop.Explore(ctx, s, subject, checker.Options{Workers: 1, MaxStates: growth * t.small})
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
