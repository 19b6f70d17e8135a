package checker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
)

// SimulateOptions say which behaviours to follow.
type SimulateOptions struct {
	// Seed decides what is drawn: the same seed gives the same Simulation, for any number of workers.
	Seed uint64
	// Walks is the number of behaviours, at least 1, and Depth the largest number of steps of each, at least 1.
	Walks int64
	Depth int
	// Workers is the number of behaviours followed at the same time; 0 means one per core that the process may use.
	Workers int
}

// Simulation is what following behaviours found. It says nothing of others.
type Simulation struct {
	// Walks is the number of behaviours followed, and Complete tells that these are all that were asked for: the
	// context was not cancelled.
	Walks    int64
	Complete bool
	// Steps is the number of steps taken, and Longest that of the longest behaviour.
	Steps   int64
	Longest int
	// Ends counts the behaviours that came to an end state before they were cut off, by label, sorted by label.
	Ends []EndCount
	// Findings has one entry for each key, as in a Result, but that traces are as short as the states of the
	// behaviour allow, and Count is the number of behaviours in which it came up.
	Findings []Finding
}

// walksPerBatch is the number of behaviours after which their findings are put together, whatever the number of
// workers.
const walksPerBatch = 256

// Simulate follows behaviours of the model at random, for models that are too large to be explored: from an initial
// state, every step is as likely as any other of its state. Errors and panics are those of Check.
func Simulate(ctx context.Context, m Model, o SimulateOptions) (*Simulation, error) {
	if o.Walks < 1 || o.Depth < 1 || o.Workers < 0 {
		return nil, fmt.Errorf("options are %d walks, depth %d, %d workers: want at least 1, 1 and 0", o.Walks, o.Depth,
			o.Workers)
	}
	e, err := newExplorer(m, Options{Workers: o.Workers})
	if err != nil {
		return nil, err
	}
	s := &simulator{explorer: e, options: o, ends: map[string]int64{}, best: map[string]*Finding{}}
	m.Initial(func(state []byte) { s.initial = append(s.initial, slices.Clone(state)) })
	if len(s.initial) == 0 {
		return nil, errors.New("the model has no initial state to begin with")
	}
	for _, state := range s.initial {
		if len(state) != s.width {
			return nil, fmt.Errorf("initial state %x has %d bytes: want %d, as Width says", state, len(state), s.width)
		}
	}
	for range e.workers {
		s.scratch = append(s.scratch, e.newSteps())
	}
	return s.run(ctx)
}

// simulator is one run.
type simulator struct {
	*explorer
	options SimulateOptions
	initial [][]byte
	scratch []*Steps
	ends    map[string]int64
	best    map[string]*Finding
}

// walk is one behaviour.
type walk struct {
	done  bool
	trace Trace
	end   string
	ended bool
	found []walkFinding
	err   error
}

// walkFinding is a finding in the state after so many steps, and on a step of it unless step is OnState.
type walkFinding struct {
	key         string
	after, step int
	trace       Trace
}

func (s *simulator) run(ctx context.Context) (*Simulation, error) {
	r := &Simulation{Complete: true}
	for begin := int64(0); begin < s.options.Walks && r.Complete; begin += walksPerBatch {
		walks := make([]walk, min(walksPerBatch, s.options.Walks-begin))
		left := parallelOn(ctx, make([]struct{}, len(s.workers)), len(walks), func(worker, i int) {
			s.follow(ctx, s.workers[worker], s.scratch[worker], begin+int64(i), &walks[i])
		})
		if i := slices.Index(left, false); i >= 0 {
			walks, r.Complete = walks[:i], false
		}
		for i := range walks {
			if walks[i].err != nil {
				return nil, walks[i].err
			}
			if !walks[i].done {
				r.Complete = false
				break
			}
			s.add(r, &walks[i])
		}
	}
	for _, label := range slices.Sorted(maps.Keys(s.ends)) {
		r.Ends = append(r.Ends, EndCount{label, s.ends[label]})
	}
	for _, f := range s.best {
		r.Findings = append(r.Findings, *f)
	}
	slices.SortFunc(
		r.Findings,
		func(a, b Finding) int { return cmp.Or(cmp.Compare(a.Depth, b.Depth), cmp.Compare(a.Key, b.Key)) },
	)
	return r, nil
}

// add counts a behaviour. Behaviours come in their order.
func (s *simulator) add(r *Simulation, w *walk) {
	r.Walks++
	r.Steps += int64(len(w.trace.Steps))
	r.Longest = max(r.Longest, len(w.trace.Steps))
	if w.ended {
		s.ends[w.end]++
	}
	for _, f := range w.found {
		finding := Finding{Key: f.key, Count: 1, Depth: len(f.trace.Steps), OnStep: f.step != OnState, Trace: f.trace}
		if known := s.best[f.key]; known != nil {
			finding.Count += known.Count
			if known.Depth <= finding.Depth {
				known.Count = finding.Count
				continue
			}
		}
		s.best[f.key] = &finding
	}
}

// follow follows the behaviour of this number, unless the context is cancelled.
func (s *simulator) follow(ctx context.Context, worker Worker, out *Steps, number int64, w *walk) {
	draw := rand.New(rand.NewPCG(s.options.Seed, uint64(number)))
	state := s.initial[draw.IntN(len(s.initial))]
	w.trace = Trace{Initial: state}
	known := map[string]bool{}
	for {
		if ctx.Err() != nil {
			return
		}
		if w.err = s.expand(worker, state, out); w.err != nil {
			return
		}
		for _, f := range out.found {
			if !known[f.key] {
				known[f.key] = true
				w.found = append(w.found, walkFinding{key: f.key, after: len(w.trace.Steps), step: f.step})
			}
		}
		if w.ended = out.atEnd(); w.ended {
			w.end = s.label(state)
			break
		}
		if len(w.trace.Steps) == s.options.Depth {
			break
		}
		step := draw.IntN(len(out.steps))
		state = slices.Clone(out.target(uint32(step)))
		w.trace.Steps = append(w.trace.Steps, Step{out.steps[step].action, state})
	}
	for i := range w.found {
		f := &w.found[i]
		if f.trace, w.err = s.shortest(worker, out, w.trace, f.after); w.err != nil {
			return
		}
		if f.step == OnState {
			continue
		}
		if w.err = s.expand(worker, f.trace.Last(), out); w.err != nil {
			return
		}
		if f.step >= len(out.steps) {
			w.err = &NotRepeatedError{State: slices.Clone(f.trace.Last())}
			return
		}
		f.trace.Steps = append(f.trace.Steps, Step{out.steps[f.step].action, slices.Clone(out.target(uint32(f.step)))})
	}
	w.done = true
}

// expand returns the steps of one state in out.
func (s *simulator) expand(worker Worker, state []byte, out *Steps) error {
	out.reset()
	out.enter(0, state)
	worker.Expand(state, out)
	return out.brokenRule
}

// shortest returns a shortest trace to the state after so many steps of a behaviour that stays within the
// behaviour's states up to there.
func (s *simulator) shortest(worker Worker, out *Steps, behaviour Trace, after int) (Trace, error) {
	wanted := Trace{behaviour.Initial, behaviour.Steps[:after]}.Last()
	within := map[string]bool{}
	for _, step := range behaviour.Steps[:after] {
		within[string(step.State)] = true
	}
	traces := []Trace{{Initial: behaviour.Initial}}
	delete(within, string(behaviour.Initial))
	for i := 0; i < len(traces); i++ {
		trace := traces[i]
		last := trace.Last()
		if string(last) == string(wanted) {
			return trace, nil
		}
		if err := s.expand(worker, last, out); err != nil {
			return Trace{}, err
		}
		for j := range out.steps {
			next := out.target(uint32(j))
			if within[string(next)] {
				delete(within, string(next))
				steps := append(slices.Clone(trace.Steps), Step{out.steps[j].action, slices.Clone(next)})
				traces = append(traces, Trace{trace.Initial, steps})
			}
		}
	}
	return Trace{}, &NotRepeatedError{State: slices.Clone(wanted)}
}
