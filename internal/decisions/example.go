package decisions

import (
	"errors"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// Example is a counterexample: the shortest way to a state, step or decision that breaks a property. Nodes and pods
// keep their names throughout.
type Example struct {
	Scenario string
	// Stages are the states, with the steps between them. For a property of steps the last step is the broken one.
	Stages []model.Stage
	// Takers has, for each step, who may take it.
	Takers []StepTakers
	// Case is, for a property of decisions, the decision in the last state: production asked once more, in the
	// names of the example, and the spec asked directly.
	Case *invariants.Case
	// Loop is how many of the last steps go on for ever, for a property of behaviours; else 0. They lead back to
	// where they begin.
	Loop int
	// Reasons say what is wrong, in the names of the example.
	Reasons []string
}

// traceNamer names the nodes and pods of traces.
type traceNamer struct {
	machine   *model.Machine
	decisions *lookup
}

// walk names a trace.
func (n *traceNamer) walk(trace checker.Trace) ([]model.Stage, error) {
	states, actions := [][]byte{trace.Initial}, []uint32(nil)
	for _, step := range trace.Steps {
		states, actions = append(states, step.State), append(actions, step.Action)
	}
	return n.machine.Walk(states, actions, n.decisions.followed)
}

// exampleMaker makes examples from what the checker found in one scenario.
type exampleMaker struct {
	traceNamer
	*direct
}

func newExampleMaker(machine *model.Machine, cache *decisionCache, decider Decider) *exampleMaker {
	return &exampleMaker{traceNamer{machine, newLookup(machine, cache, decider)}, newDirect(cache.spec, decider)}
}

// example returns the example of a finding.
func (m *exampleMaker) example(f Finding, found checker.Finding) (Example, error) {
	example := Example{Scenario: m.machine.Scenario.Name}
	var err error
	example.Stages, err = m.walk(found.Trace)
	if differs, ok := errors.AsType[*model.NotRepeated](err); ok {
		return m.notRepeated(example, differs), err
	}
	if err != nil {
		return example, fmt.Errorf("naming the counterexample to %s: %w", f.ID, err)
	}
	if example.Takers, err = m.takersOf(m.machine, example.Stages); err != nil {
		return example, fmt.Errorf("asking who takes the steps to %s: %w", f.ID, err)
	}
	last := example.Stages[len(example.Stages)-1]
	switch {
	case f.Property.Step != nil:
		example.Reasons = m.stepReasons(f, found.Trace, example.Stages)
	case f.Property.State != nil:
		_, breaches := f.Property.State(&invariants.State{Cluster: last.Cluster, End: m.isEnd(found.Trace.Last())})
		example.Reasons = reasons(f, breaches)
	case f.Property.Node != nil:
		example.Reasons = nodeReasons(m.spec, f, last, m.machine.Scenario)
	default:
		for _, pending := range last.PendingPods(m.machine) {
			entry, _ := m.decisions.entry(last.Arrangement(), pending)
			if slices.Contains(entry.findings, f.key.String()) {
				example.Case = m.decide(last.Question(m.machine, pending))
				_, breaches := f.Property.Decision(example.Case)
				example.Reasons = reasons(f, breaches)
				break
			}
		}
	}
	if len(example.Reasons) == 0 {
		// The names of objects made a difference, or a decision was not repeated: either is worth a look by itself.
		example.Reasons = []string{
			"asked again with the names of this example, the property is not broken: the answer depends on names, or " +
				"is not repeated",
		}
	}
	return example, nil
}

// notRepeated makes an example of a decision that was another one when it was asked for again.
func (m *exampleMaker) notRepeated(example Example, differs *model.NotRepeated) Example {
	last := example.Stages[len(example.Stages)-1]
	example.Case = m.decide(last.Question(m.machine, differs.Pending))
	example.Reasons = []string{fmt.Sprintf("the first time, kube-scheduler's answer about %s was to %s, and led on; "+
		"asked again, it may %s, which does not lead there", differs.Template, differs.Did, example.Case.Outcomes())}
	return example
}

// isEnd reports whether nothing can happen any more.
func (m *exampleMaker) isEnd(state []byte) bool {
	var a model.Arrangement
	m.machine.Unpack(state, &a)
	moves := func(pending model.PendingPod) []model.Move { return m.decisions.followed(&a, pending) }
	return nothingHappens(&a, m.machine.Scenario, moves)
}

// nothingHappens reports whether no action of the environment is enabled, and no decision changes anything.
func nothingHappens(a *model.Arrangement, s *model.Scenario, moves func(model.PendingPod) []model.Move) bool {
	end := true
	a.Environment(s, func(model.Action) { end = false })
	for _, pending := range a.Next(s, nil) {
		end = end && len(s.Steps(pending, moves(pending))) == 0
	}
	return end
}

// reasons returns those of the breaches that are of the finding's sort.
func reasons(f Finding, breaches []invariants.Breach) []string {
	var reasons []string
	for _, breach := range breaches {
		if f.key.class == byQuirks && !breach.ByDesign || keyOf(&f.Property, breach) == f.key {
			reasons = append(reasons, breach.Sentence())
		}
	}
	return reasons
}

// nodeReasons returns how the nodes of a stage break the finding's property.
func nodeReasons(s *spec.Scheduler, f Finding, stage model.Stage, scenario *model.Scenario) []string {
	var all []string
	for _, node := range stage.Cluster.Nodes {
		_, breaches := onNode(s, f.Property, invariants.Node{
			Node: node, Pods: podsOn(stage, node.Name), Cluster: stage.Cluster, PastScheduler: scenario.PastScheduler(),
		})
		all = append(all, reasons(f, breaches)...)
	}
	return all
}

// stepReasons takes the last step again, and returns how it breaks the finding's property.
func (m *exampleMaker) stepReasons(f Finding, trace checker.Trace, stages []model.Stage) []string {
	last := len(trace.Steps) - 1
	action, before := model.UnpackAction(trace.Steps[last].Action), trace.Initial
	if last > 0 {
		before = trace.Steps[last-1].State
	}
	var now, next model.Arrangement
	m.machine.Unpack(before, &now)
	check := func() []string {
		_, breaches := f.Property.Step(&invariants.Step{
			Scenario: m.machine.Scenario, Action: action, Before: &now, After: &next,
			Stuck: func() []model.PendingPod { return m.decisions.stuck(&now) },
			Named: func() invariants.NamedStep {
				return invariants.NamedStep{
					Before: stages[last].Cluster,
					After:  stages[last+1].Cluster,
					Step:   stages[last].Step,
				}
			},
		})
		return reasons(f, breaches)
	}
	next.CopyFrom(&now)
	if !action.Class.Decided() {
		next.Act(m.machine.Scenario, action, 0)
		return check()
	}
	pending := model.PendingPod{Template: int(action.Pod), Node: action.Node}
	for _, move := range m.machine.Scenario.Steps(pending, m.decisions.followed(&now, pending)) {
		next.CopyFrom(&now)
		next.Apply(m.machine.Scenario, pending, move)
		if broken := check(); move.Class() == action.Class && len(broken) > 0 {
			return broken
		}
	}
	return nil
}

func podsOn(stage model.Stage, node string) []*v1.Pod {
	var pods []*v1.Pod
	for _, pod := range stage.Cluster.Pods {
		if pod.Spec.NodeName == node {
			pods = append(pods, pod)
		}
	}
	return pods
}
