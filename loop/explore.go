package loop

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// Subject is what is explored.
type Subject struct {
	// Model is the formal model with the system's profile.
	Model *spec.Scheduler
	// Start gives a system that begins with the cluster.
	Start func(initial *spec.Snapshot) (System, error)
	// Ask gives the decision that the system's code takes when it is asked a single question, outside any run. Several may ask at the
	// same time. If it is nil the two are not compared.
	Ask func(spec.Question) *spec.Decision
	// Keep is the number of systems that may be kept in the middle of a run, for what is explored from there. Without one the run is
	// repeated. It makes no difference to the result, as what follows a state depends on the state alone.
	Keep int
	// Settling, if not nil, is told of how many states it was followed what goes on by itself, and how many there are so far, by one worker
	// at a time.
	Settling func(followed, of int)
}

// Result is what an exploration found.
type Result struct {
	Scope *Scope
	*checker.Result
	Findings []Finding
	// Liveness says among what it was looked for what goes on for ever; nil if it was not.
	Liveness *LivenessResult
	// Simulated: Walks runs were followed at random. Of the embedded Result a simulation has Complete (all runs that were asked for),
	// Stopped, Generated (their steps) and Depth (the longest run).
	Simulated bool
	Walks     int64
	// Needless is how often a step woke a pod that it cannot have helped.
	Needless int64
	// Builds is the number of systems that were built, and Steps the number of actions they took. These depend on the number of workers.
	Builds, Steps int64
}

// Finding is a class of violations with the shortest run that shows it.
type Finding struct {
	Property Property
	About    string
	// Known is the name of the known defect that explains it; "" for news. What goes on for ever may need several, joined by "+".
	Known string
	// But says what is wrong at the end of the run.
	But string
	// Count is the number of distinct steps that show it; in a simulation, of runs; of what goes on for ever, of sets of states within which it does.
	Count int64
	// Initial is the cluster that the run begins with, Trace the run, and Last the step that breaks the property. Of what goes on for
	// ever the last Loop actions do; none if nothing can happen any more. Then Last leads to where that begins.
	Initial *spec.Snapshot
	Trace   []Action
	Loop    int
	Last    *Transition
	// Flushed says of a pod that stays in the unschedulable pool what becomes of it after the periodic flush.
	Flushed string

	// pod is the pod it is about.
	pod string
}

// Key names the finding in one word.
func (f *Finding) Key() string { return key(f.Property.Name, f.Known, f.About) }

func key(property, known, about string) string {
	if known != "" {
		return property + "/known/" + known
	}
	return strings.TrimSuffix(property+"/new/"+about, "/")
}

// Explore takes every run of the scope and asks every step for the properties. The limits are those of the options. An error means that
// the system cannot be explored: it failed to take an action, or did not repeat itself.
func Explore(ctx context.Context, scope *Scope, subject Subject, o checker.Options) (*Result, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	e := &explorer{
		scope: scope, Subject: subject, points: points{}, situations: map[hash]*situation{},
		kept: pool{room: subject.Keep, systems: map[hash][]System{}}, fail: cancel,
	}
	defer e.dropAll()
	found, err := checker.Check(ctx, e, o)
	if failed := context.Cause(ctx); failed != nil && !errors.Is(failed, context.Canceled) {
		return nil, failed
	}
	if err != nil {
		return nil, err
	}
	result := &Result{Scope: scope, Result: found}
	for _, f := range found.Findings {
		finding, err := e.finding(f)
		if err != nil {
			return nil, err
		}
		result.Findings = append(result.Findings, *finding)
	}
	if scope.Liveness {
		if err := e.addLiveness(ctx, result, o); err != nil {
			return nil, err
		}
	}
	result.Builds, result.Steps = e.builds, e.steps
	if len(found.Counters) > 0 {
		result.Needless = found.Counters[0]
	}
	return result, nil
}

// explorer is the model that the checker explores. Its states are the keys of points.
type explorer struct {
	Subject
	scope *Scope
	fail  context.CancelCauseFunc

	mu         sync.Mutex
	points     points
	situations map[hash]*situation // none without Scope.Liveness
	// kept are systems that came to a state from which something is still to be explored, by whatever run.
	kept          pool
	builds, steps int64
}

// Width implements checker.Model.
func (e *explorer) Width() int { return pointWidth }

// Initial implements checker.Model.
func (e *explorer) Initial(emit func([]byte)) {
	for i := range e.scope.Initial {
		system, err := e.begin(i)
		if err != nil {
			e.fail(fmt.Errorf("cluster %d of %s: %w", i, e.scope.Name, err))
			return
		}
		state := system.State()
		system.Close()
		at := e.arrive(&point{initial: i}, state)
		e.points.add(at)
		emit(at.key())
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
	switch {
	case covered:
	case at.actions == 0:
		if at.end != nil {
			w.add(&situation{hash: at.end.hash, point: at, pods: at.end.pods, moves: slices.Clone(at.end.moves)})
		}
	default:
		if err := w.expand(at, out); err != nil {
			w.fail(err)
		}
	}
	w.done(at)
}

func (w *worker) expand(at *point, out *checker.Steps) error {
	var from *situation
	for i := 0; ; i++ {
		system, err := w.resume(at)
		if err != nil {
			return err
		}
		before := system.State()
		if i == 0 && w.scope.Liveness {
			from = w.situationAt(at, before)
			defer w.add(from)
		}
		actions := w.scope.Actions(before, at.used)
		if i == len(actions) {
			system.Close()
			return nil
		}
		action := actions[i]
		taken, err := w.take(system, before, action)
		if err != nil {
			system.Close()
			return fmt.Errorf("after %v: %w", at.run(), err)
		}
		next := w.arrive(&point{
			used: at.used.After(action), initial: at.initial, from: at, action: action, index: i, depth: at.depth + 1,
		}, taken.After)
		w.note(next, system)
		step := out.Add(uint32(action.Verb)<<24|uint32(i), next.key())
		breaches := taken.Broken()
		for _, breach := range breaches {
			out.Find(breach.Key(), step)
		}
		if from != nil {
			from.note(taken, breaches)
		}
		if n := len(taken.Needless()); n > 0 {
			out.Count(0, int64(n))
		}
		if i == len(actions)-1 {
			return nil
		}
	}
}

// take takes an action.
func (e *explorer) take(system System, before *State, action Action) (*Transition, error) {
	step, err := e.do(system, action)
	if err != nil {
		return nil, err
	}
	return &Transition{Model: e.Model, Ask: e.Ask, Before: before, Action: action, Step: step, After: system.State()}, nil
}

func (e *explorer) do(system System, action Action) (Step, error) {
	e.mu.Lock()
	e.steps++
	e.mu.Unlock()
	return system.Do(action)
}

func (e *explorer) begin(initial int) (System, error) {
	e.mu.Lock()
	e.builds++
	e.mu.Unlock()
	return e.Start(e.scope.Initial[initial])
}

// arrive notes in the point what the state is like.
func (e *explorer) arrive(p *point, state *State) *point {
	p.state, p.actions = state.Hash(), len(e.scope.Actions(state, p.used))
	if p.actions == 0 && e.scope.Liveness {
		p.end = e.situationAt(p, state)
	}
	return p
}

// note notes a point to which the system has come. The system is kept for what goes on from there, or closed.
func (e *explorer) note(p *point, system System) {
	e.mu.Lock()
	e.points.add(p)
	kept := e.points.wanted(p.state) > len(e.kept.systems[p.state]) && e.kept.put(p.state, system)
	e.mu.Unlock()
	if !kept {
		system.Close()
	}
}

// done notes that nothing more is to be explored from the point, and closes systems that nobody needs any more.
func (e *explorer) done(at *point) {
	e.mu.Lock()
	at.expanded = true
	var needless []System
	if e.points.wanted(at.state) == 0 {
		needless = e.kept.takeAll(at.state)
	}
	e.mu.Unlock()
	closeAll(needless)
}

// dropAll closes the systems that are kept.
func (e *explorer) dropAll() {
	for _, systems := range e.kept.systems {
		closeAll(systems)
	}
	clear(e.kept.systems)
}

func closeAll(systems []System) {
	for _, system := range systems {
		system.Close()
	}
}

// resume gives a system that is at the point, one that is kept or a new one.
func (e *explorer) resume(at *point) (System, error) {
	e.mu.Lock()
	system := e.kept.take(at.state)
	e.mu.Unlock()
	if system != nil {
		return system, nil
	}
	return e.reach(at)
}

// reach gives a new system that has taken the run to the point.
func (e *explorer) reach(p *point) (System, error) {
	system, err := e.begin(p.initial)
	if err != nil {
		return nil, err
	}
	for _, action := range p.run() {
		if _, err := e.do(system, action); err != nil {
			system.Close()
			return nil, err
		}
	}
	state := system.State()
	if is := state.Hash(); is != p.state {
		system.Close()
		return nil, fmt.Errorf("%s: the run %v led to another state when it was repeated: %x, not %x\n%s",
			e.scope.Name, p.run(), is[:8], p.state[:8], state.Canonical())
	}
	return system, nil
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
	system, err := e.reach(at)
	if err != nil {
		return nil, err
	}
	before := system.State()
	action := e.scope.Actions(before, at.used)[steps[len(steps)-1].Action&(1<<24-1)]
	last, err := e.take(system, before, action)
	system.Close()
	if err != nil {
		return nil, err
	}
	finding := found(f.Key, last)
	if finding == nil {
		return nil, fmt.Errorf("%s: %s was not found again when its run was repeated", e.scope.Name, f.Key)
	}
	finding.Count, finding.Initial, finding.Trace = f.Count, e.scope.Initial[at.initial], append(at.run(), action)
	return finding, e.flush(finding)
}

// flush asks of a pod that stays in the unschedulable pool what becomes of it after the periodic flush.
func (e *explorer) flush(f *Finding) (err error) {
	if f.Property.Name == "wake-up" || f.Property.Name == "progress" {
		f.Flushed, err = e.flushed(f, f.pod)
	}
	return err
}

// flushed repeats the run, flushes the queue, and schedules until the pod has had its turn.
func (e *explorer) flushed(f *Finding, pod string) (string, error) {
	system, err := e.Start(f.Initial)
	if err != nil {
		return "", err
	}
	defer system.Close()
	for _, action := range append(slices.Clone(f.Trace), Action{Verb: Flush}) {
		if _, err := system.Do(action); err != nil {
			return "", err
		}
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
		return "after the periodic flush kube-scheduler does not bind it either: the decision is wrong, not the wake-up", nil
	}
	return "after the periodic flush it is not retried", nil
}
