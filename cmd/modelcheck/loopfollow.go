package main

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/internal/generate"
	"github.com/seed-a3f26817/modelcheck/internal/lanes"
	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/internal/report"
)

// followAll follows what goes on in the scopes. Workers that share a scope wait for each other at the end of every
// level, so as many scopes as there are workers are followed side by side.
func (o *loopOptions) followAll(ctx context.Context, run *report.LoopRun, scopes []*loop.Scope, subjects *loopSubjects,
	progress *progress) error {
	all := make([]loop.Subject, len(scopes))
	for i, scope := range scopes {
		var err error
		// Not with ctx: a step that is under way when the user interrupts is taken to its end.
		if all[i], err = subjects.of(context.WithoutCancel(ctx), scope); err != nil {
			return err
		}
	}
	run.Spec, run.WakeUps = all[0].Model, o.wakeUps
	run.Results = make([]*loop.Result, len(scopes))
	width := min(o.workers, len(scopes))
	told := &firstTells{ended: make([]bool, len(scopes)), progress: progress}
	follow := func(ctx context.Context, _, i int) error {
		defer told.end(i)
		f := follower{o, subjects, max(1, o.workers/width),
			func(format string, args ...any) { told.come(i, format, args...) }, progress.every}
		result, err := f.follow(ctx, scopes[i], all[i])
		run.Results[i] = result
		return err
	}
	if err := lanes.Do(ctx, width, len(scopes), follow); err != nil {
		return err
	}
	for i, result := range run.Results { // the user has interrupted: nothing goes on in it
		if result != nil {
			continue
		}
		if err := follow(ctx, 0, i); err != nil {
			return err
		}
	}
	if slices.ContainsFunc(run.Results, func(result *loop.Result) bool { return result.Simulated && !o.wakeUps }) {
		run.Seed = o.seed
	}
	return nil
}

// firstTells lets of several scopes that are followed the first one tell how far it has come.
type firstTells struct {
	mu       sync.Mutex
	ended    []bool
	progress *progress
}

func (f *firstTells) come(i int, format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, ended := range f.ended[:i] {
		if !ended {
			return
		}
	}
	f.progress.come(format, args...)
}

func (f *firstTells) end(i int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ended[i] = true
}

// follower follows scopes as the flags say.
type follower struct {
	*loopOptions
	subjects *loopSubjects
	// workers is how many work at a scope.
	workers int
	come    func(format string, args ...any)
	every   time.Duration // see progress
}

// follow follows what goes on in one scope.
func (f follower) follow(ctx context.Context, scope *loop.Scope, subject loop.Subject) (*loop.Result, error) {
	subject.Settling = func(followed, of int) {
		f.come("%s: what goes on for ever, from %d of %d states", scope.Name, followed, of)
	}
	switch {
	case f.random:
		return loop.Random(ctx, scope, subject, loop.RandomOptions{
			SimulateOptions: loop.SimulateOptions{
				Seed: f.seed, First: f.run, Walks: f.questions, Steps: f.steps(), Workers: f.workers,
				Progress: func(walks int64) { f.come("%d drawn runs", walks) },
			},
			For:  f.duration,
			Draw: func(number int64) (*loop.Scope, error) { return f.draw(ctx, scope, number) },
		})
	case f.wakeUps:
		return f.wake(ctx, scope, subject)
	case f.simulate > 0:
		return f.followRuns(ctx, scope, subject, f.followed())
	}
	var most int
	few := objectsOf(scope) <= tooLarge || f.given("happens") || scope.Events+scope.Arrivals == 0
	if few || !f.drawsInstead() {
		search, end := context.WithCancel(ctx)
		defer end()
		result, err := f.explore(search, scope, subject, end)
		if err != nil || search.Err() == nil || ctx.Err() != nil {
			return result, err
		}
		most = result.MostActions
	}
	drawn, err := f.followRuns(ctx, scope, subject, affordable(scope))
	if err == nil && drawn.Complete {
		drawn.Complete, drawn.Stopped, drawn.MostActions = false, checker.ActionLimit, most
	}
	return drawn, err
}

// drawsInstead reports whether runs are followed at random where there are too many to take all: in a cluster of the
// user's, who has not asked for one or the other.
func (f follower) drawsInstead() bool {
	return f.anyInput() && !f.given("max-states") && !f.given("liveness")
}

// tooLarge is up to how many nodes and pods what may happen in a state is listed in seconds.
const tooLarge = 400

// objectsOf is how many nodes and pods the scope begins with.
func objectsOf(scope *loop.Scope) int {
	most := 0
	for _, initial := range scope.Initial {
		most = max(most, len(initial.Nodes)+len(initial.Pods))
	}
	return most
}

// affordable is how many runs may be followed in half a minute or so, which take the longer the larger the cluster is.
func affordable(scope *loop.Scope) int64 {
	return int64(min(100, max(5, 25000/max(1, objectsOf(scope)))))
}

// followRuns follows runs of the scope at random.
func (f follower) followRuns(ctx context.Context, scope *loop.Scope, subject loop.Subject, runs int64) (*loop.Result,
	error) {
	return loop.Simulate(ctx, scope, subject, loop.SimulateOptions{
		Seed: f.seed, First: f.run, Walks: runs, Steps: f.steps(), Workers: f.workers,
		Progress: func(walks int64) { f.come("%s: %d of %d runs", scope.Name, walks, runs) },
	})
}

// explore explores every state of the scope; it calls tooMany if more may happen in one than can be taken, and runs may
// be followed in its place.
func (f follower) explore(ctx context.Context, scope *loop.Scope, subject loop.Subject, tooMany func()) (*loop.Result,
	error) {
	var taken, of atomic.Int64
	subject.Trying = func(done, all int) {
		taken.Store(int64(done))
		of.Store(int64(all))
		if f.drawsInstead() && all >= loop.ManyActions {
			tooMany()
		}
	}
	return loop.Explore(ctx, scope, subject, checker.Options{
		Workers: f.workers, MaxStates: cmp.Or(f.maxStates, mostStates), MaxDepth: cmp.Or(f.maxDepth, mostDepth),
		ProgressEvery: f.every,
		Progress: func(now checker.Progress) {
			line := fmt.Sprintf("%s: %d states, %d transitions, depth %d, %d waiting", scope.Name, now.Distinct,
				now.Generated, now.Depth, now.Queue)
			if done, all := taken.Load(), of.Load(); done < all {
				line += fmt.Sprintf(", in one of which %d of %d actions were taken (--simulate N follows some)", done, all)
			}
			f.come("%s", line)
		},
	})
}

// draw returns the scope of the drawn run of that number; nil if there is none. If the files have no configuration the
// profile may be drawn, too.
func (f follower) draw(ctx context.Context, all *loop.Scope, number int64) (*loop.Scope, error) {
	scope := *all
	if f.subjects.in.raw == nil {
		scope.Configuration = generate.Configuration(f.subjects.in.profile, int64(f.seed), number)
		scope.ConfigurationAt = fmt.Sprintf("of run %d", number)
	}
	if !f.given("faults-first") {
		scope.FaultsFirst = scope.Faults > 0 && generate.FaultsFirst(int64(f.seed), number)
	}
	subject, err := f.subjects.of(context.WithoutCancel(ctx), &scope)
	if err != nil {
		return nil, err
	}
	if scope.Configuration != nil || scope.FaultsFirst {
		scope.Subject, scope.Less = &subject, func(of *loop.Scope) iter.Seq[*loop.Scope] { return f.less(ctx, of) }
	}
	return generate.Run(&scope, subject.Model, int64(f.seed), number, admission.AdmitAnew), nil
}

// less gives the scope with the plugin that fails at the end, or with something less in its configuration, in each way
// that kube-scheduler takes, first of all with none.
func (f follower) less(ctx context.Context, scope *loop.Scope) iter.Seq[*loop.Scope] {
	return func(yield func(*loop.Scope) bool) {
		try := func(less loop.Scope) bool {
			subject, err := f.subjects.of(context.WithoutCancel(ctx), &less)
			if err != nil {
				return true // what is left is no configuration
			}
			less.Subject = &subject
			return yield(&less)
		}
		less := *scope
		if less.FaultsFirst = false; scope.FaultsFirst && !try(less) {
			return
		}
		less = *scope
		if less.Configuration = nil; scope.Configuration == nil || !try(less) {
			return
		}
		for _, text := range generate.LessArguments(scope.Configuration) {
			if less.Configuration = text; !try(less) {
				return
			}
		}
	}
}
