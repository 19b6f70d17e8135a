package loop

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/internal/patience"
)

// afterwards is how long a run may go on when the context is cancelled. One that hangs is left behind then.
const afterwards = 200 * time.Millisecond

// SimulateOptions say which runs to follow.
type SimulateOptions struct {
	// Seed decides what is drawn: the same seed gives the same Result, for any number of workers.
	Seed uint64
	// Walks is the number of runs, and Steps the largest number of actions of each; both at least 1. The first run has
	// the number First, at least 0.
	First, Walks int64
	Steps        int
	// Workers is the number of runs followed at the same time, at least 1.
	Workers int
	// Progress, if not nil, is told the number of runs that were followed, by one worker at a time.
	Progress func(walks int64)
}

// Simulate follows runs of the scope at random, where there are too many to take all, and asks every step for the
// properties. Of what can happen in a state first the class is drawn (Action.Class), then one of it, so that what
// comes in many variants does not crowd out the rest. The shortest run that shows a finding is shrunk: actions are
// left out as long as the rest shows it. Errors are those of Explore.
func Simulate(ctx context.Context, scope *Scope, subject Subject, o SimulateOptions) (*Result, error) {
	return newSimulation(ctx, scope, subject, o).run(ctx)
}

func newSimulation(ctx context.Context, scope *Scope, subject Subject, o SimulateOptions) *simulation {
	return &simulation{
		explorer: &explorer{
			scope:   scope,
			Subject: subject,
			ended:   ctx.Done(),
		}, options: o, best: map[string]*walk{}, count: map[string]int64{},
	}
}

// run follows the runs, and shrinks what they find.
func (s *simulation) run(ctx context.Context) (*Result, error) {
	var workers sync.WaitGroup
	for range s.options.Workers {
		workers.Go(func() {
			for ctx.Err() == nil {
				number, ok := s.reserve()
				if !ok {
					return
				}
				s.follow(number)
			}
		})
	}
	until, end := patience.Extend(ctx, afterwards)
	defer end()
	patience.Do(until, workers.Wait)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed != nil {
		return nil, s.failed.err
	}
	late := s.late() && ctx.Err() == nil
	r := &Result{Scope: s.scope, Simulated: true, Late: late, Walks: s.walks, LeftOut: s.leftOut, Refused: s.refused,
		Needless: s.needless,
		Result: &checker.Result{
			Complete: s.walks+s.leftOut == s.options.Walks || late, Generated: s.steps,
			Depth: s.longest,
		}}
	if !r.Complete {
		r.Stopped = checker.Cancelled
	}
	keys := sortedKeys(s.best)
	for _, key := range keys {
		for _, part := range foldedInto(key, keys) {
			s.count[part] += s.count[key]
		}
	}
	for _, key := range keys {
		if len(foldedInto(key, keys)) > 0 {
			continue
		}
		var finding *Finding
		var err error
		told := until.Err() == nil && patience.Do(until, func() { finding, err = s.shrunk(key, s.best[key]) })
		switch {
		case !told:
			finding = s.best[key].finding
			finding.Unshrunk = true
		case s.note(numbered(err, s.best[key].number)):
			continue
		case err != nil:
			return nil, err
		}
		finding.Count, finding.Number = s.count[key], &s.best[key].number
		r.Findings = append(r.Findings, *finding)
	}
	s.addDivergences(r)
	s.explorer.mu.Lock()
	r.Builds, r.Steps = s.builds, s.explorer.steps
	s.explorer.mu.Unlock()
	r.Hints = s.counted(s.hintSums)
	return r, nil
}

// simulation is one call of Simulate.
type simulation struct {
	*explorer
	options SimulateOptions

	mu sync.Mutex
	// claimed is the number of walks begun, walks of those that came to their end; steps and longest are theirs.
	reserved, walks, steps, needless int64
	// draw gives each walk its own scope, if it is set; leftOut are those that it gives none, and refused the objects that
	// the release does not admit.
	draw             func(number int64) (*Scope, error)
	leftOut, refused int64
	// deadline, if it is not zero, is when no more walks are begun.
	deadline time.Time
	longest  int
	// hintSums are those of counted.
	hintSums []int64
	// best has for each key the shortest walk that shows it, the first of several; count the number of walks that do.
	best   map[string]*walk
	count  map[string]int64
	failed *walk
}

// walk is a run.
type walk struct {
	number  int64
	scope   *Scope
	initial int
	actions []Action
	// hints is what came of queueing hints in its steps.
	hints []HintUse
	// cut: it was interrupted on its way; what it shows counts all the same.
	cut bool
	err error
	// finding is what the run shows, of one that shows something.
	finding *Finding
}

func (s *simulation) reserve() (int64, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reserved == s.options.Walks && s.reserved > 0 || s.late() || s.failed != nil {
		return 0, false
	}
	s.reserved++
	return s.options.First + s.reserved - 1, true
}

// late reports whether the time is over in which walks are begun.
func (s *simulation) late() bool { return !s.deadline.IsZero() && !time.Now().Before(s.deadline) }

// scopeOf returns the scope of the walk of this number; nil if it is left out.
func (s *simulation) scopeOf(number int64) (*Scope, error) {
	if s.draw == nil {
		return s.scope, nil
	}
	return s.draw(number)
}

// follow follows the run of this number, unless it is interrupted on the way.
func (s *simulation) follow(number int64) {
	draw := rand.New(rand.NewPCG(s.options.Seed, uint64(number)))
	scope, err := s.scopeOf(number)
	if scope == nil || err != nil {
		s.add(&walk{number: number, err: err}, nil, 0)
		return
	}
	w := &walk{number: number, scope: scope, initial: draw.IntN(len(scope.Initial))}
	shows, needless := map[string]*walk{}, 0
	drawn := chooser(scope, draw)
	switch {
	case scope.Event != nil:
		drawn = waken(scope)
	case s.draw != nil:
		drawn = helping(s.in(scope).Model, scope, draw)
	}
	w.err = s.walk(scope, w.initial, func(state *State, used Used) (Action, bool) {
		if len(w.actions) == s.options.Steps {
			return Action{}, false
		}
		action, ok := drawn(state, used)
		if w.cut = ok && s.interrupted(); w.cut || !ok {
			return Action{}, false
		}
		w.actions = append(w.actions, action)
		return action, true
	}, func(t *Transition) bool {
		needless += len(t.Needless())
		w.hints = append(w.hints, t.Step.Hints...)
		for _, breach := range t.Broken() {
			if key := breach.Key(); shows[key] == nil {
				actions := slices.Clone(w.actions)
				shown := &walk{number: number, scope: scope, initial: w.initial, actions: actions, finding: breach.finding(t)}
				shown.finding.begin(scope, w.initial, actions)
				shows[key] = shown
			}
		}
		return true
	})
	s.add(w, shows, int64(needless))
}

// add counts a walk. In which order walks come makes no difference.
func (s *simulation) add(w *walk, shows map[string]*walk, needless int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w.err != nil {
		w.err = fmt.Errorf("%s, seed %d, run %d, after %v: %w", s.scope.Name, s.options.Seed, w.number, w.actions,
			w.err)
		if s.failed == nil || w.number < s.failed.number {
			s.failed = w
		}
		return
	}
	if w.scope == nil {
		s.leftOut++
		return
	}
	s.refused += int64(w.scope.Refused)
	if !w.cut {
		s.walks++
	}
	s.steps += int64(len(w.actions))
	s.longest = max(s.longest, len(w.actions))
	s.needless += needless
	each(w.hints, func(sum int, n int64) {
		s.hintSums = append(s.hintSums, make([]int64, max(0, sum+1-len(s.hintSums)))...)
		s.hintSums[sum] += n
	})
	for key, shown := range shows {
		s.count[key]++
		known := s.best[key]
		if known == nil || len(shown.actions) < len(known.actions) ||
			len(shown.actions) == len(known.actions) && shown.number < known.number {
			s.best[key] = shown
		}
	}
	if s.options.Progress != nil {
		s.options.Progress(s.walks)
	}
}

// walk begins with the cluster and takes the actions that next gives, until it gives none or seen, which is told of
// every step, is false.
func (e *explorer) walk(scope *Scope, initial int, next func(*State, Used) (Action, bool),
	seen func(*Transition) bool) error {
	system, err := e.beginIn(scope, initial)
	if err != nil {
		return err
	}
	defer system.Close()
	state, used := system.State(), Used{}
	for {
		action, ok := next(state, used)
		if !ok {
			return nil
		}
		taken, err := e.take(scope, system, state, action)
		if err != nil {
			return err
		}
		if !seen(taken) {
			return nil
		}
		state, used = taken.After, used.After(action)
	}
}

// chooser draws what happens next: first the class, of those that there are, then one of it. It is false if nothing
// can. In a large cluster it is first drawn to which nodes and pods something may happen.
func chooser(scope *Scope, draw *rand.Rand) func(*State, Used) (Action, bool) {
	return func(state *State, used Used) (Action, bool) {
		nodes := some(state.API.Nodes, func(*v1.Node) bool { return true }, draw)
		pods := some(state.API.Pods, func(pod *v1.Pod) bool { return pod.Spec.NodeName == "" }, draw)
		classes := classes(scope.actionsOf(state, used, nodes, pods))
		if len(classes) == 0 {
			return Action{}, false
		}
		class := classes[draw.IntN(len(classes))]
		return class[draw.IntN(len(class))], true
	}
}

// some returns a few that are drawn of those that are of the kind, and a few of the others, in their order; all, if
// they are not more.
func some[T any](all []T, kind func(T) bool, draw *rand.Rand) []T {
	const few = 16
	if len(all) <= few {
		return all
	}
	var drawn []int
	of := map[bool]int{}
	for _, i := range draw.Perm(len(all)) {
		if is := kind(all[i]); of[is] < few {
			of[is]++
			drawn = append(drawn, i)
		}
	}
	slices.Sort(drawn)
	chosen := make([]T, len(drawn))
	for n, i := range drawn {
		chosen[n] = all[i]
	}
	return chosen
}

// classes groups the actions by their class, in the order in which the classes come up.
func classes(actions []Action) [][]Action {
	index := map[string]int{}
	var groups [][]Action
	for _, a := range actions {
		class := a.Class()
		if _, known := index[class]; !known {
			index[class] = len(groups)
			groups = append(groups, nil)
		}
		groups[index[class]] = append(groups[index[class]], a)
	}
	return groups
}
