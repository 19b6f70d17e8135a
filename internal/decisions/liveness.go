package decisions

import (
	"context"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/model"
)

// LivenessResult says what was looked at in one scenario to find what goes on for ever.
type LivenessResult struct {
	Scenario string
	// States and Steps are those that kube-scheduler's decisions lead to, decisions that change nothing included.
	States, Steps int
	// Stopped is why not every state was found; then nothing is said about behaviours.
	Stopped checker.Reason
	// Unnamed counts the sets of states that look like a loop that must not be, and of which the states with names
	// were too many to tell. Then there may be such a loop.
	Unnamed int
}

// behaviours returns the properties of behaviours.
func (r *run) behaviours() []invariants.Property {
	return slices.DeleteFunc(slices.Clone(r.properties), func(p invariants.Property) bool { return p.Behaviour == nil })
}

// loops is what was found in one scenario of what must not go on for ever.
type loops struct {
	result LivenessResult
	// exercised is by property: the states or steps that could be part of such a loop.
	exercised map[string]int64
	findings  []Finding
}

// live looks for what goes on for ever in a scenario.
func (m *exploration) live(ctx context.Context) (*loops, error) {
	found := &loops{result: LivenessResult{Scenario: m.machine.Scenario.Name}, exercised: map[string]int64{}}
	o := m.run.options
	options := checker.GraphOptions{Workers: o.Workers, MaxStates: o.MaxStates, Memory: o.Memory}
	graph, stopped, err := checker.Unfold(ctx, &unfolding{exploration: m}, options)
	if err != nil {
		return nil, err
	}
	found.result.States, found.result.Steps, found.result.Stopped = graph.States(), graph.Edges(), stopped
	if stopped != checker.NotStopped {
		return found, nil
	}
	for _, property := range m.run.behaviours() {
		liveness := livenessOf(m.machine, property.Behaviour)
		found.exercised[property.Name] = graph.Count(liveness)
		if err := m.confirm(ctx, property, graph.Components(liveness), found); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// livenessOf puts a property in terms of states without names. What goes on for ever with names does so without
// them, as far as kinds of pod go: a pod that stays so is one of its kind that does, and whatever is taken of one
// pod is taken of its kind.
func livenessOf(m *model.Machine, b *invariants.Behaviour) checker.Liveness {
	l := checker.Liveness{Fair: fair}
	if b.Bad != nil {
		l.Bad = func(packed uint32) bool { return b.Bad(model.UnpackAction(packed)) }
	}
	if b.Strong {
		l.Strong = strong
	}
	if b.Stays != nil {
		l.Within = func(state []byte) bool {
			var a model.Arrangement
			m.Unpack(state, &a)
			return len(b.Stays(&a)) > 0
		}
	}
	return l
}

// confirm returns the first of the components in which the loop is there with names too, as a finding.
func (m *exploration) confirm(ctx context.Context, p invariants.Property, components []*checker.Component,
	found *loops) error {
	for i, component := range components {
		lasso, err := m.lift(ctx, p.Behaviour, component)
		if err != nil {
			return fmt.Errorf("naming a loop that breaks %s: %w", p.Name, err)
		}
		if lasso == nil {
			continue
		}
		if lasso.unnamed {
			found.result.Unnamed++
			continue
		}
		key := classify(p, lasso.broken())
		m.run.notices.tell(key.String())
		f := findingOf(m.run.options.Spec, m.run.properties, key, int64(len(components)-i))
		f.Example = Example{
			Scenario: m.machine.Scenario.Name, Stages: lasso.stages, Loop: lasso.loop,
			Reasons: []string{p.Behaviour.Reason(lasso.repeated(), lasso.pod)},
		}
		if f.Example.Takers, err = m.takersOf(lasso.stages); err != nil {
			return fmt.Errorf("asking who takes the steps to %s: %w", f.ID, err)
		}
		found.findings = append(found.findings, f)
		return nil
	}
	return nil
}

// classify reports whether the loop is news, from what each decision on it breaks that is not documented. If every
// decision is, it is by design; if known defects explain every one that is not, it is known.
func classify(p invariants.Property, undocumented [][]findingKey) findingKey {
	key := findingKey{p.Name, "", ByDesign, ""}
	var names []string
	for _, broken := range undocumented {
		key.class = Known
		known := false
		for _, f := range broken {
			if f.class == Known {
				known = true
				names = append(names, f.quirks)
				key.plugin = f.plugin
			}
		}
		if !known {
			return findingKey{p.Name, "", New, ""}
		}
	}
	slices.Sort(names)
	key.quirks = joined(slices.Compact(names))
	return key
}

// addLoops adds what was found in a scenario to the result.
func (result *Result) addLoops(found *loops) {
	result.Liveness = append(result.Liveness, found.result)
	result.Complete = result.Complete && found.result.Stopped == checker.NotStopped && found.result.Unnamed == 0
	for _, f := range found.findings {
		i := slices.IndexFunc(result.Findings, func(known Finding) bool { return known.ID == f.ID })
		if i < 0 {
			result.Findings = append(result.Findings, f)
			continue
		}
		known := &result.Findings[i]
		count := known.Count + f.Count
		if len(f.Example.Stages) < len(known.Example.Stages) {
			*known = f
		}
		known.Count = count
	}
}

// lasso is a behaviour with names that goes on for ever.
type lasso struct {
	// stages are those of the stem and of the loop, which the last so many steps are.
	stages []model.Stage
	loop   int
	// pod is the one that stays so, for a property about one.
	pod *v1.Pod
	// undocumented are the decisions on the loop that the spec does not allow.
	undocumented []*cacheEntry
	// unnamed: there were too many states with names.
	unnamed bool
}

// repeated returns the steps of the loop.
func (l *lasso) repeated() []*model.NamedStep {
	var steps []*model.NamedStep
	for _, stage := range l.stages[len(l.stages)-1-l.loop : len(l.stages)-1] {
		steps = append(steps, stage.Step)
	}
	return steps
}

// broken returns what the undocumented decisions break.
func (l *lasso) broken() [][]findingKey {
	var all [][]findingKey
	for _, record := range l.undocumented {
		var keys []findingKey
		for _, finding := range record.findings {
			keys = append(keys, parseKey(finding))
		}
		all = append(all, keys)
	}
	return all
}
