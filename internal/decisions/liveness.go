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

// loops is what was found in one scenario of what must not go on for ever.
type loops struct {
	result LivenessResult
	// exercised is by property: the states or steps that could be part of such a loop.
	exercised map[string]int64
	findings  []Finding
}

// livenessChecker looks for what goes on for ever, and must not, in one scenario. It goes through the steps that
// kube-scheduler's decisions lead to, without names; a loop there is looked for again with names.
type livenessChecker struct {
	machine  *model.Machine
	cache    *decisionCache
	deciders []Decider
	// options bound the graph of states without names.
	options checker.GraphOptions
	*direct
	namer traceNamer
}

func newLivenessChecker(machine *model.Machine, cache *decisionCache, deciders []Decider,
	options checker.GraphOptions) *livenessChecker {
	return &livenessChecker{
		machine: machine, cache: cache, deciders: deciders, options: options,
		direct: newDirect(cache.spec, deciders[0]),
		namer:  traceNamer{machine, newLookup(machine, cache, deciders[0])},
	}
}

func (c *livenessChecker) lookups() lookups {
	return lookups{machine: c.machine, cache: c.cache, deciders: c.deciders}
}

// behaviours returns the properties of behaviours.
func behaviours(properties []invariants.Property) []invariants.Property {
	return slices.DeleteFunc(slices.Clone(properties), func(p invariants.Property) bool { return p.Behaviour == nil })
}

// check looks for what breaks the properties of behaviours.
func (c *livenessChecker) check(ctx context.Context) (*loops, error) {
	found := &loops{result: LivenessResult{Scenario: c.machine.Scenario.Name}, exercised: map[string]int64{}}
	graph, stopped, err := checker.Unfold(ctx, &unfolding{machine: c.machine, lookups: c.lookups()}, c.options)
	if err != nil {
		return nil, err
	}
	found.result.States, found.result.Steps, found.result.Stopped = graph.States(), graph.Edges(), stopped
	if stopped != checker.NotStopped {
		return found, nil
	}
	for _, property := range behaviours(c.cache.properties) {
		liveness := livenessOf(c.machine, property.Behaviour)
		found.exercised[property.Name] = graph.Count(liveness)
		if err := c.confirm(ctx, property, graph.Components(liveness), found); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// livenessOf puts a property in terms of states without names. What goes on for ever with names does so without
// them, as far as pod templates go: a pod that stays so is one of its template that does, and whatever is taken
// of one pod is taken of its template.
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
func (c *livenessChecker) confirm(ctx context.Context, p invariants.Property, components []*checker.Component,
	found *loops) error {
	for i, component := range components {
		lasso, err := c.lift(ctx, p.Behaviour, component)
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
		key := loopKey(p, lasso.broken())
		c.cache.found(key.String())
		f := findingOf(c.spec, c.cache.properties, key, int64(len(components)-i))
		f.Example = Example{
			Scenario: c.machine.Scenario.Name, Stages: lasso.stages, Loop: lasso.loop,
			Reasons: []string{p.Behaviour.Reason(lasso.repeated(), lasso.pod)},
		}
		if f.Example.Takers, err = c.takersOf(c.machine, lasso.stages); err != nil {
			return fmt.Errorf("asking who takes the steps to %s: %w", f.ID, err)
		}
		found.findings = append(found.findings, f)
		return nil
	}
	return nil
}

// loopKey returns the sort of a loop, from what each decision on it breaks that is not documented. If every decision
// is documented, it is by design; if known defects explain every one that is not, it is known; else it is new.
func loopKey(p invariants.Property, undocumented [][]findingKey) findingKey {
	key := findingKey{p.Name, "", ByDesign, ""}
	var names []string
	for _, broken := range undocumented {
		key.class = byQuirks
		known := false
		for _, f := range broken {
			if f.class == byQuirks {
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
	for _, entry := range l.undocumented {
		var keys []findingKey
		for _, finding := range entry.findings {
			keys = append(keys, parseKey(finding))
		}
		all = append(all, keys)
	}
	return all
}
