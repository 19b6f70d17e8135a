package loop

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/internal/patience"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// Subject is what is explored.
type Subject struct {
	// Model is the formal model with the system's profiles: that of the first, with those of the others.
	Model *spec.Scheduler
	// Start returns a system that begins with the cluster.
	Start func(initial *spec.Snapshot) (System, error)
	// Ask returns the decision that the system's code takes when it is asked a single question, outside any run.
	// Several may ask at the same time. If it is nil the two are not compared.
	Ask func(spec.Question) *spec.Decision
	// Ahead is the number of actions by which a system goes on, once a run was repeated for an action of a state,
	// where it comes upon actions that are still to be taken. It makes no difference to the result, as what follows
	// a state depends on the state alone.
	Ahead int
	// Settling, if not nil, is told of how many states it was followed what goes on by itself, and how many there
	// are so far, by one worker at a time.
	Settling func(followed, of int)
	// Trying, if not nil, is told of a state in which much may happen how many actions were taken, and of how many. It
	// may be told by several workers at a time.
	Trying func(taken, of int)
}

// Result is what an exploration found.
type Result struct {
	Scope *Scope
	*checker.Result
	Findings []Finding
	// Untold are those for whose runs there was no time when the exploration was ended: theirs are empty.
	Untold []Finding
	// Liveness says among what it was looked for what goes on for ever; nil if it was not.
	Liveness *LivenessResult
	// Simulated: Walks runs were followed at random. Of the embedded Result a simulation has Complete (all runs
	// that were asked for), Stopped, Generated (their steps) and Depth (the longest run).
	Simulated bool
	Walks     int64
	// LeftOut is how many drawn runs were not followed, as chance decides in their clusters, and Refused how many objects
	// were left out of those that were, as the release does not admit them.
	LeftOut, Refused int64
	// Late: the time was over in which runs were begun, and all of these came to their end.
	Late bool
	// Grows says which part of the state goes on changing, if a bound has stopped the search, or that of settling.
	Grows string
	// MostActions is how many may be taken in the state where most may, if the search was stopped. If it was for them
	// (checker.ActionLimit), runs were followed at random in its place.
	MostActions int
	// Needless is how often a step woke a pod that it cannot have helped.
	Needless int64
	// Hints says how often each queueing hint answered what, in distinct steps, or in those of runs at random.
	Hints []HintCount
	// Builds is the number of systems that were built, and Steps the number of actions they took. These depend on
	// the number of workers.
	Builds, Steps int64
}

// ManyActions is from how many actions of a state on there are too many to take all of them, with what follows, in a
// few minutes.
const ManyActions = 500

// Explore takes every run of the scope and asks every step for the properties. The limits are those of the options.
// An error means that the system cannot be explored: it failed to take an action. That it
// did not repeat itself is a finding.
func Explore(ctx context.Context, scope *Scope, subject Subject, o checker.Options) (*Result, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	until, end := patience.Extend(ctx, afterwards)
	defer end()
	e := &explorer{
		scope: scope, Subject: subject, points: points{}, expansions: map[pathKey]*expansion{},
		actions: map[string]Action{}, settlingStates: map[hash]*settlingState{}, fail: cancel,
		maxDepth: o.MaxDepth, workers: cmp.Or(o.Workers, runtime.GOMAXPROCS(0)), ended: ctx.Done(),
	}
	found, err := checker.Check(ctx, e, o)
	if failed := context.Cause(ctx); failed != nil && !errors.Is(failed, context.Canceled) {
		return nil, failed
	}
	if again, ok := errors.AsType[*checker.NotRepeatedError](err); ok {
		// How many states there are is not known any more, and what breaks a property has no run.
		found, err = &checker.Result{Stopped: checker.NotRepeated}, nil
		e.mu.Lock()
		at := e.points.at(again.State)
		e.mu.Unlock()
		e.note(e.notAgain("a step", e.scope, at.initial, at.run(), nil))
	}
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	clear(e.expansions) // a worker that was left behind may add to them
	e.mu.Unlock()
	result := &Result{Scope: scope, Result: found}
	for _, f := range folded(found.Findings) {
		var finding *Finding
		var err error
		told := until.Err() == nil && patience.Do(until, func() { finding, err = e.finding(f) })
		switch {
		case !told:
			result.Untold = append(result.Untold, untold(f))
		case e.note(err):
		case err != nil:
			return nil, err
		default:
			result.Findings = append(result.Findings, *finding)
		}
	}
	if e.addDivergences(result); scope.Liveness {
		if err := e.addLiveness(ctx, until, result, o); e.note(err) {
			result.Liveness = &LivenessResult{Stopped: checker.NotRepeated}
			e.addDivergences(result)
		} else if err != nil {
			return nil, err
		}
	}
	if until.Err() == nil {
		var grows string
		var err error
		if patience.Do(until, func() { grows, err = e.growth(result) }) {
			if err != nil && !e.note(err) {
				return nil, err
			}
			result.Grows = grows
		}
	}
	e.mu.Lock()
	result.Builds, result.Steps = e.builds, e.steps
	if !result.Complete {
		result.MostActions = e.mostActions
	}
	e.mu.Unlock()
	if len(found.Counters) > 0 {
		result.Needless = found.Counters[0]
		result.Hints = e.counted(found.Counters[1:])
	} else {
		result.Hints = e.counted(nil)
	}
	return result, nil
}

// explorer is the model that the checker explores. Its states are the keys of points.
type explorer struct {
	Subject
	scope *Scope
	fail  context.CancelCauseFunc
	// maxDepth is where the checker stops; 0 if it does not.
	maxDepth int
	// workers is how many take the actions of a state in which much may happen.
	workers int
	// ended is closed when nothing more is to be begun; nil if that never happens.
	ended <-chan struct{}

	mu     sync.Mutex
	points points
	// expansions are those of points of which the checker did not ask yet.
	expansions     map[pathKey]*expansion
	actions        map[string]Action       // see shared
	settlingStates map[hash]*settlingState // none without Scope.Liveness
	builds, steps  int64
	mostActions    int
	hints          []nthHint
	numbers        map[string][]int       // of the hints of systems of a configuration in hints
	divergences    map[string]*divergence // by key
}

// Width implements checker.Model.
func (e *explorer) Width() int { return pointWidth }

// Initial implements checker.Model.
func (e *explorer) Initial(emit func([]byte)) {
	for i := range e.scope.Initial {
		if e.interrupted() {
			return
		}
		system, err := e.begin(i)
		if err != nil {
			e.fail(fmt.Errorf("cluster %d of %s: %w", i, e.scope.Name, err))
			return
		}
		state := system.State()
		system.Close()
		at := &point{pathKey: pathKey{state: state.Hash()}, initial: i}
		e.arrive(at.pathKey, state)
		e.points.add(at)
		emit(at.key())
	}
}

// interrupted reports whether nothing more is to be begun.
func (e *explorer) interrupted() bool {
	select {
	case <-e.ended:
		return true
	default:
		return false
	}
}

// Worker implements checker.Model.
func (e *explorer) Worker() checker.Worker { return &worker{e} }

// ActionClass implements checker.ActionClasser.
func (e *explorer) ActionClass(action uint32) int { return int(action >> 24) }

// ActionClasses implements checker.ActionClasser.
func (e *explorer) ActionClasses() []string {
	var names []string
	for v := range verbs {
		names = append(names, Verb(v).String())
	}
	return names
}

// Size implements checker.Sizer: of equally short runs that in the smallest cluster is shown.
func (e *explorer) Size(key []byte) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.scope.Initial[e.points.at(key).initial].Nodes)
}

type worker struct{ *explorer }

// Expand implements checker.Worker.
func (w *worker) Expand(key []byte, out *checker.Steps) {
	w.mu.Lock()
	at := w.points.at(key)
	covered := w.points.covered(at)
	w.mu.Unlock()
	if !covered {
		if err := w.expand(at, out); err != nil && !w.note(err) {
			w.fail(err)
		}
	}
	w.mu.Lock()
	at.expanded = true
	delete(w.expansions, at.pathKey)
	w.mu.Unlock()
}

func (w *worker) expand(at *point, out *checker.Steps) error {
	visit, err := w.expansionOf(at)
	if err != nil {
		return err
	}
	w.mu.Lock()
	w.mostActions = max(w.mostActions, len(visit.outcomes))
	w.mu.Unlock()
	if len(visit.outcomes) >= many {
		w.takeMany(at, visit)
	}
	outcomes := make([]*outcome, len(visit.outcomes))
	for i := range outcomes {
		o, err := w.outcome(at, visit, i)
		if err != nil {
			return err
		}
		outcomes[i] = o
		next := &point{
			pathKey: pathKey{o.state, at.used.After(o.action)},
			initial: at.initial,
			from:    at,
			action:  o.action,
			index:   i,
			depth:   at.depth + 1,
		}
		w.mu.Lock()
		w.points.add(next)
		w.mu.Unlock()
		step := out.Add(uint32(o.action.Verb)<<24|uint32(i), next.key())
		for _, breach := range o.breaches {
			out.Find(breach, step)
		}
		if o.needless > 0 {
			out.Count(0, int64(o.needless))
		}
		each(o.hints, func(sum int, n int64) { out.Count(1+sum, n) })
	}
	if w.scope.Liveness {
		w.add(visit.settlingState.after(at, outcomes))
	}
	return nil
}

// in returns what is run in the scope.
func (e *explorer) in(scope *Scope) *Subject {
	if scope.Subject != nil {
		return scope.Subject
	}
	return &e.Subject
}

// take takes an action of the scope.
func (e *explorer) take(scope *Scope, system System, before *State, action Action) (*Transition, error) {
	step, err := e.do(system, action)
	if err != nil {
		return nil, err
	}
	step.Hints = e.numbered(scope, step.Hints)
	return &Transition{
		Model:  e.in(scope).Model,
		Ask:    e.in(scope).Ask,
		Before: before,
		Action: action,
		Step:   step,
		After:  system.State(),
	}, nil
}

func (e *explorer) do(system System, action Action) (Step, error) {
	e.mu.Lock()
	e.steps++
	e.mu.Unlock()
	return system.Do(action)
}

func (e *explorer) begin(initial int) (System, error) { return e.beginIn(e.scope, initial) }

func (e *explorer) beginIn(scope *Scope, initial int) (System, error) {
	e.mu.Lock()
	e.builds++
	e.mu.Unlock()
	system, err := e.in(scope).Start(scope.Initial[initial])
	if err == nil {
		e.hintsOf(scope, system)
	}
	return system, err
}

// reach returns a new system that has taken the run to the point, and the state that it is in.
func (e *explorer) reach(p *point) (System, *State, error) {
	system, err := e.begin(p.initial)
	if err != nil {
		return nil, nil, err
	}
	for _, action := range p.run() {
		if _, err := e.do(system, action); err != nil {
			system.Close()
			return nil, nil, err
		}
	}
	state := system.State()
	if hashAt(p, state) != p.state {
		system.Close()
		return nil, nil, e.diverged(p, state)
	}
	return system, state, nil
}

// finding repeats the shortest run of what the checker found.
func (e *explorer) finding(f checker.Finding) (*Finding, error) {
	steps := f.Trace.Steps
	from := f.Trace.Initial
	if len(steps) > 1 {
		from = steps[len(steps)-2].State
	}
	e.mu.Lock()
	at := e.points.at(from)
	e.mu.Unlock()
	system, before, err := e.reach(at)
	if err != nil {
		return nil, err
	}
	action := e.scope.Actions(before, at.used)[steps[len(steps)-1].Action&(1<<24-1)]
	last, err := e.take(e.scope, system, before, action)
	system.Close()
	if err != nil {
		return nil, err
	}
	finding := found(f.Key, last)
	if finding == nil {
		return nil, e.notAgain(f.Key, e.scope, at.initial, append(at.run(), action), last)
	}
	finding.Count = f.Count
	finding.begin(e.scope, at.initial, append(at.run(), action))
	return finding, e.tell(finding)
}

// tell says what the actions of the finding's run led to, and asks of a pod that stays in unschedulablePods what
// becomes of it after the periodic flush.
func (e *explorer) tell(f *Finding) (err error) {
	if f.Led, err = e.led(f); err != nil {
		return err
	}
	if slices.Contains([]string{"wake-up", "wake-up-to-preempt", "progress"}, f.Property.Name) {
		f.Flushed, err = e.flushed(f, f.pod)
	}
	return err
}

// flushed repeats the run, flushes the queue, and schedules until the pod has had its turn.
func (e *explorer) flushed(f *Finding, pod string) (string, error) {
	system, err := e.in(f.Scope).Start(f.Initial)
	if err != nil {
		return "", err
	}
	defer system.Close()
	for _, action := range f.Trace {
		if _, err := system.Do(action); err != nil {
			return "", err
		}
	}
	for steps := evictionSteps(system.State(), false); len(steps) > 0; steps = evictionSteps(system.State(), false) {
		if _, err := system.Do(steps[0]); err != nil {
			return "", err
		}
	}
	if _, err := system.Do(Action{Verb: Flush}); err != nil {
		return "", err
	}
	for system.State().Poppable() {
		step, err := system.Do(Action{Verb: Schedule})
		if err != nil {
			return "", err
		}
		if step.Popped != pod {
			continue
		}
		if after := system.State().Pod(pod); after != nil && after.Spec.NodeName != "" {
			return "after the periodic flush kube-scheduler binds it to " + after.Spec.NodeName, nil
		}
		if node := system.State().AssumedOn(pod); node != "" {
			return "after the periodic flush kube-scheduler places it on " + node + ", and waits for its volumes", nil
		}
		if after := system.State().Pod(pod); after != nil && after.Status.NominatedNodeName != "" {
			return "after the periodic flush kube-scheduler nominates it to " + after.Status.NominatedNodeName, nil
		}
		return "after the periodic flush kube-scheduler does not bind it either: the decision is wrong, not the wake-up", nil
	}
	return "after the periodic flush it is not retried", nil
}
