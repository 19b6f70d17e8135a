package decisions

import (
	"context"
	"fmt"
	"slices"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/model"
)

// mostNamed is how many states with names are gone through to find a loop in one set of states without.
const mostNamed = 1 << 18

// lifted are the states with names that, without them, are those of a component. All others are one state, outside,
// which is left by no step: what leads there can be taken, which counts for fairness.
type lifted struct {
	machine   *model.Machine
	lookups   lookups
	begin     *model.Arrangement
	component map[string]bool
}

var outside = []byte{}

// lift looks for a loop in a component with names, and fair to each pod by itself; nil if there is none.
func (c *livenessChecker) lift(ctx context.Context, b *invariants.Behaviour,
	component *checker.Component) (*lasso, error) {
	stem, err := c.namer.walk(component.Stem())
	if err != nil {
		return nil, err
	}
	states := map[string]bool{}
	for _, state := range component.States() {
		states[string(state)] = true
	}
	named := &lifted{
		machine: c.machine, lookups: c.lookups(), begin: stem[len(stem)-1].Arrangement(), component: states,
	}
	graph, stopped, err := checker.Unfold(ctx, named, checker.GraphOptions{
		Workers: c.options.Workers, MaxStates: mostNamed,
	})
	if err != nil {
		return nil, err
	}
	if stopped != checker.NotStopped {
		return &lasso{unnamed: true}, nil
	}
	within := func(state []byte) bool { return len(state) > 0 }
	liveness := checker.Liveness{Within: within, Bad: bad(b), Fair: fairToEach}
	if b.Strong {
		liveness.Strong = strongForEach
	}
	if b.Stays == nil {
		return c.lasso(stem, graph, liveness)
	}
	for _, pod := range staying(graph, b) {
		liveness.Within = func(state []byte) bool {
			return within(state) && slices.Contains(b.Stays(model.UnpackNamed(state)), pod)
		}
		l, err := c.lasso(stem, graph, liveness)
		if err != nil {
			return nil, err
		}
		if l != nil {
			l.pod = c.machine.PodNamed(pod)
			return l, nil
		}
	}
	return nil, nil
}

func bad(b *invariants.Behaviour) func(uint32) bool {
	if b.Bad == nil {
		return nil
	}
	return func(packed uint32) bool { return b.Bad(model.Action{Class: model.Class(packed >> 28)}) }
}

// staying returns the pods that are so in some state, in order.
func staying(g *checker.Graph, b *invariants.Behaviour) []model.Pod {
	seen := map[model.Pod]bool{}
	var pods []model.Pod
	for state := range g.All() {
		if len(state) == 0 {
			continue
		}
		for _, pod := range b.Stays(model.UnpackNamed(state)) {
			if !seen[pod] {
				seen[pod] = true
				pods = append(pods, pod)
			}
		}
	}
	slices.Sort(pods)
	return pods
}

// packNamed returns an action with names in 32 bits: its class, the pod's template, and who it is.
func packNamed(class model.Class, who model.Pod) uint32 {
	return uint32(class)<<28 | uint32(who.Template())<<8 | uint32(who.ID())
}

func fairToEach(packed uint32) (label uint64, ok bool) {
	return fairLabel(model.Class(packed>>28), uint64(packed&(1<<28-1)))
}

func strongForEach(packed uint32) (label uint64, ok bool) {
	return uint64(packed & (1<<28 - 1)), model.Class(packed>>28) == model.Bind
}

// Initial emits the state in which the stem ends.
func (l *lifted) Initial(emit func(state []byte)) { emit(model.PackNamed(l.begin, nil)) }

// Stepper returns a stepper with a decider of its own.
func (l *lifted) Stepper() checker.Stepper {
	return &namedStepper{lifted: l, decisions: l.lookups.next(), state: make([]byte, l.machine.Width())}
}

// namedStepper returns the steps from states with names.
type namedStepper struct {
	*lifted
	decisions *lookup
	state     []byte
}

// Run lets the decider say where the stepper works.
func (s *namedStepper) Run(work func()) { hosted(s.decisions.decider, work) }

// Steps returns the steps; actions are packed with names.
func (s *namedStepper) Steps(state []byte, each func(action uint32, next []byte)) error {
	if len(state) == 0 {
		return nil
	}
	var key []byte
	s.machine.NamedSteps(model.UnpackNamed(state), s.decisions.taken, func(step model.Named) {
		s.machine.Pack(step.To, s.state)
		if !s.component[string(s.state)] {
			each(packNamed(step.Class, step.Who), outside)
			return
		}
		key = model.PackNamed(step.To, key[:0])
		each(packNamed(step.Class, step.Who), key)
	})
	return nil
}

// lasso returns the lasso of the first component of the named states, the stem put before it; nil if there is no
// component.
func (c *livenessChecker) lasso(stem []model.Stage, g *checker.Graph, p checker.Liveness) (*lasso, error) {
	components := g.Components(p)
	if len(components) == 0 {
		return nil, nil
	}
	found := components[0].Lasso()
	result := &lasso{stages: stem[:len(stem)-1], loop: len(found.Loop)}
	at := model.UnpackNamed(found.Stem.Initial)
	for i, step := range slices.Concat(found.Stem.Steps, found.Loop) {
		named, undocumented := c.named(at, step)
		if named == nil {
			return nil, fmt.Errorf("no step %d leads from %+v to the next state", step.Action, at)
		}
		result.stages = append(result.stages, c.machine.NamedStage(at, named))
		if undocumented != nil && i >= len(found.Stem.Steps) {
			result.undocumented = append(result.undocumented, undocumented)
		}
		at = model.UnpackNamed(step.State)
	}
	result.stages = append(result.stages, c.machine.NamedStage(at, nil))
	return result, nil
}

// named finds a step again, and its decision if that is one which the spec does not allow.
func (c *livenessChecker) named(at *model.Arrangement,
	step checker.Step) (named *model.NamedStep, undocumented *cacheEntry) {
	decisions := c.namer.decisions
	c.machine.NamedSteps(at, decisions.taken, func(s model.Named) {
		same := packNamed(s.Class, s.Who) == step.Action && string(model.PackNamed(s.To, nil)) == string(step.State)
		if named != nil || !same {
			return
		}
		if named = s.NamedStep; s.Move != nil {
			undocumented = decisions.undocumented(s.From, s.Pending, *s.Move)
		}
	})
	return named, undocumented
}
